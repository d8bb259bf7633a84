/** What calctl draws with beside letters. */
export interface Symbols {
  /** In the color of what follows. */
  readonly dot: string;
  /** Before a name, in the color of its calendar or label, without a space. */
  readonly bar: string;
  readonly running: string;
  readonly arrow: string;
  readonly dash: string;
}

const UNICODE: Symbols = { dot: "●", bar: "▌", running: "▸", arrow: "→", dash: "–" };
const ASCII: Symbols = { dot: "*", bar: "|", running: ">", arrow: "->", dash: "-" };

/** @param capabilities.unicode whether it shows more than ASCII */
export function symbolsOf({ unicode }: { readonly unicode: boolean }): Symbols {
  return unicode ? UNICODE : ASCII;
}
