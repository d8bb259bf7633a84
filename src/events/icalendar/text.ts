/** What every line of iCalendar is written with. @see RFC 5545 */

/** `20261121T060000Z`. @param instant milliseconds since the Unix epoch */
export function utcTime(instant: number): string {
  return `${wallTime(instant)}Z`;
}

/** `20261121T150000`. @param wallClock what a clock shows, as if it were UTC */
export function wallTime(wallClock: number): string {
  return digitsOf(new Date(wallClock).toISOString().slice(0, 19));
}

/** `2026-11-21` as `20261121`. */
export function digitsOf(time: string): string {
  return time.replace(/[-:]/g, "");
}

/** Not allowed in a text, except for tabs. @see RFC 5545 §3.3.11 */
const CONTROL_CHARACTERS = /(?=\p{ASCII})[^\P{Cc}\t\n]/gu;

/** Shows control characters as `\\x1b`. */
export function escapeControls(text: string): string {
  const escapeOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
  return text.replace(CONTROL_CHARACTERS, (character) => `\\x${escapeOf(character)}`);
}

/** A value of type TEXT. @see RFC 5545 §3.3.11 */
export function escapeText(text: string, sanitize: (text: string) => string): string {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\p{Cs}/gu, "\ufffd");
  return sanitize(lines)
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

/** Octets of a line. @see RFC 5545 §3.1 */
const MAX_OCTETS = 75;

/** Breaks a line between characters; every line after the first begins with a space. */
function foldLine(line: string): string {
  let folded = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MAX_OCTETS) {
      folded += "\r\n ";
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}

/** Lines as they are in a file. */
export function foldLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}
