import { CliError, usageError } from "../errors.js";
import type { Surface } from "./formats/renderer.js";
import { availableFormats, loadRenderer } from "./formats/renderer.js";
import { FORMATS, type Format, isKeyOf, type KeyOf, keysOf, type Output, type View } from "./view.js";

/** The stream that data goes to. */
export interface OutputTarget extends Surface {
  /** Resolves when the stream has taken the text; rejects when it failed. */
  write(text: string): Promise<void>;
}

/** A format that somebody asked for by name. */
export interface FormatChoice {
  readonly name: string;
  readonly source: "flag" | "environment" | "default";
  /** Where it came from, as messages name it: `--output`, `CALCTL_OUTPUT`. */
  readonly label: string;
}

export interface OutputOptions {
  /** Null when nobody asked for one: `table` on a terminal, `tsv` elsewhere. */
  readonly format: FormatChoice | null;
  /** `--fields` as it was typed; undefined when not given. */
  readonly fields: string | undefined;
}

/**
 * Prepares the output of a command before it sends anything.
 * @throws CliError usage for a word that is no format, a format the command does not have (from the environment it
 * is passed over), and fields the view does not have
 */
export function createOutput<T>(view: View<T>, options: OutputOptions, target: OutputTarget): Output<T> {
  if (options.format !== null) checkFormat(options.format, view.noun);
  const format = effectiveFormat(options, target);
  const fields = options.fields === undefined ? null : parseFields(options.fields, view);
  return {
    async print(value, done) {
      const render = await loadRenderer(format);
      const [values, single] = isList(value) ? [value, false] : [[value], true];
      const text = await render({ view, values, single, fields, surface: target });
      if (text === "") return;
      await target.write(text).catch((error: unknown) => {
        throw done === undefined || !(error instanceof CliError) ? error : tellDone(error, done);
      });
    },
  };
}

function tellDone(error: CliError, done: string): CliError {
  const { code, exitCode } = error;
  return new CliError(code, `${error.message}, but ${done}`, { exitCode, cause: error });
}

/** The format in which data is printed; words that are none or cannot be had count as not given. */
export function effectiveFormat(
  options: Pick<OutputOptions, "format">,
  target: Pick<Surface, "isTerminal">,
): Format {
  const chosen = availableFormats().find((format) => format === options.format?.name);
  return chosen ?? (target.isTerminal ? "table" : "tsv");
}

/** @throws CliError usage for a word that is no format, and from the flag for one that is not to be had */
export function checkFormat(choice: FormatChoice, noun: string): void {
  checkFormatName(choice);
  const { name, source, label } = choice;
  const available = availableFormats();
  const hint = `formats: ${available.join(", ")}`;
  if (source === "flag" && !isOneOf(available, name)) {
    throw usageError(`${label}: ${noun} output has no format "${name}"`, hint);
  }
}

/** @throws CliError usage for a word that is no format of any command */
export function checkFormatName({ name, label }: FormatChoice): void {
  if (isOneOf(FORMATS, name)) return;
  throw usageError(`${label}: "${name}" is no output format`, `formats: ${availableFormats().join(", ")}`);
}

function parseFields<T>(text: string, view: View<T>): readonly KeyOf<T>[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !isKeyOf(view, name));
  if (unknown.length > 0) {
    const what = unknown.includes("")
      ? "a field name is empty"
      : `${view.noun} output has no field ${unknown.map((name) => `"${name}"`).join(", ")}`;
    throw usageError(`--fields: ${what}`, `fields: ${keysOf(view).join(", ")}`);
  }
  return names.filter((name) => isKeyOf(view, name));
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word);
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
