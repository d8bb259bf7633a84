import { configurationError } from "../../errors.js";

/** Whether a text can be a token: visible ASCII without spaces, as a header carries it. @see RFC 6750 §2.1 */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * The token in what a variable, a file or a program gave; one line feed at the end is dropped before.
 * @param source names it in messages, which never repeat the text
 * @throws CliError configuration
 */
export function checkToken(text: string, source: string): string {
  if (text === "") throw configurationError(`${source} is empty`, { hint: "it should hold a token" });
  if (isToken(text)) return text;
  throw configurationError(
    `${source} holds no token: spaces, line breaks or other than visible ASCII characters`,
    { hint: "put the token alone into it, on one line" },
  );
}

/** Text without the line feed that editors and `echo` put at its end. */
export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}
