/** Encodings of vCalendar 1.0, which phones and old Outlooks write into iCalendar, too. */

const ENCODED =
  /^([\w-]+)((?:;(?:[^":]|"[^"]*")*)?;(?:ENCODING=)?(?:QUOTED-PRINTABLE|BASE64|B)(?=[;:])(?:[^":]|"[^"]*")*):(.*)$/is;

/**
 * A component whose texts in quoted-printable are not broken by `=` at the end of a line. A space after such a break is of the text,
 * unless the break is within `=C3`: then the line was folded.
 */
export function joinSoftBreaks(text: string): string {
  if (!/QUOTED-PRINTABLE/i.test(text)) return text;
  const lines: string[][] = [];
  let isQuoted = false;
  let isBroken = false;
  for (const line of text.split(/\r?\n/)) {
    const last = lines.at(-1) ?? [];
    if (isBroken && !/^[ \t][\dA-F]{2}/i.test(line)) {
      last.push(last.pop()?.slice(0, -1) ?? "", line);
    } else if (isQuoted && /^[ \t]/.test(line)) last.push(line.slice(1));
    else {
      isQuoted = /QUOTED-PRINTABLE/i.test(parametersOf(line));
      lines.push([line]);
    }
    isBroken = isQuoted && line.endsWith("=");
  }
  return lines.map((parts) => parts.join("")).join("\r\n");
}

/** Code units of a name with its parameters: none has a tenth of it. */
export const MAX_PARAMETERS = 10_000;

/** The name and the parameters of a line, as far as they are read. */
function parametersOf(line: string): string {
  return /^(?:[^":]|"[^"]*")*/.exec(line.slice(0, MAX_PARAMETERS))?.[0] ?? "";
}

/** An unfolded line with its text as iCalendar has it; the line itself where it is not encoded, or in an unknown CHARSET. */
export function decodeLine(line: string): string {
  if (!isEncoded(line)) return line;
  const [, name = "", parameters = "", value = ""] = ENCODED.exec(line) ?? [];
  if (!/^(?:SUMMARY|LOCATION|DESCRIPTION|CATEGORIES)$/i.test(name)) return line;
  const [, charset = "utf-8"] = /;CHARSET=([^;]*)/i.exec(parameters) ?? [];
  const bytes = /QUOTED-PRINTABLE/i.test(parameters) ? quotedBytes(value) : Buffer.from(value, "base64");
  const text = decode(bytes, charset.trim());
  return text === null ? line : `${name}:${text.replace(/\r\n?|\n/g, "\\n")}`;
}

/** Whether a line is still encoded. */
export function isEncoded(line: string): boolean {
  return line.indexOf(":") < MAX_PARAMETERS && ENCODED.test(line);
}

function quotedBytes(value: string): Buffer {
  const bytes = value.replace(/[^\0-\x7f]+/g, (text) => Buffer.from(text).toString("latin1"));
  const decoded = bytes.replace(/=([\dA-F]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(decoded, "latin1");
}

function decode(bytes: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    // A charset that is not known, or bytes that are not of it.
    if (error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}
