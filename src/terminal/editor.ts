import type { StdioOptions } from "node:child_process";
import { join } from "node:path";
import type { Environment } from "../config/environment.js";
import { CliError, errorCodeOf, fileProblemOf, usageError } from "../errors.js";
import { decodeText, withoutLastNewline } from "./input.js";

export interface EditorOptions {
  readonly env: Environment;
  /** As Node names it. */
  readonly platform: string;
  /** Starts handling signals, and aborts on one that ends the program. */
  readonly signal: () => AbortSignal;
  /** Does work during which Ctrl-C is left to the editor. */
  readonly ignoreInterrupt: <T>(work: () => Promise<T>) => Promise<T>;
  readonly warn: (text: string) => void;
}

const SET_HINT = "set VISUAL or EDITOR to the command of an editor, such as nano";

/** The user's own editor. */
export type Editor = ReturnType<typeof createEditor>;

/**
 * A file that can be opened in the editor. Both functions throw CliError interrupted when the editor ends with an error
 * or removes the file, usage when it cannot be started or what it saved is not UTF-8, failed when the file cannot be
 * written or read.
 */
interface EditedFile {
  /** Opens a text and resolves with what was saved. */
  edit(text: string): Promise<string>;
  /** Opens an empty file and resolves with what was saved, without the newline that editors add. */
  write(): Promise<string>;
}

/** Loads what it needs when a file is created. */
export function createEditor(options: EditorOptions) {
  const { env, warn } = options;
  const command = env["VISUAL"]?.trim() || env["EDITOR"]?.trim() || null;
  return {
    /** The command line of `VISUAL`, else of `EDITOR`; null when neither is set. */
    command,

    /** @param source the flag, for the message. @throws CliError usage when there is no editor */
    requireCommand(source: string): void {
      if (command === null) throw usageError(`${source}: there is no editor to open`, SET_HINT);
    },
    /**
     * Does work with a file that only its owner can read, and removes the file. If the work fails, a file with something
     * new in it stays, with a note of its path.
     * @param name of the file, whose ending editors look at
     * @throws CliError usage when there is no editor, failed when the file cannot be created
     */
    async withFile<T>(name: string, work: (file: EditedFile) => Promise<T>): Promise<T> {
      if (command === null) throw usageError("there is no editor to open", SET_HINT);
      const [{ mkdtemp, rm }, { tmpdir }] = await Promise.all([
        import("node:fs/promises"),
        import("node:os"),
      ]);
      const parent = tmpdir();
      const folder = await mkdtemp(join(parent, "calctl-")).catch((cause: unknown) => {
        throw fileError(`no file can be created in ${parent}`, cause);
      });
      const path = join(folder, name);
      let original: string | undefined;
      const edit = (text: string): Promise<string> => {
        original ??= text;
        return editFile({ command, path, text }, options);
      };
      const remove = () => rm(folder, { recursive: true, force: true });
      try {
        const result = await work({ edit, write: async () => withoutLastNewline(await edit("")) });
        await remove();
        return result;
      } catch (error) {
        if (await hasNewText(path, original)) warn(`your text is kept in ${path}`);
        else await remove();
        throw error;
      }
    },
  };
}

interface Editing {
  /** The command line of the editor. */
  readonly command: string;
  readonly path: string;
  readonly text: string;
}

async function editFile({ command, path, text }: Editing, options: EditorOptions): Promise<string> {
  const { readFile, writeFile } = await import("node:fs/promises");
  await writeFile(path, text, { mode: 0o600 }).catch((cause: unknown) => {
    throw fileError(`${path} cannot be written`, cause);
  });
  await runEditor(command, path, options);
  const saved = await readFile(path).catch((cause: unknown) => {
    if (errorCodeOf(cause) !== "ENOENT") throw fileError(`${path} cannot be read`, cause);
    throw new CliError("interrupted", `the editor "${command}" removed the file`, { cause });
  });
  return decodeText(saved, path);
}

/** Whether a file has something that its user may want to keep. */
async function hasNewText(path: string, original: string | undefined): Promise<boolean> {
  const { readFile } = await import("node:fs/promises");
  try {
    const text = await readFile(path, "utf8");
    return text.trim() !== "" && text !== original;
  } catch (error) {
    return errorCodeOf(error) !== "ENOENT";
  }
}

function fileError(problem: string, cause: unknown): CliError {
  return new CliError("failed", `${problem} (${fileProblemOf(cause)})`, { cause });
}

/** Exit codes of a shell that cannot start the program; 9009 is that of cmd. */
const NOT_STARTED: ReadonlySet<number | null> = new Set([126, 127, 9009]);

/** The shell that runs the command line with the path after it: on Windows cmd, with its own rules for quotes. */
function shellCommand(
  command: string,
  path: string,
  { env, platform }: Pick<EditorOptions, "env" | "platform">,
): readonly [shell: string, ...args: string[]] {
  if (platform === "win32") return [env["ComSpec"] || "cmd.exe", "/d", "/s", "/c", `"${command} "${path}""`];
  // The shell waits for the editor, too; `trap ""` would also make the editor ignore Ctrl-C.
  return ["sh", "-c", `trap : INT; ${command} "$@"`, command, path];
}

/** Runs the command line with the path after it, as git does. @see git-var(1) GIT_EDITOR */
async function runEditor(
  command: string,
  path: string,
  { env, platform, signal: startSignal, ignoreInterrupt }: EditorOptions,
): Promise<void> {
  const { spawn } = await import("node:child_process");
  const signal = startSignal();
  signal.throwIfAborted();
  const exitCode = await ignoreInterrupt(async () => {
    // stdout is for data.
    const stdio: StdioOptions = ["inherit", 2, 2];
    const [shell, ...args] = shellCommand(command, path, { env, platform });
    const child = spawn(shell, args, { stdio, env: { ...env }, windowsVerbatimArguments: true });
    const onAbort = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", onAbort, { once: true });
    return new Promise<number | null>((resolve, reject) => {
      child.once("error", (cause) => reject(fileError("no shell to start the editor", cause)));
      child.once("close", resolve);
    }).finally(() => signal.removeEventListener("abort", onAbort));
  });
  signal.throwIfAborted();
  if (NOT_STARTED.has(exitCode)) throw usageError(`the editor "${command}" could not be started`, SET_HINT);
  if (exitCode !== 0)
    throw new CliError("interrupted", `the editor "${command}" ended with ${exitCode ?? "a signal"}`);
}
