import stringWidth from "fast-string-width";
import { MAX_MARKS } from "../sanitize.js";

/** Measures text in columns of a terminal, and cuts and wraps it by grapheme cluster. @see UAX #11, UAX #29 */

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** Zero width, but not to the library: formatting that does not join an emoji, vowels and finals of Hangul syllables. */
const ZERO_WIDTH =
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d\p{Extended_Pictographic}|[\u{e0020}-\u{e007f}])[\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/gu;
/** Marks that take a column, as in Hindi, but not to the library. */
const SPACING_MARK = /\p{Mc}/gu;

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Columns that one line of sanitized text takes. */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return stringWidth(text.replace(ZERO_WIDTH, "").replace(SPACING_MARK, "_"));
}

/** The largest of some widths; 0 without one. They may be more than a call takes arguments. */
export function widestOf(widths: readonly number[]): number {
  return widths.reduce((widest, width) => Math.max(widest, width), 0);
}

/** The text as it is, or cut to `width` columns with `…` at its end. */
export function truncateText(text: string, width: number): string {
  // None takes more columns than two for each UTF-16 unit.
  if (text.length * 2 <= width) return text;
  let truncated = "";
  let used = 0;
  for (const grapheme of eachGrapheme(text)) {
    used += textWidth(grapheme);
    if (used > width) return `${truncated.trimEnd()}…`;
    if (used < width) truncated += grapheme;
  }
  return text;
}

/** The text with spaces after it, up to `width` columns. */
export function padText(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

/** UTF-16 units that are split at a time: Node 20 copies the whole text for each of its characters. */
const WINDOW = 256;

/** The user-perceived characters of a text, found as they are asked for. */
export function* eachGrapheme(text: string): Generator<string> {
  let size = WINDOW;
  for (let start = 0; start < text.length; ) {
    const window = text.slice(start, start + size);
    const isLast = start + size >= text.length;
    let end = 0;
    for (const segment of PRINTABLE_ASCII.test(window) ? window : segmentsOf(window)) {
      // The last one may go on after the window, which may end with half a character.
      if (!isLast && end + segment.length >= window.length - 1) break;
      end += segment.length;
      yield segment;
      if (size > WINDOW) break;
    }
    start += end;
    size = end === 0 ? size * 2 : WINDOW;
  }
}

function* segmentsOf(text: string): Generator<string> {
  for (const { segment } of GRAPHEMES.segment(text)) yield segment;
}

export interface WrapOptions {
  /** Columns of a line; Infinity for no limit. */
  readonly width: number;
  /** Whether a word longer than a line is broken; otherwise its line is too long. */
  readonly breakWords: boolean;
}

const EAST_ASIAN = "[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\uff01-\\uff60]";
/** After white space, and on both sides of an East Asian character with its marks, since Japanese has no spaces. */
const BREAKS = new RegExp(
  `(?<=\\s)(?=\\S)|(?<=${EAST_ASIAN}\\p{M}{0,${MAX_MARKS}})(?!\\p{M})|(?=(?!\\p{M})${EAST_ASIAN})`,
  "u",
);

/** UTF-16 units that are wrapped: more than any text that the contract allows, escapes included. */
const MAX_WRAPPED = 100_000;

/** Columns of text that are read with ease, as those of help. */
const READABLE = 100;

/**
 * Wraps sanitized text at line feeds, at spaces, and next to wide characters. Tabs become spaces. Of a text that is longer
 * than anybody reads, the last line says how much is missing. On a wide terminal, only a word takes more than 100 columns.
 */
export function wrapText(text: string, options: WrapOptions): readonly string[] {
  const shown = text.slice(0, MAX_WRAPPED).replace(/[\ud800-\udbff]$/, "");
  const missing = text.length - shown.length;
  const room = Number.isFinite(options.width) ? Math.min(options.width, READABLE) : options.width;
  const lines = shown
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) =>
      textWidth(line) <= room ? [line.trimEnd()] : wrapLine(piecesOf(line, options), room),
    );
  return missing === 0 ? lines : [...lines, `… and ${missing} more characters`];
}

/** Words that continue a sentence after a command. */
const AFTER_COMMAND =
  "again|and|announces|as|asks|can|cannot|changed|could|deletes|does|failed|has|is|keeps|lists|makes|or|posts|says|sends|shows|stores|takes|to|used";

/** A command with its variables, up to such a word, and to a comma outside of quotes; or a flag with its value. */
const COMMAND = new RegExp(
  `(?:\\b[A-Z_]{1,40}=\\S{1,100} ){0,3}\\b(?:calctl|chmod|apt-get|ssh)(?: (?!(?:${AFTER_COMMAND})\\b)(?:'[^']*'|"[^"]*"|[^\\s,;\`]+))+|--?[a-z][a-z-]{0,40} [A-Z0-9<][^\\s,;]*`,
  "g",
);
/** Stands for a space at which a line is not broken: a noncharacter, which Unicode keeps for such uses. */
const KEPT_SPACE = "\ufdd0";

/** Wraps a message at spaces, but not inside a command, even if it takes more than a line: half of one would run, too. */
export function wrapMessage(text: string, width: number): readonly string[] {
  const kept = text.replace(COMMAND, (command) => command.replaceAll(" ", KEPT_SPACE));
  return wrapText(kept, { width, breakWords: false }).map((line) => line.replaceAll(KEPT_SPACE, " "));
}

function wrapLine(pieces: readonly string[], room: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const piece of pieces) {
    const fits = current === "" || used + textWidth(piece.trimEnd()) <= room;
    if (!fits) lines.push(current.trimEnd());
    const added = fits ? piece : piece.trimStart();
    current = fits ? current + added : added;
    used = (fits ? used : 0) + textWidth(added);
  }
  return [...lines, current.trimEnd()];
}

function piecesOf(line: string, { width, breakWords }: WrapOptions): readonly string[] {
  return line
    .split(BREAKS)
    .flatMap((piece) =>
      breakWords && textWidth(piece.trimEnd()) > width ? [...eachGrapheme(piece)] : [piece],
    );
}
