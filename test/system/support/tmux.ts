import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { type Installation, PROGRAM } from "../../support/spawned.js";

export interface Terminal {
  type(...keys: readonly string[]): void;
  /** Starts a line on an empty screen: what is seen from now on is not of the line before. */
  start(line: string): void;
  /** The visible screen, without trailing spaces. */
  screen(): string;
  /** Runs a line to its end on an empty screen. @returns what it left there, with escape sequences for colors */
  run(line: string): string;
  /** The same with wrapped lines joined. */
  text(): string;
  /** Waits until the screen shows the text. */
  shows(text: string): Promise<void>;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly rows?: number;
  /** What starts `calctl`, in front of Node: a command and its arguments for the shell. */
  readonly starter?: string;
  /** The command that runs in it, instead of a bash in which `calctl` is the built program. */
  readonly command?: string;
}

/** A real terminal with a shell in it. */
export function openTerminal(installation: Pick<Installation, "env">, options: TerminalOptions): Terminal {
  const { columns, rows = 30, starter = "", command } = options;
  const socket = `calctl-${randomBytes(6).toString("hex")}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], {
      env: { ...installation.env, TERM: "xterm-256color" },
      encoding: "utf8",
    });
  const shell = `calctl() { ${starter} "${process.execPath}" "${PROGRAM}" "$@"; }; PS1='$ ' HISTFILE=`;
  const started = command ?? "bash --norc --noprofile";
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), started);
  onTestFinished(() => void tmux("kill-server"));
  const terminal: Terminal = {
    type: (...keys) => void tmux("send-keys", ...keys),
    start: (line) => {
      // tmux empties the screen at once; the shell's `clear` comes later, and removes what was typed.
      tmux("send-keys", "-R");
      terminal.type("-l", "--", `clear; ${line}`);
      terminal.type("Enter");
    },
    screen: () => tmux("capture-pane", "-p").trimEnd(),
    run: (line) => {
      terminal.start(`${line}; tmux wait-for -S ended; read -rs`);
      tmux("wait-for", "ended");
      const screen = tmux("capture-pane", "-p", "-e").trimEnd();
      terminal.type("Enter");
      return screen;
    },
    text: () => tmux("capture-pane", "-p", "-J").trimEnd(),
    shows: async (text) => {
      await expect.poll(() => terminal.screen()).toContain(text);
    },
  };
  if (command !== undefined) return terminal;
  terminal.type(shell, "Enter");
  terminal.type("clear", "Enter");
  return terminal;
}
