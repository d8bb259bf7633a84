import { configurationError } from "../../errors.js";

/** Whether a text can be a token: visible ASCII characters without spaces, which a header can carry. @see RFC 6750 §2.1 */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * Checks that a text is a token.
 * @param source where it comes from, for messages; these never contain the text
 * @throws CliError configuration
 */
export function checkToken(text: string, source: string): string {
  if (text === "") throw configurationError(`${source} is empty`, { hint: "put a token into it" });
  if (isToken(text)) return text;
  throw configurationError(
    `${source} is not a token: it has spaces, line breaks or characters other than visible ASCII`,
    { hint: "put only the token into it, on one line" },
  );
}

/** Without the newline that editors and `echo` add. */
export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}
