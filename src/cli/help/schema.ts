import type { Argument, Command, Option } from "commander";
import { documentFormats, formatsOf } from "../../output/output.js";
import type { Shape } from "../../output/shape.js";
import { errorShape } from "../../output/views/error.js";
import { requestView } from "../../output/views/plain.js";
import {
  type FlagFacts,
  factsOf,
  ownFlags,
  type PrintedValue,
  pathOf,
  readFlag,
  runnableCommands,
} from "../command-facts.js";
import { GLOBAL_OPTIONS } from "../global-flags.js";
import { environmentRows } from "./environment.js";
import { exitCodeRows } from "./exit-codes.js";
import {
  arrayOf,
  DIALECT,
  definitions,
  type JsonSchema,
  reference,
  shapeSchema,
  withNested,
} from "./json-schema.js";

/** `calctl schema`: what the program can do, as JSON. Everything is read from what the program itself uses. */

export interface ProgramSchema {
  readonly version: string;
  readonly global_flags: readonly FlagSchema[];
  readonly commands: readonly CommandSchema[];
  readonly exit_codes: readonly ExitCodeSchema[];
  /** `code` of errors in JSON. */
  readonly error_codes: readonly string[];
  readonly environment: readonly { readonly name: string; readonly description: string }[];
  /** JSON Schema by the name of the shape. */
  readonly $defs: JsonSchema;
}

interface ExitCodeSchema {
  readonly exit_code: number;
  /** Null where there is no error. */
  readonly code: string | null;
  readonly when: string;
  /** Null where nothing failed. */
  readonly repeat: string | null;
}

export interface CommandSchema {
  /** `events list`. */
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ArgumentSchema[];
  readonly flags: readonly FlagSchema[];
  /** Null for a command that prints no data. */
  readonly output: OutputSchema | null;
  readonly examples: readonly { readonly purpose: string; readonly commands: readonly string[] }[];
}

interface ArgumentSchema {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** Whether it takes all that follow. */
  readonly repeatable: boolean;
}

interface FlagSchema extends Omit<FlagFacts, "choices" | "value"> {
  /** `--output`. */
  readonly name: string;
  /** `-o`; null without one. */
  readonly short: string | null;
  /** What stands for the value in help; null for a switch. */
  readonly value: string | null;
  /** JSON Schema of one value; a switch is a boolean. */
  readonly type: JsonSchema;
}

interface OutputSchema {
  readonly formats: readonly string[];
  /** Name of the shape; null for JSON of another kind. */
  readonly shape: string | null;
  /** Whether one value is printed, a list, or either, depending on the arguments. */
  readonly count: string | null;
  /** Columns of tsv and csv, in order. */
  readonly columns: readonly string[];
  /** JSON Schema of what `-o json` prints. */
  readonly json: JsonSchema;
}

/** The whole program, whose commands must be registered, with every shape in `$defs`. */
export function programSchema(program: Command): ProgramSchema {
  const commands = runnableCommands(program);
  return {
    version: program.version() ?? "",
    global_flags: GLOBAL_OPTIONS.map(flagSchema),
    commands: commands.map(commandSchema),
    exit_codes: exitCodeRows().map(({ exitCode, code, when, repeat }) => ({
      exit_code: exitCode,
      code,
      when,
      repeat: repeat === "" ? null : repeat,
    })),
    error_codes: [...new Set(exitCodeRows().flatMap(({ code }) => code ?? []))],
    environment: environmentRows().map(({ name, meaning }) => ({ name, description: meaning })),
    $defs: definitions(shapesOf(program)),
  };
}

/** Every shape that a command prints, with `--dry-run` too, and that of errors. Those inside them are not listed. */
function shapesOf(program: Command): readonly Shape[] {
  return [...runnableCommands(program).flatMap(printedShape), requestView, errorShape];
}

function printedShape(command: Command): readonly Shape[] {
  const prints = factsOf(command)?.prints;
  return typeof prints === "object" && prints.partial !== true ? [prints.view] : [];
}

/** Commands as a document of their own. */
export function commandsDocument(commands: readonly Command[], content: JsonSchema): JsonSchema {
  return { ...content, $defs: definitions(commands.flatMap(printedShape)) };
}

/** Those that commands print, that of errors, and those inside them. */
export function shapeNames(program: Command): readonly string[] {
  return Object.keys(definitions(shapesOf(program)));
}

/** A shape as a document of its own; undefined when no shape has the name. */
export function shapeDocument(program: Command, name: string): JsonSchema | undefined {
  const shape = shapesOf(program)
    .flatMap(withNested)
    .find((each) => each.shape === name);
  return shape && { $schema: DIALECT, ...reference(shape), $defs: definitions([shape]) };
}

/** One command. Its output refers to shapes, which the document around it must have in `$defs`. */
export function commandSchema(command: Command): CommandSchema {
  const facts = factsOf(command);
  return {
    name: pathOf(command).replace(/^\S+ /, ""),
    description: command.description(),
    arguments: command.registeredArguments.map(argumentSchema),
    flags: ownFlags(command).map(flagSchema),
    output: facts?.prints === undefined ? null : outputSchema(facts.prints),
    examples: (facts?.examples() ?? []).map(([purpose, ...commands]) => ({ purpose, commands })),
  };
}

function argumentSchema(argument: Argument): ArgumentSchema {
  const { description, required, variadic } = argument;
  return { name: argument.name(), description, required, repeatable: variadic };
}

function flagSchema(option: Option): FlagSchema {
  const { value, choices, ...facts } = readFlag(option);
  return {
    name: option.long ?? option.flags,
    short: option.short ?? null,
    value,
    type: choices === null ? valueType(value) : { enum: choices },
    ...facts,
  };
}

/** How many a flag counts, by what stands for its value. */
const NUMBERS: Readonly<Record<string, JsonSchema>> = {
  seconds: { type: "number", minimum: 0 },
  n: { type: "integer", minimum: 0 },
  number: { type: "integer", minimum: 0 },
  port: { type: "integer", minimum: 0, maximum: 65_535 },
};

function valueType(value: string | null): JsonSchema {
  if (value === null) return { type: "boolean" };
  const [, minimum, maximum] = /^(\d+)-(\d+)$/.exec(value) ?? [];
  if (minimum !== undefined) return { type: "integer", minimum: Number(minimum), maximum: Number(maximum) };
  return NUMBERS[value] ?? { type: "string" };
}

function outputSchema(prints: PrintedValue | "json" | "text"): OutputSchema {
  if (typeof prints === "string")
    return { formats: documentFormats(prints), shape: null, count: null, columns: [], json: {} };
  const { view, count, partial = false } = prints;
  const one = partial ? partialSchema(view) : reference(view);
  return {
    formats: prints.formats ?? formatsOf(view),
    shape: view.shape,
    count,
    columns: partial ? [] : (view.tsv ?? []),
    json: count === "one" ? one : count === "list" ? arrayOf(one) : { anyOf: [one, arrayOf(one)] },
  };
}

/** Any of the members. */
function partialSchema(view: Shape): JsonSchema {
  return { ...shapeSchema(view), required: [] };
}
