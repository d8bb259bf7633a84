import { statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { configurationError } from "../errors.js";

/**
 * Reads a media type, for services that want their own in `Accept`.
 * @param source where the text came from, for messages
 * @throws CliError configuration
 */
export function parseMediaType(text: string, source: string): string {
  if (/^[\w.+-]+\/[\w.+-]+$/.test(text)) return text;
  throw configurationError(`${source}: "${text}" is not a media type`, {
    hint: "write application/vnd.NAME.v1+json",
  });
}

/** A program and its arguments, run without a shell. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * Reads a token command: a JSON array of program and arguments, or only a program. The program is a name on PATH or an
 * absolute path: a relative one would run whatever is in the current folder.
 * @param source where the text came from, for messages
 * @throws CliError configuration
 */
export function parseTokenCommand(text: string, source: string): Command {
  const [program, ...args] = /^\s*[[{]/.test(text) ? parseArray(text, source) : [text];
  if (program === undefined || program === "") {
    throw configurationError(`${source} has no program`, { hint: 'write ["PROGRAM","ARG"]' });
  }
  if (/[/\\]/.test(program) && !isAbsolute(program)) {
    throw configurationError(`${source}: "${program}" is a relative path`, {
      hint: "write an absolute path, or the name of a program on PATH",
    });
  }
  return [program, ...args];
}

/**
 * Checks a token command as it is set: text that is not a JSON array must be a program that exists.
 * @param searchPath PATH
 * @throws CliError configuration
 */
export function checkTokenCommand(text: string, source: string, searchPath = ""): void {
  const [program, ...args] = parseTokenCommand(text, source);
  if (args.length > 0 || program !== text) return;
  const folders = isAbsolute(program) ? [""] : searchPath.split(delimiter).filter(isAbsolute);
  const files = folders.flatMap((folder) => ["", ".exe", ".cmd"].map((end) => join(folder, program + end)));
  if (files.some((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)) return;
  throw configurationError(`${source}: there is no program "${text}"`, {
    hint: 'write the path of a program, or a JSON array such as ["PROGRAM","ARG"]',
  });
}

function parseArray(text: string, source: string): readonly string[] {
  try {
    const json: unknown = JSON.parse(text);
    if (Array.isArray(json) && json.every((part) => typeof part === "string")) return json;
  } catch {
    // Reported below, like other JSON.
  }
  throw configurationError(`${source} is not a JSON array of strings`, { hint: 'write ["PROGRAM","ARG"]' });
}
