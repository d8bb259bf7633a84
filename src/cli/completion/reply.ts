import { sanitizeLine } from "../../output/sanitize.js";
import type { Completion } from "./candidates.js";

/** Completes words: those after the name of the program, of which the last ends at the cursor. */
type Complete = (words: readonly string[]) => Completion;

/** Records end with a null character, the only one that no argument can have. The first says whether files are meant. */
function records(completion: Completion, rest: readonly string[]): string {
  return [completion.files ? "files" : "words", ...rest].map((text) => `${text}\0`).join("");
}

/** Values of COMP_TYPE when bash lists what fits and inserts nothing that differs. */
const LISTING = ["33", "63", "64"];

/** Writes what a shell is told about the words at its cursor. */
type Reply = (args: readonly string[], complete: Complete) => string | Promise<string>;

/** What the scripts of `calctl completion` ask with `__complete SHELL …`, by shell. */
export const REPLIES: Readonly<Record<string, Reply>> = {
  /** COMP_TYPE, COMP_WORDBREAKS, columns and the line to the cursor; then what readline puts in place of the word. */
  async bash([type = "", breaks = "", columns = "", line = ""], complete) {
    const { words, kept, quote } = splitBashLine(line, breaks);
    const completion = complete(words.slice(1));
    const start = (words.at(-1) ?? "").slice(0, kept);
    const fitting = completion.candidates.filter(({ value }) => value.startsWith(start));
    const texts = fitting.map(({ value }) => {
      const quoted = quoteForBash(value.slice(kept), quote);
      return quote === null ? quoted : besideQuotes(quoted, { quote, isOnly: fitting.length === 1 });
    });
    if (!LISTING.includes(type) || fitting.length < 2 || quote !== null) return records(completion, texts);
    const listed = fitting.map(({ description }, index) => ({ shown: texts[index] ?? "", description }));
    return records(completion, await alignWords(listed, columns));
  },

  /** Columns and the words; then values, each followed by how it is listed. zsh quotes them itself. */
  async zsh([columns = "", ...words], complete) {
    const completion = complete(words);
    const { candidates } = completion;
    const listed = candidates.map(({ value, description }) => ({
      shown: sanitizeLine(value.replace(/^-[^=]*=/, "")),
      description,
    }));
    const lines = await alignWords(listed, columns);
    return records(
      completion,
      candidates.flatMap(({ value }, index) => [value, lines[index] ?? ""]),
    );
  },

  /** The line to the cursor; then values, each with its description after a tab. fish quotes them itself. */
  fish([line = ""], complete) {
    const completion = complete(splitFishLine(line).slice(1));
    const texts = completion.candidates.map(
      ({ value, description }) => `${value}\t${sanitizeLine(description)}`,
    );
    return records(completion, texts);
  },

  /** JSON of the words in base64; then JSON in ASCII, so that neither depends on encodings and quoting of PowerShell. */
  powershell([encoded = ""], complete) {
    const words: unknown = JSON.parse(Buffer.from(encoded, "base64").toString("utf8"));
    const { files, candidates } = complete(Array.isArray(words) ? words.map(String) : []);
    const results = candidates.map(({ value, description }) => ({
      text: quoteForPowerShell(value),
      // Neither may be empty.
      shown: sanitizeLine(value) || " ",
      tip: sanitizeLine(description) || sanitizeLine(value) || " ",
    }));
    const json = JSON.stringify({ files, results });
    return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  },
};

/** Readline takes a quote at the beginning of a text for the one that is open, and at its end for the closing one. */
function besideQuotes(
  text: string,
  { quote, isOnly }: { readonly quote: string; readonly isOnly: boolean },
): string {
  const opening = text.startsWith(quote) ? quote : "";
  return opening + text + (isOnly && text.endsWith(quote) ? quote : "");
}

/** A word as a shell lists it. */
interface ListedWord {
  readonly shown: string;
  /** May be empty. */
  readonly description: string;
}

/** Columns of the words; a longer one moves its description. */
const MAX_COLUMN = 32;

/**
 * One line for each word, with the descriptions below each other, and cut where the terminal ends.
 * @param columns of the terminal, as text
 */
export async function alignWords(words: readonly ListedWord[], columns: string): Promise<readonly string[]> {
  if (words.every(({ description }) => description === "")) return words.map(({ shown }) => shown);
  // Its tables of characters are large.
  const { padText, textWidth, truncateText } = await import("../../output/table/text-width.js");
  // The last column stays free, so that no line is broken.
  const width = Math.max(Number.parseInt(columns, 10) || 80, 20) - 1;
  const column = Math.min(Math.max(...words.map(({ shown }) => textWidth(shown))), MAX_COLUMN);
  return words.map(({ shown, description }) =>
    description === ""
      ? shown
      : truncateText(`${padText(shown, column)}  ${sanitizeLine(description)}`, width),
  );
}

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
type OpenQuote = "'" | '"' | null;

/** A command line up to the cursor. Nothing in it is expanded: `$(date)` stays as it is. */
interface ShellWords {
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
