import { isAbsolute } from "node:path";
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

function parseArray(text: string, source: string): readonly string[] {
  try {
    const json: unknown = JSON.parse(text);
    if (Array.isArray(json) && json.every((part) => typeof part === "string")) return json;
  } catch {
    // Reported below, like other JSON.
  }
  throw configurationError(`${source} is not a JSON array of strings`, { hint: 'write ["PROGRAM","ARG"]' });
}
