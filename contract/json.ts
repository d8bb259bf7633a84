import type { JSONScanner } from "jsonc-parser";

/** Whether a JSON value is an object, not a list or null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined for what is not JSON. The message of JSON.parse would repeat the text, which may be a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (_notJson) {
    return undefined;
  }
}

/** Position of the first syntax error in a JSON text. */
export interface JsonSyntaxError {
  /** UTF-16 code units from the start. */
  readonly offset: number;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /** Whether the text is valid up to its end, so that it may have been cut short. */
  readonly atEnd: boolean;
}

/** Locates the first syntax error in a text that JSON.parse rejected. */
export async function locateJsonError(text: string): Promise<JsonSyntaxError> {
  // Loaded only for invalid JSON.
  const { createScanner, parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: { error: number; offset: number; length: number }[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Nested too deeply for a recursive parser.
    errors.splice(0, errors.length, {
      error: 0,
      offset: findUnbalancedBracket(text, createScanner(text, true)),
      length: 0,
    });
  }
  const [first] = errors;
  const offset = Math.min(first?.offset ?? text.length, text.length);
  const rest = text.slice(offset).trimEnd();
  const before = text.slice(0, offset);
  return {
    offset,
    line: before.split("\n").length,
    column: offset - before.lastIndexOf("\n"),
    atEnd:
      rest === "" || (rest.length <= (first?.length ?? 0) && isTruncated(rest, first, printParseErrorCode)),
  };
}

/** Describes the first syntax error, such as `unexpected text at line 3, column 1 (character 20)`. */
export async function describeJsonError(text: string): Promise<string> {
  const { offset, line, column, atEnd } = await locateJsonError(text);
  return `${atEnd ? "it ends too early" : "unexpected text"} at line ${line}, column ${column} (character ${offset})`;
}

/** Offset of the first closing bracket without its opening one; the end of the text if brackets are left open. */
function findUnbalancedBracket(text: string, scanner: JSONScanner): number {
  const expected: string[] = [];
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const token = text[scanner.getTokenOffset()] ?? "";
    if (token === "[" || token === "{") expected.push(token === "[" ? "]" : "}");
    else if ((token === "]" || token === "}") && expected.pop() !== token) return scanner.getTokenOffset();
  }
  return expected.length === 0 ? 0 : text.length;
}

const TRUNCATED_TOKENS: ReadonlySet<string> = new Set([
  "UnexpectedEndOfString",
  "UnexpectedEndOfNumber",
  "InvalidUnicode",
  "InvalidEscapeCharacter",
]);

/** Whether the last token is incomplete: a string without its end, or the beginning of a literal. */
function isTruncated(
  token: string,
  error: { readonly error: number } | undefined,
  nameOf: (code: number) => string,
): boolean {
  if (error === undefined) return false;
  const name = nameOf(error.error);
  if (name !== "InvalidSymbol") return TRUNCATED_TOKENS.has(name);
  return ["true", "false", "null", "-"].some((literal) => literal.startsWith(token));
}
