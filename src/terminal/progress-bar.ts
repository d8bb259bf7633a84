import type { WorkProgress } from "../../service/store/store.js";
import type { TextSink } from "./text-sink.js";

export interface ProgressBarOptions {
  readonly quiet: boolean;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: () => boolean;
}

const MAX_WIDTH = 30;

/** What a terminal writes after the line when the work is interrupted. On a second line, the first could not be erased. */
const ECHO = "^C";

export type ProgressBar = ReturnType<typeof createProgressBar>;

/** Shows how far long work has come in the last line of a terminal; elsewhere, and with `--quiet`, nothing. */
export function createProgressBar(stderr: Omit<TextSink, "rows">, { quiet, unicode }: ProgressBarOptions) {
  let shown = "";
  const show = (text: string): void => {
    if (quiet || !stderr.isTerminal || text === shown) return;
    shown = text;
    stderr.show(text === "" ? null : text).catch(() => undefined);
  };
  return {
    show: (progress: WorkProgress) =>
      show(formatProgress(progress, (stderr.columns ?? 80) - ECHO.length, unicode())),
    /** Removes it. */
    clear: () => show(""),
  };
}

/** The longest text that fits on one line: a wrapped line could not be erased completely. */
function formatProgress({ what, done, total }: WorkProgress, columns: number, unicode: boolean): string {
  if (total === 0) return what.slice(0, columns - 1);
  const part = Math.min(1, done / total);
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  const width = Math.min(MAX_WIDTH, columns - what.length - percent.length - 3);
  if (width < 8) return what.length + percent.length + 1 < columns ? `${what} ${percent}` : percent.trim();
  const [full, empty] = unicode ? ["█", "░"] : ["#", "-"];
  const filled = Math.round(part * width);
  return `${what} ${percent} ${full.repeat(filled)}${empty.repeat(width - filled)}`;
}
