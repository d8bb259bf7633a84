import { errorCodeOf } from "../../errors.js";

/** Code of an error that has none: it is not one of the network. */
export const NO_CODE = "unknown";

/** undici gives the errors of its HTTP parser no code. */
export const PARSER_ERROR = "HTTPParserError";

/** The code of a Node or undici error. A host with several addresses fails with one error each: all codes, each once. */
export function codesOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(codesOf))].join(", ");
  }
  return errorCodeOf(error) ?? (isParserError(error) ? PARSER_ERROR : NO_CODE);
}

/** Whether bytes came that are not HTTP. An answer that only ends too early is parsed as far as it came. */
export function isNoHttp(error: unknown): boolean {
  // What the parser says of an end that comes too early is about no bytes.
  return isParserError(error) && !("data" in error && error.data === "");
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && error.name === PARSER_ERROR;
}
