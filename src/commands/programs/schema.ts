import type { Command } from "commander";
import { addAction, describeCommand, pathOf, type RunOf } from "../../cli/command.js";
import { findCommand, runnableCommands } from "../../cli/help/command-page.js";
import { type CliError, usageError } from "../../errors.js";
import { JSON_DOCUMENT } from "../../output/views/plain.js";
import { findNearest } from "../../output/words.js";
import type { Run } from "../../run/run.js";

interface SchemaOptions {
  /** Words of a command or name of a shape. */
  readonly name: readonly string[];
}

export function registerSchema(command: Command, runOf: RunOf): void {
  command.argument("[name...]", "command, such as events list, or shape, such as event (default: all)");
  describeCommand(command, {
    prints: "json",
    examples: () => [
      ["Flags and output of a command", "calctl schema events list"],
      ["The JSON Schema of an event, for a validator", "calctl schema event >event.schema.json"],
      ["Names of all commands", "calctl schema --jq '.commands[].name'"],
    ],
  });
  addAction(command, runOf, runSchema);
}

/** Describes the whole program, or one command, group or shape, as JSON. A command wins over a shape of its name. */
async function runSchema(run: Run, { name }: SchemaOptions): Promise<void> {
  const output = run.output.of(JSON_DOCUMENT);
  const program = await run.program.commandTree();
  const { commandSchema, commandsDocument, programSchema, shapeDocument } = await import(
    "../../cli/help/schema.js"
  );
  if (name.length === 0) return output.print(programSchema(program));
  const words = name.flatMap((word) => word.split(" "));
  const found = findCommand(program, words);
  if (found !== undefined) {
    const commands = runnableCommands(found);
    const [first] = commands.map(commandSchema);
    const isGroup = found.commands.length > 0;
    const content = isGroup ? { commands: commands.map(commandSchema) } : { ...first };
    return output.print(commandsDocument(commands, content));
  }
  const shape = shapeDocument(program, words.join(" "));
  if (shape === undefined) throw await unknownName(words.join(" "), program);
  await output.print(shape);
}

const MAX_NEAREST = 3;

async function unknownName(name: string, program: Command): Promise<CliError> {
  const { shapeNames } = await import("../../cli/help/schema.js");
  const commands = runnableCommands(program).map((command) => pathOf(command).replace(/^\S+ /, ""));
  const shapes = shapeNames(program);
  const nearest = findNearest(name, [...commands, ...shapes], (each) => each).slice(0, MAX_NEAREST);
  return usageError(
    `there is no command or shape "${name}"`,
    nearest.length > 0
      ? `did you mean ${nearest.join(" or ")}?`
      : `shapes: ${shapes.join(", ")}; commands: calctl --help`,
  );
}
