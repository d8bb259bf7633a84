import type { Command, Option } from "commander";
import { documentFormats, formatsOf } from "../../output/output.js";
import type { AnyJsonType, Shape, ShapeKey } from "../../output/view.js";
import { requestView } from "../../output/views/plain.js";
import { type PrintedValue, pathOf } from "../command.js";
import { GLOBAL_OPTIONS } from "../global-flags.js";
import { factsOf, ownFlags, readFlag, runnableCommands } from "./command-page.js";
import { environmentRows, exitCodeRows } from "./reference.js";

/** The object under `error` in the last line of stderr, with `-o json` and `ndjson`. */
const errorShape: Shape = {
  shape: "error",
  keys: {
    code: { type: "string", about: "what went wrong, one of error_codes" },
    exit_code: { type: "integer" },
    message: { type: "string", about: "for people; its wording may change" },
    hint: { type: "string?", about: "what to do next, for people" },
    status: { type: "integer?", about: "HTTP status of the response that caused it" },
    details: {
      type: "any",
      about: "what the service said by field, candidates for a name, or the items that failed",
    },
    request: { type: "string?", about: "method and path of the request that failed" },
  },
};

/**
 * `calctl schema`: what the program can do, as JSON. Everything is read from what the program itself uses; its commands must
 * be registered. Every shape is in `$defs`.
 */
export function programSchema(program: Command) {
  const commands = runnableCommands(program);
  return {
    version: program.version() ?? "",
    global_flags: GLOBAL_OPTIONS.map(flagSchema),
    commands: commands.map(commandSchema),
    exit_codes: exitCodeRows().map(({ exitCode, code, when, repeat }) => ({
      exit_code: exitCode,
      code,
      when,
      // Null where nothing failed.
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
export function commandSchema(command: Command) {
  const facts = factsOf(command);
  return {
    name: pathOf(command).replace(/^\S+ /, ""),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => {
      const { description, required, variadic } = argument;
      return { name: argument.name(), description, required, repeatable: variadic };
    }),
    flags: ownFlags(command).map(flagSchema),
    // Null for a command that prints no data.
    output: facts?.prints === undefined ? null : outputSchema(facts.prints),
    examples: (facts?.examples() ?? []).map(([purpose, ...commands]) => ({ purpose, commands })),
  };
}

function flagSchema(option: Option) {
  const { value, choices, ...facts } = readFlag(option);
  return {
    name: option.long ?? option.flags,
    short: option.short ?? null,
    value,
    // JSON Schema of one value; a switch is a boolean.
    type: choices === null ? valueType(value) : { type: "string", enum: choices },
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

/** The formats, and of data the shape, how many there are, the columns of tsv and csv, and what `-o json` prints. */
function outputSchema(prints: PrintedValue | "json" | "text") {
  if (typeof prints === "string")
    return { formats: documentFormats(prints), shape: null, count: null, columns: [], json: {} };
  const { view, count, partial = false } = prints;
  // In part: any of the members.
  const one = partial ? { ...shapeSchema(view), required: [] } : reference(view);
  return {
    formats: prints.formats ?? formatsOf(view),
    shape: view.shape,
    count,
    columns: partial ? [] : (view.tsv ?? []),
    json: count === "one" ? one : count === "list" ? arrayOf(one) : { anyOf: [one, arrayOf(one)] },
  };
}

/** A schema, or a part of one. References are to `$defs` of the document. @see JSON Schema 2020-12 */
export type JsonSchema = Readonly<Record<string, unknown>>;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** A reference to a shape, whose schema must be among the `$defs` of the document. */
function reference({ shape }: Pick<Shape, "shape">): JsonSchema {
  return { $ref: `#/$defs/${shape}` };
}

/** `$defs` of a document: the shapes and all those inside them. */
function definitions(shapes: readonly Shape[]): JsonSchema {
  const all = shapes.flatMap(withNested);
  return Object.fromEntries(all.map((shape) => [shape.shape, shapeSchema(shape)]));
}

/** A shape and all those inside it. */
function withNested(shape: Shape): readonly Shape[] {
  const inner = membersOf(shape).flatMap(([, { type }]) => {
    if (typeof type === "string") return [];
    return withNested("list" in type ? type.list : type.object);
  });
  return [shape, ...inner];
}

function membersOf({
  keys,
  members,
}: Pick<Shape, "keys" | "members">): readonly (readonly [string, ShapeKey])[] {
  return Object.entries(keys).filter(([key]) => members?.includes(key) ?? true);
}

/** An object with every member and no further ones. */
function shapeSchema(shape: Pick<Shape, "keys" | "members">): JsonSchema {
  const members = membersOf(shape);
  return {
    type: "object",
    properties: Object.fromEntries(
      members.map(([key, { type, about }]) => [
        key,
        { ...typeSchema(type), ...(about === undefined ? {} : { description: about }) },
      ]),
    ),
    required: members.flatMap(([key, { optional }]) => (optional === true ? [] : [key])),
    additionalProperties: false,
  };
}

/** The schema of a list of such items, which may be empty. */
function arrayOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

function typeSchema(type: AnyJsonType): JsonSchema {
  if (typeof type !== "string") {
    if ("list" in type) return arrayOf(reference(type.list));
    const object = reference(type.object);
    return type.nullable === true ? { anyOf: [object, { type: "null" }] } : object;
  }
  if (type === "any") return {};
  if (type === "string{}") return { type: "object", additionalProperties: { type: "string" } };
  if (type === "string[]") return arrayOf({ type: "string" });
  return type.endsWith("?") ? { type: [type.slice(0, -1), "null"] } : { type };
}
