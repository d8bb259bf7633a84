import { sanitizeLine } from "./sanitize.js";

/** Words that no shell takes apart. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * A command line that a person can copy into any POSIX shell, and that a terminal can show: control and bidirectional
 * characters are written as octal escapes of `printf`. Line feeds at the end of a word are lost, as in every `$(…)`.
 * @see POSIX.1-2024, Shell Command Language, 2.2 Quoting
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (sanitizeLine(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `"$(printf '${Array.from(new TextEncoder().encode(word), printfByte).join("")}')"`;
}

function printfByte(byte: number, index: number): string {
  const character = String.fromCharCode(byte);
  if (character === "%") return "%%";
  // At the beginning it would be an option.
  const isPlain =
    (character !== "-" || index > 0) &&
    byte >= 0x20 &&
    byte < 0x7f &&
    character !== "'" &&
    character !== "\\";
  return isPlain ? character : `\\${byte.toString(8).padStart(3, "0")}`;
}
