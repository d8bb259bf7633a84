import { PassThrough, Writable } from "node:stream";
import xterm from "@xterm/headless";
import type { ProcessLike } from "../../src/run/machine.js";
import { createHarness, type Harness, type HarnessOptions } from "./harness.js";

/** What a user sees and types: a terminal in this process. */
interface VirtualTerminal {
  /** The streams of the next run, each connected to this terminal. */
  connect(): Pick<ProcessLike, "stdin" | "stdout" | "stderr">;
  /** Types names of keys (`Enter`, `C-u`) and, after a colon, text. */
  type(...keys: readonly string[]): void;
  /** Waits until the screen shows the text. */
  shows(text: string): Promise<void>;
  /** Waits for each text before it types the keys after it. */
  answer(answers: readonly Answer[]): Promise<void>;
  /** The visible screen, without trailing spaces. */
  screen(): string;
  /** All that was shown since it was last cleared, with wrapped lines joined. */
  text(): string;
  clear(): void;
}

type Answer = readonly [shown: string, ...keys: string[]];

/** As long as `expect.poll` waits (ms): see `vitest.config.ts`. */
const PATIENCE = 120_000;

const ROWS = 30;

const KEYS: Readonly<Record<string, string>> = {
  Enter: "\r",
  Escape: "\u001b",
  Space: " ",
  Up: "\u001b[A",
  Down: "\u001b[B",
  "C-c": "\u0003",
  "C-t": "\u0014",
  "C-u": "\u0015",
};

/** A user at a terminal. */
export interface TerminalWorld extends Harness, VirtualTerminal {
  /**
   * Runs a command line, without `calctl`, on an empty screen, which shows `exit N` at its end.
   * @param streams used instead of the terminal
   */
  start(line: string | readonly string[], streams?: Partial<ReturnType<VirtualTerminal["connect"]>>): void;
}

interface TerminalWorldOptions extends HarnessOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Creates the harness that the terminal uses; `createHarness` by default. */
  readonly create?: (options: HarnessOptions) => Promise<Harness>;
}

export async function createTerminalWorld(options: TerminalWorldOptions = {}): Promise<TerminalWorld> {
  const { columns = 80, env: extra = {}, create = createHarness, ...rest } = options;
  const harness = await create({ timeZone: "UTC", ...rest });
  const terminal = openVirtualTerminal(columns);
  const env = { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] ?? "", ...extra };
  return {
    ...harness,
    ...terminal,
    start(line, streams = {}) {
      terminal.clear();
      const argv = typeof line === "string" ? split(line) : line;
      const connected = terminal.connect();
      void harness
        .runWith({ env, streams: { ...connected, ...streams } }, ...argv)
        .then(({ exitCode }) => connected.stderr.write(`exit ${exitCode}\n`, () => undefined));
    },
  };
}

/** Splits a line as a shell does, with quotes but no other syntax. */
function split(line: string): readonly string[] {
  return Array.from(
    line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g),
    ([word, single, double]) => single ?? double ?? word,
  );
}

function openVirtualTerminal(columns: number): VirtualTerminal {
  const options = { cols: columns, rows: ROWS, convertEol: true, allowProposedApi: true };
  const terminal = new xterm.Terminal(options);
  const watchers = new Set<() => void>();
  const write = async (text: string | Uint8Array): Promise<void> => {
    await new Promise<void>((done) => terminal.write(text, done));
    for (const watch of watchers) watch();
  };
  let keyboard = new PassThrough();
  const lines = (from: number): readonly string[] => {
    const shown: string[] = [];
    const { active } = terminal.buffer;
    for (let row = from; row < active.length; row += 1)
      shown.push(active.getLine(row)?.translateToString(true) ?? "");
    return shown;
  };
  const screen = () => lines(terminal.buffer.active.baseY).join("\n").trimEnd();
  const type: VirtualTerminal["type"] = (...keys) => {
    for (const key of keys) keyboard.write(key.startsWith(":") ? key.slice(1) : (KEYS[key] ?? key));
  };
  const shows = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (screen().includes(text)) end(resolve);
      };
      const overdue = setTimeout(
        () => end(() => reject(new Error(`the screen does not show "${text}" but:\n${screen()}`))),
        PATIENCE,
      );
      const end = (settle: () => void) => {
        clearTimeout(overdue);
        watchers.delete(watch);
        settle();
      };
      watchers.add(watch);
      watch();
    });
  return {
    connect() {
      keyboard = new PassThrough();
      const output = new Writable({
        decodeStrings: false,
        write: (chunk, _encoding, done) => void write(chunk).then(() => done()),
      });
      // A prompt closes its output at its end, which does not close stderr.
      const stay = { end: () => undefined, destroy: () => undefined };
      const stream = Object.assign(output, stay, { isTTY: true, columns, rows: ROWS });
      return {
        stdin: Object.assign(keyboard, { isTTY: true, setRawMode: () => undefined }),
        stdout: stream,
        stderr: stream,
      };
    },
    type,
    shows,
    async answer(answers) {
      for (const [shown, ...keys] of answers) {
        await shows(shown);
        type(...keys);
      }
    },
    screen,
    text() {
      const { active } = terminal.buffer;
      return lines(0)
        .map((line, row) => (active.getLine(row)?.isWrapped === true ? line : `\n${line}`))
        .join("")
        .trim();
    },
    clear: () => terminal.reset(),
  };
}
