import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { type Installation, PROGRAM } from "./spawned.js";

export interface Terminal {
  type(...keys: readonly string[]): void;
  /** The visible screen, without trailing spaces. */
  screen(): string;
  /** Waits until the screen shows the text. */
  shows(text: string): Promise<void>;
}

/** A real terminal with a shell in it, in which `calctl` is the built program. */
export function openTerminal(installation: Installation, size: { readonly columns: number }): Terminal {
  const socket = `calctl-${randomBytes(6).toString("hex")}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], {
      env: { ...installation.env, TERM: "xterm-256color" },
      encoding: "utf8",
    });
  const shell = `calctl() { "${process.execPath}" "${PROGRAM}" "$@"; }; PS1='$ ' HISTFILE=`;
  tmux("new-session", "-d", "-x", String(size.columns), "-y", "30", "bash --norc --noprofile");
  onTestFinished(() => void tmux("kill-server"));
  const terminal: Terminal = {
    type: (...keys) => void tmux("send-keys", ...keys),
    screen: () => tmux("capture-pane", "-p").trimEnd(),
    shows: async (text) => {
      await expect.poll(() => terminal.screen(), { timeout: 15_000 }).toContain(text);
    },
  };
  terminal.type(shell, "Enter");
  terminal.type("clear", "Enter");
  return terminal;
}
