/** Where a text stops being JSON. */
export interface JsonSyntaxError {
  /** Characters from the beginning. */
  readonly offset: number;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /** The text is the beginning of JSON: it may have been cut short. */
  readonly atEnd: boolean;
}

/** Finds where a text that JSON.parse refused goes wrong. */
export async function locateJsonError(text: string): Promise<JsonSyntaxError> {
  // Loaded for a broken text alone.
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: Parameters<typeof parseTree>[1] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  const offset = Math.min(first?.offset ?? text.length, text.length);
  const rest = text.slice(offset).trimEnd();
  const before = text.slice(0, offset);
  return {
    offset,
    line: before.split("\n").length,
    column: offset - before.lastIndexOf("\n"),
    atEnd:
      rest === "" || (rest.length <= (first?.length ?? 0) && isBeginning(rest, first, printParseErrorCode)),
  };
}

const CUT_TOKENS: ReadonlySet<string> = new Set([
  "UnexpectedEndOfString",
  "UnexpectedEndOfNumber",
  "InvalidUnicode",
  "InvalidEscapeCharacter",
]);

/** Whether the last token is one that was cut: a string without its end, or the beginning of a literal. */
function isBeginning(
  token: string,
  error: { readonly error: number } | undefined,
  nameOf: (code: number) => string,
): boolean {
  if (error === undefined) return false;
  const name = nameOf(error.error);
  if (name !== "InvalidSymbol") return CUT_TOKENS.has(name);
  return ["true", "false", "null", "-"].some((literal) => literal.startsWith(token));
}
