import type { StdioOptions } from "node:child_process";
import type { Environment } from "../config/environment.js";

export interface PagerOptions {
  readonly env: Environment;
  /** Lines of the terminal; undefined where it is not one, or its size is not known. */
  readonly rows: number | undefined;
  /** Starts handling signals: Ctrl-C belongs to the pager while it is open. The signal is aborted by Ctrl-C. */
  readonly interruption: () => AbortSignal;
}

/** Text that fits is only printed (F), with its colors (R), and stays on the screen (X). */
const DEFAULT_PAGER = { program: "less", args: ["-FRX"] };

/**
 * Shows text that is longer than the screen in `$PAGER`, by default in less. Resolves with whether it did; if not, the
 * text must be written in another way. An empty PAGER and `cat` mean no pager. A pager that fails may have shown nothing:
 * it may not exist, not be executable, reject its arguments or be killed.
 */
export async function showInPager(text: string, options: PagerOptions): Promise<boolean> {
  const { env, rows, interruption } = options;
  const pager = env["PAGER"]?.trim();
  if (pager === "" || pager === "cat" || env["TERM"] === "dumb") return false;
  if (rows === undefined || rows === 0 || text.split("\n").length <= rows) return false;
  const signal = interruption();
  const { spawn } = await import("node:child_process");
  const stdio: StdioOptions = ["pipe", "inherit", "inherit"];
  const child =
    pager === undefined
      ? spawn(DEFAULT_PAGER.program, DEFAULT_PAGER.args, { stdio, env: { ...env } })
      : // The user's own command line, arguments included.
        spawn(pager, { stdio, env: { ...env }, shell: true });
  // A pager that is quit early has not read everything.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(text);
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0 || signal.aborted));
  });
}
