import type { OpenQuote } from "./word-splitting.js";

/** Control characters, and those that nobody sees. */
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** Text as it is typed in bash outside of quotes, or inside the quotes that are open. Nothing in it is expanded. */
export function quoteForBash(text: string, quote: OpenQuote): string {
  const quoteCharacter = quote === null ? quoteOutside : quote === "'" ? quoteInSingle : quoteInDouble;
  return [...text]
    .map((char) => (isHidden(char) ? inQuotes(ansiC(char), quote) : quoteCharacter(char)))
    .join("");
}

function isHidden(char: string): boolean {
  return char !== " " && INVISIBLE.test(char);
}

function quoteOutside(char: string): string {
  return /[\w./,+%@-]|[^\0-\x7f]/.test(char) ? char : `\\${char}`;
}

function quoteInSingle(char: string): string {
  return char === "'" ? inQuotes("\\'", "'") : char;
}

function quoteInDouble(char: string): string {
  // An exclamation mark cannot be escaped inside double quotes.
  if (char === "!") return inQuotes("\\!", '"');
  return /["\\$`]/.test(char) ? `\\${char}` : char;
}

/** Ends the quotes, adds text outside of them, and opens them again. */
function inQuotes(text: string, quote: OpenQuote): string {
  return quote === null ? text : `${quote}${text}${quote}`;
}

/** ANSI-C quoting by the bytes of UTF-8, which every version of bash has. */
function ansiC(char: string): string {
  const bytes = [...new TextEncoder().encode(char)];
  return `$'${bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}'`;
}

/**
 * Text as one argument of PowerShell: as it is, or in single quotes, in which nothing is expanded. Typographic quotes count
 * as single quotes there.
 */
export function quoteForPowerShell(text: string): string {
  const [, flag = "", value = text] = /^(--[a-z-]+=)(.*)$/s.exec(text) ?? [];
  if (/^[\p{L}\p{N}_./+-]+$/u.test(value) || (flag !== "" && value === "")) return flag + value;
  return `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}
