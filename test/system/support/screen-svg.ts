import xterm, { type IBufferCell } from "@xterm/headless";

/** Draws what a terminal shows as a picture. */

interface Theme {
  readonly background: string;
  readonly foreground: string;
  readonly border: string;
}

export const THEMES = {
  light: { background: "#ffffff", foreground: "#1f2328", border: "#d1d9e0" },
  dark: { background: "#0d1117", foreground: "#e6edf3", border: "#3d444d" },
} as const;

/** Size of a character, and the space around all of them. */
const CELL = { width: 8.4, height: 20 };
const PADDING = 16;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const FONT_SIZE = 14;
/** From the top of a character to its baseline. */
const BASELINE = 15;

export interface ScreenPicture {
  /** Text with escape sequences. */
  readonly screen: string;
  /** What the picture shows, for those who cannot see it. */
  readonly title: string;
  readonly theme: Theme;
}

/** @returns an SVG document */
export async function drawScreen({ screen, title, theme }: ScreenPicture): Promise<string> {
  const lines = await readLines(screen);
  const columns = Math.max(...lines.flatMap((runs) => runs.map(({ column, width }) => column + width)));
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = lines.length * CELL.height + 2 * PADDING;
  const texts = lines.flatMap((runs, row) => runs.map((run) => drawRun(run, row)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="${theme.background}" stroke="${theme.border}"/>`,
    `<g font-family="${FONT}" font-size="${FONT_SIZE}" fill="${theme.foreground}" xml:space="preserve">`,
    ...texts,
    "</g>",
    "</svg>",
  ].join("\n")}\n`;
}

/** Characters of one style that stand beside each other. */
interface Run {
  readonly column: number;
  readonly text: string;
  /** Columns. */
  readonly width: number;
  readonly style: string;
}

async function readLines(screen: string): Promise<readonly (readonly Run[])[]> {
  const rows = screen.split("\n");
  const terminal = new xterm.Terminal({ cols: 200, rows: rows.length, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(rows.join("\r\n"), done));
  return rows.map((_, row) => runsOf(cellsOf(terminal, row)));
}

interface Cell {
  readonly column: number;
  readonly text: string;
  readonly width: number;
  readonly style: string;
}

function cellsOf(terminal: InstanceType<typeof xterm.Terminal>, row: number): readonly Cell[] {
  const line = terminal.buffer.active.getLine(row);
  const cells = Array.from({ length: terminal.cols }, (_, column) => ({
    column,
    cell: line?.getCell(column),
  }));
  return cells.flatMap(({ column, cell }) =>
    cell === undefined || cell.getWidth() === 0
      ? []
      : [{ column, text: cell.getChars() || " ", width: cell.getWidth(), style: styleOf(cell) }],
  );
}

function runsOf(cells: readonly Cell[]): readonly Run[] {
  const runs: Run[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last?.style === cell.style && last.column + last.width === cell.column) {
      runs[runs.length - 1] = { ...last, text: last.text + cell.text, width: last.width + cell.width };
    } else {
      runs.push(cell);
    }
  }
  return runs.map(withoutOuterSpaces).filter(({ text }) => text !== "");
}

function withoutOuterSpaces(run: Run): Run {
  const left = run.text.length - run.text.trimStart().length;
  const text = run.text.trim();
  return { ...run, text, column: run.column + left, width: run.width - (run.text.length - text.length) };
}

function styleOf(cell: IBufferCell): string {
  return [
    cell.isBold() ? 'font-weight="bold"' : "",
    cell.isDim() ? 'fill-opacity="0.6"' : "",
    cell.isFgPalette() ? `fill="${paletteColor(cell.getFgColor())}"` : "",
  ]
    .filter((attribute) => attribute !== "")
    .join(" ");
}

/** The first eight colors of a terminal with 256, whose others have fixed values. */
const BASIC_COLORS = ["#000000", "#cf222e", "#1a7f37", "#9a6700", "#0969da", "#8250df", "#1b7c83", "#6e7781"];
/** The levels of red, green and blue in the cube of colors 16 to 231. */
const LEVELS = [0, 95, 135, 175, 215, 255];

function paletteColor(index: number): string {
  if (index < 16) return BASIC_COLORS[index % 8] ?? "";
  if (index > 231) return hexColor([0, 0, 0].map(() => 8 + 10 * (index - 232)));
  const offset = index - 16;
  return hexColor(
    [Math.floor(offset / 36), Math.floor(offset / 6) % 6, offset % 6].map((level) => LEVELS[level] ?? 0),
  );
}

function hexColor(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** Stretched to its columns, whatever the font. */
function drawRun({ column, text, width, style }: Run, row: number): string {
  const x = rounded(PADDING + column * CELL.width);
  const y = PADDING + row * CELL.height + BASELINE;
  const size = `textLength="${rounded(width * CELL.width)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${x}" y="${y}" ${size}${style === "" ? "" : ` ${style}`}>${escapeXml(text)}</text>`;
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
