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

/** The quote that is open at the cursor; null outside of quotes. */
export type OpenQuote = "'" | '"' | null;

/** A command line up to the cursor. Nothing in it is expanded: `$(date)` stays as it is. */
export interface ShellWords {
  /** Words without their quotes, from the program's name on; the last ends at the cursor. */
  readonly words: readonly string[];
  /** How much of the last word (UTF-16 code units) readline keeps: it replaces what follows the last break or open quote. */
  readonly kept: number;
  readonly quote: OpenQuote;
}

/** Part of a word. */
interface Piece {
  readonly text: string;
  /** Whether readline keeps what is before the piece, and the piece too; by default it keeps what it kept before. */
  readonly keeps?: "before" | "all";
  readonly quote?: OpenQuote;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Of which parts a line consists. The groups `space` and `end` are between words and between commands. */
interface Dialect {
  readonly part: RegExp;
  readonly read: (groups: Groups) => Piece;
}

function splitLine(line: string, { part, read }: Dialect): ShellWords {
  let words: string[] = [];
  let word: { readonly text: string; readonly kept: number } | null = null;
  let quote: OpenQuote = null;
  for (const { groups = {} } of line.matchAll(part)) {
    if (groups["space"] !== undefined || groups["end"] !== undefined) {
      if (word !== null) words.push(word.text);
      if (groups["end"] !== undefined) words = [];
      word = null;
    } else {
      const piece = read(groups);
      word = append(word ?? { text: "", kept: 0 }, piece);
      quote = piece.quote ?? null;
    }
  }
  words.push(word?.text ?? "");
  // Variables that are set for the command alone.
  const first = words.findIndex((each) => !/^\w+=/.test(each));
  return { words: words.slice(Math.max(first, 0)), kept: word?.kept ?? 0, quote };
}

function append(word: { readonly text: string; readonly kept: number }, { text, keeps }: Piece) {
  const all = word.text + text;
  const kept = { before: word.text.length, all: all.length };
  return { text: all, kept: keeps === undefined ? word.kept : kept[keeps] };
}

const BASH_PART =
  /(?<space>\s+)|(?<end>[;|&()<>])|'(?<single>[^']*)(?<close1>'?)|"(?<double>(?:\\[\s\S]|[^"\\])*)(?<close2>"|\\?)|\\(?<escaped>[\s\S]?)|(?<plain>[\s\S])/gu;

/**
 * Splits a line as bash does.
 * @param breaks COMP_WORDBREAKS: where readline begins a word, too
 */
export function splitBashLine(line: string, breaks: string): ShellWords {
  return splitLine(line, {
    part: BASH_PART,
    read({ single, close1, double, close2, escaped, plain = "" }) {
      if (single !== undefined) return quotedPiece(single, close1, "'");
      if (double !== undefined) return quotedPiece(unescapeQuoted(double, /\\(["\\$`\n])/g), close2, '"');
      if (escaped !== undefined) return { text: escaped === "\n" ? "" : escaped };
      return breaks.includes(plain) ? { text: plain, keeps: "all" } : { text: plain };
    },
  });
}

function quotedPiece(text: string, closing: string | undefined, quote: "'" | '"'): Piece {
  return closing === quote ? { text } : { text, keeps: "before", quote };
}

/** A backslash before a line feed removes it. */
function unescapeQuoted(text: string, escapes: RegExp): string {
  return text.replace(escapes, (_, char: string) => (char === "\n" ? "" : char));
}

const FISH_PART =
  /(?<space>\s+)|'(?<single>(?:\\[\s\S]|[^'\\])*)(?:'|\\?)|"(?<double>(?:\\[\s\S]|[^"\\])*)(?:"|\\?)|\\[xXuU](?<code>[0-9a-fA-F]{1,8})|\\(?<escaped>[\s\S]?)|(?<plain>[\s\S])/gu;

const FISH_ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", e: "\x1b", "\n": "" };

/** Splits a line as fish does; the line is that of one command. */
export function splitFishLine(line: string): readonly string[] {
  return splitLine(line, {
    part: FISH_PART,
    read({ single, double, code, escaped, plain = "" }) {
      if (single !== undefined) return { text: unescapeQuoted(single, /\\(['\\])/g) };
      if (double !== undefined) return { text: unescapeQuoted(double, /\\(["\\$\n])/g) };
      if (code !== undefined) return { text: characterOf(Number.parseInt(code, 16)) };
      return { text: escaped === undefined ? plain : (FISH_ESCAPES[escaped] ?? escaped) };
    },
  }).words;
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
