import { isAbsolute } from "node:path";
import { configurationError } from "../errors.js";

/**
 * The value of Accept as a service has one of its own.
 * @param source names where the text came from in messages
 * @throws CliError configuration
 */
export function parseMediaType(text: string, source: string): string {
  if (/^[\w.+-]+\/[\w.+-]+$/.test(text)) return text;
  throw configurationError(`${source}: "${text}" is no media type`, {
    hint: "write application/vnd.NAME.v1+json",
  });
}

/** A program and its arguments, run without a shell. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * Reads a token command: a JSON array of program and arguments, or the path of a program. A program by its name is
 * looked for on PATH, else it is named from the root: the folder one stands in is nobody's.
 * @param source names where the text came from in messages
 * @throws CliError configuration
 */
export function parseTokenCommand(text: string, source: string): Command {
  const [program, ...args] = /^\s*[[{]/.test(text) ? parseArray(text, source) : [text];
  if (program === undefined || program === "") {
    throw configurationError(`${source} names no program`, { hint: 'write ["PROGRAM","ARG"]' });
  }
  if (/[/\\]/.test(program) && !isAbsolute(program)) {
    throw configurationError(`${source}: "${program}" depends on the folder one stands in`, {
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
    // The same sentence as for other JSON.
  }
  throw configurationError(`${source} is no JSON array of texts`, { hint: 'write ["PROGRAM","ARG"]' });
}
