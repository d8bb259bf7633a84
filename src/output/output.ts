import { CliError, usageError } from "../errors.js";
import {
  type Document,
  FORMATS,
  type Format,
  isKeyOf,
  type KeyOf,
  keysOf,
  type Output,
  type OutputProgram,
  type Renderer,
  type Rendering,
  type StreamCapabilities,
  type View,
} from "./view.js";

/** The stream that data is written to. */
export interface OutputTarget extends StreamCapabilities {
  /** Resolves when the stream has taken the text; rejects when it failed. */
  write(text: string | Uint8Array): Promise<void>;
  /** Whether its reader has closed it. */
  readonly isClosed: boolean;
}

/** A format that was chosen by name. */
export interface FormatChoice {
  readonly name: string;
  readonly source: "flag" | "environment" | "default";
  /** How messages name where it came from: `--output`, `CALCTL_OUTPUT`. */
  readonly label: string;
}

export interface OutputOptions
  extends Pick<Rendering<unknown>, "zone" | "hours" | "now" | "note" | "getEvent"> {
  /** The zone of this machine, which a screen need not name; undefined when it has no IANA name. */
  readonly machineZone: () => string | undefined;
  /** Null when none was chosen: `table` on a terminal, `tsv` elsewhere. */
  readonly format: FormatChoice | null;
  /** `--fields` as typed; undefined when not given. */
  readonly fields: string | undefined;
  /** Whether `--csv-safe` was given. */
  readonly csvSafe: boolean;
  /** Of `--jq` or `--template`; null for the format. */
  readonly program: OutputProgram | null;
}

/** The formats of every view. Each is loaded when it is first used. */
const COMMON_FORMATS: { readonly [F in Format]?: <T>() => Promise<Renderer<T>> } = {
  table: async () => (await import("./formats/table.js")).renderTable,
  tsv: async () => (await import("./formats/data.js")).renderTsv,
  csv: async () => (await import("./formats/data.js")).renderCsv,
  json: async () => (await import("./formats/data.js")).renderLongJson,
  ndjson: async () => (await import("./formats/data.js")).renderNdjson,
  markdown: async () => (await import("./formats/markdown.js")).renderMarkdown,
  text: async () => (await import("./formats/table.js")).renderText,
};

/**
 * Prepares the output of a command, before it sends anything.
 * @throws CliError usage for a name that is not a format, for a format or fields that the view does not have; a format
 * from the environment that the view does not have is ignored
 */
export function createOutput<T>(
  view: View<T> | Document<T>,
  options: OutputOptions,
  target: OutputTarget,
): Output<T> {
  const render =
    "render" in view ? documentRenderer(view, options, target) : viewRenderer(view, options, target);
  const isStreamed =
    !("render" in view || target.isTerminal) &&
    options.program === null &&
    effectiveFormat(options, target, view) === "ndjson";
  return {
    isClosed: () => target.isClosed,
    stream: isStreamed
      ? async (values) => {
          await writeText(await render(values), target);
          return !target.isClosed;
        }
      : null,
    async print(value, completed) {
      try {
        await writeText(await render(value), target);
      } catch (error) {
        throw completed === undefined || !(error instanceof CliError)
          ? error
          : withCompleted(error, completed);
      }
    },
  };
}

/** Some formats give a long list in pieces. */
type Text = string | Uint8Array | Generator<string>;

async function writeText(text: Text, target: Pick<OutputTarget, "write" | "isClosed">): Promise<void> {
  const pieces = typeof text === "string" || text instanceof Uint8Array ? [text] : text;
  if (target.isClosed) return;
  for (const piece of pieces) {
    if (piece.length > 0) await target.write(piece);
    // Before the next piece: it may be an error, which a closed stream does not need.
    if (target.isClosed) return;
  }
}

type Render<T> = (value: T | readonly T[]) => Text | Promise<Text>;

function documentRenderer<T>(
  document: Document<T>,
  { program, note }: Pick<OutputOptions, "program" | "note">,
  capabilities: StreamCapabilities,
): Render<T> {
  if (program !== null && (document.json === undefined || program.renderJson === undefined))
    throw usageError(
      document.json === undefined
        ? "--jq, --template: this command has a single form of output"
        : "--template: this command prints JSON that has no fields",
    );
  return (value) => {
    if (isList(value)) return value.map((each) => document.render(each, capabilities)).join("");
    const json = program === null ? undefined : document.json?.(value);
    return program?.renderJson === undefined || json === undefined
      ? document.render(value, capabilities)
      : program.renderJson(json, { capabilities, note });
  };
}

function viewRenderer<T>(view: View<T>, options: OutputOptions, capabilities: StreamCapabilities): Render<T> {
  const { zone, hours, now, note, getEvent, csvSafe, program } = options;
  if (options.format !== null) checkFormat(options.format, view);
  const format = effectiveFormat(options, capabilities, view);
  if (csvSafe && format !== "csv")
    throw usageError("--csv-safe: only csv output has formulas to defuse", "add --output csv");
  if (format === "ics" && options.fields !== undefined)
    throw usageError("--fields: ics output always has every field it can hold", "omit --fields");
  const fields = options.fields === undefined ? null : parseFields(options.fields, view);
  program?.check(view);
  return async (value) => {
    const [values, single] = isList(value) ? [value, false] : [[value], true];
    let showsTimes = false;
    const usedZone = () => {
      showsTimes = true;
      return zone();
    };
    const rendering = {
      view,
      values,
      single,
      fields,
      csvSafe,
      capabilities,
      zone: usedZone,
      hours,
      now,
      note,
      getEvent,
    };
    if (program !== null) return program.render(rendering);
    const render = view.formats?.[format] ?? (await COMMON_FORMATS[format]?.<T>());
    if (render === undefined) throw new Error(`the format ${format} was not checked`);
    const text = await render(rendering);
    if (format !== "table" || !capabilities.isTerminal || !showsTimes || typeof text !== "string")
      return text;
    return text + (await zoneLine(options, capabilities));
  };
}

/** Times in another zone than the machine's would be misread. */
async function zoneLine(
  { zone, machineZone }: Pick<OutputOptions, "zone" | "machineZone">,
  capabilities: StreamCapabilities,
): Promise<string> {
  if (zone().toLowerCase() === machineZone()?.toLowerCase()) return "";
  const { createStyle } = await import("./style.js");
  return `\n${(await createStyle(capabilities)).dim(`Times in ${zone()}`)}\n`;
}

function withCompleted(error: CliError, completed: string): CliError {
  const message = `${error.message}, but ${completed}`;
  // A usage error would mean that nothing was written.
  if (error.code === "usage") return new CliError("failed", message, { cause: error });
  return new CliError(error.code, message, { exitCode: error.exitCode, cause: error });
}

/** The part of a view that determines its formats. */
interface ViewFormats {
  readonly noun: string;
  readonly isTableInPipes?: boolean;
  readonly formats?: { readonly [F in Format]?: unknown };
}

/** The common formats, and those of the view. */
export function formatsOf(view?: Pick<ViewFormats, "formats">): readonly Format[] {
  return FORMATS.filter((name) => COMMON_FORMATS[name] !== undefined || view?.formats?.[name] !== undefined);
}

/** The format of a document; that of text has no name. */
export function documentFormats(kind: "json" | "text"): readonly Format[] {
  return kind === "json" ? ["json"] : [];
}

/** The format in which data is printed. A choice that is not a format, or not one of the view's, is ignored. */
export function effectiveFormat(
  options: Pick<OutputOptions, "format"> & Partial<Pick<OutputOptions, "fields">>,
  target: Pick<StreamCapabilities, "isTerminal">,
  view?: Pick<ViewFormats, "formats" | "isTableInPipes">,
): Format {
  const chosen = formatsOf(view).find((format) => format === options.format?.name);
  const isTable = target.isTerminal || (view?.isTableInPipes === true && options.fields === undefined);
  return chosen ?? (isTable ? "table" : "tsv");
}

/** @throws CliError usage for a name that is not a format, and for a flag with a format that the view does not have */
export function checkFormat(choice: FormatChoice, view: ViewFormats): void {
  checkFormatName(choice);
  const { name, source, label } = choice;
  const formats = formatsOf(view);
  if (source !== "flag" || isOneOf(formats, name)) return;
  throw usageError(`${label}: ${view.noun} output has no format "${name}"`, `formats: ${formats.join(", ")}`);
}

/** @throws CliError usage for a name that is not a format of any command */
export function checkFormatName({ name, label }: FormatChoice): void {
  if (isOneOf(FORMATS, name)) return;
  throw usageError(
    `${label}: "${name}" is not an output format`,
    `formats: ${FORMATS.join(", ")} (ics for events only)`,
  );
}

function parseFields<T>(text: string, view: View<T>): readonly KeyOf<T>[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !isKeyOf(view, name));
  if (unknown.length > 0) {
    const problem = unknown.includes("")
      ? "a field name is empty"
      : `${view.noun} output has no field ${unknown.map((name) => `"${name}"`).join(", ")}`;
    throw usageError(`--fields: ${problem}`, `fields: ${keysOf(view).join(", ")}`);
  }
  return names.filter((name) => isKeyOf(view, name));
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word);
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
