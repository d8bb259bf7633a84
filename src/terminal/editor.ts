import type { StdioOptions } from "node:child_process";
import { join } from "node:path";
import type { Environment } from "../config/environment.js";
import { CliError, DryRunStop, errorCodeOf, usageError } from "../errors.js";

export interface EditorOptions {
  readonly env: Environment;
  /** Starts handling signals: Ctrl-C belongs to the editor while it is open. */
  readonly signal: () => AbortSignal;
  readonly warn: (text: string) => void;
}

/** The user's own editor. */
export interface Editor {
  /** The command line of `VISUAL`, else of `EDITOR`; null when neither is set. */
  readonly command: string | null;
  /** Creates a file that only its owner can read. @param name of the file, whose ending editors look at */
  createFile(name: string): Promise<EditedFile>;
}

/** A file that exists until it is removed. */
export interface EditedFile {
  readonly path: string;
  /**
   * Writes the text to the file, opens it in the editor and resolves with what was saved.
   * @throws CliError usage when there is no editor, interrupted when it ends with an error
   */
  edit(text: string): Promise<string>;
  remove(): Promise<void>;
  /** Does work with what was saved, then removes the file. If the work fails, the file stays, with a note of its path. */
  removeAfter<T>(work: () => Promise<T>): Promise<T>;
}

const SET_HINT = "set VISUAL or EDITOR to the command of an editor, such as nano";

/** Loads what it needs when a file is created. */
export function createEditor({ env, signal, warn }: EditorOptions): Editor {
  const command = env["VISUAL"]?.trim() || env["EDITOR"]?.trim() || null;
  return {
    command,
    async createFile(name) {
      if (command === null) throw usageError("there is no editor to open", SET_HINT);
      const [{ existsSync }, { mkdtemp, readFile, rm, writeFile }, { tmpdir }] = await Promise.all([
        import("node:fs"),
        import("node:fs/promises"),
        import("node:os"),
      ]);
      const folder = await mkdtemp(join(tmpdir(), "calctl-"));
      const path = join(folder, name);
      const remove = () => rm(folder, { recursive: true, force: true });
      return {
        path,
        remove,
        async edit(text) {
          await writeFile(path, text, { mode: 0o600 });
          try {
            await runEditor(command, path, { env, signal: signal() });
            return decode(await readFile(path), path);
          } catch (error) {
            if ((await readFile(path).catch(() => null))?.equals(Buffer.from(text)) === true) await remove();
            throw error;
          }
        },
        async removeAfter(work) {
          try {
            const result = await work();
            await remove();
            return result;
          } catch (error) {
            if (error instanceof DryRunStop) await remove();
            else if (existsSync(path)) warn(`what you wrote is kept in ${path}`);
            throw error;
          }
        },
      };
    },
  };
}

/** Exit codes of a shell that cannot start the program. */
const NOT_STARTED: ReadonlySet<number | null> = new Set([126, 127]);

/** Runs the command line with the path after it, as git does. @see git-var(1) GIT_EDITOR */
async function runEditor(
  command: string,
  path: string,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<void> {
  const { spawn } = await import("node:child_process");
  // stdout is for data.
  const stdio: StdioOptions = ["inherit", 2, 2];
  const child = spawn("sh", ["-c", `${command} "$@"`, command, path], { stdio, env: { ...env } });
  // Ctrl-C reaches the editor by itself.
  const onAbort = (): void => {
    if (!(signal.reason instanceof CliError) || signal.reason.exitCode !== 130) child.kill("SIGTERM");
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (cause) =>
      reject(
        new CliError("failed", `no shell to start the editor (${errorCodeOf(cause) ?? "unknown"})`, {
          cause,
        }),
      ),
    );
    child.once("close", resolve);
  }).finally(() => signal.removeEventListener("abort", onAbort));
  signal.throwIfAborted();
  if (NOT_STARTED.has(exitCode)) throw usageError(`the editor "${command}" could not be started`, SET_HINT);
  if (exitCode !== 0)
    throw new CliError("interrupted", `the editor "${command}" ended with ${exitCode ?? "a signal"}`);
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError("usage", `${path} is not UTF-8 text`, { cause });
  }
}
