import { graphemesOf, textWidth, WIDE } from "./text-width.js";

export interface WrapOptions {
  /** Columns of a line; Infinity for no limit. */
  readonly width: number;
  /** Whether a word that is too long by itself is broken; otherwise its line is too long. */
  readonly breakWords: boolean;
}

/** After white space, and on both sides of a wide character with its marks: there are no spaces in Japanese. */
const BREAKS = new RegExp(
  `(?<=\\s)(?=\\S)|(?<=${WIDE.source}\\p{M}*)(?!\\p{M})|(?=(?!\\p{M})${WIDE.source})`,
  "u",
);

/** Text as lines: broken at its own line feeds, at spaces, and beside wide characters. Tabs become spaces. */
export function wrapText(text: string, options: WrapOptions): readonly string[] {
  return text
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => (textWidth(line) <= options.width ? [line.trimEnd()] : wrapLine(line, options)));
}

function wrapLine(line: string, options: WrapOptions): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const piece of piecesOf(line, options)) {
    if (current !== "" && textWidth(current + piece.trimEnd()) > options.width) {
      lines.push(current.trimEnd());
      current = piece.trimStart();
    } else {
      current += piece;
    }
  }
  return [...lines, current.trimEnd()];
}

function piecesOf(line: string, { width, breakWords }: WrapOptions): readonly string[] {
  return line
    .split(BREAKS)
    .flatMap((piece) => (breakWords && textWidth(piece.trimEnd()) > width ? graphemesOf(piece) : [piece]));
}
