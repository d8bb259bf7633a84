import type { Command, HelpContext } from "commander";
import type { Context } from "../context.js";
import { usageError } from "../errors.js";
import { addGlobalFlags } from "./global-flags.js";

/** Gives a command its context once its flags are parsed. */
export type ContextOf = (command: Command) => Context;

/** Adds a command below another one, with the global flags. */
export function addCommand(parent: Command, nameAndArguments: string, summary: string): Command {
  // A group tolerates arguments to name them in its own words; its commands must not.
  return addGlobalFlags(parent.command(nameAndArguments).description(summary).allowExcessArguments(false));
}

/** Makes a command that is a mere group of others say what it lacks. */
export function requireSubcommand(group: Command): void {
  const outputHelp = group.outputHelp.bind(group);
  Object.assign(group, {
    outputHelp(context?: HelpContext) {
      // `calctl nonsense --help` asks for help with a command that is not there.
      if (group.args[0] !== undefined && !group.args[0].startsWith("-")) refuse(group);
      outputHelp(context);
    },
  });
  group
    .enablePositionalOptions()
    .usage("<command> [flags]")
    .allowExcessArguments()
    .action(() => refuse(group));
}

function refuse(group: Command): never {
  const [name] = group.args;
  const hint = `commands: ${group.commands.map((command) => command.name()).join(", ")}`;
  const path = commandPath(group);
  if (name === undefined) throw usageError(`${path} needs a command`, hint);
  throw usageError(`${path} has no command "${name}"`, hint);
}

function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
