import { runChildProcess, type SelfCommand } from "../child-process.js";
import { FILE_CHECK_ARGUMENT } from "../helper-arguments.js";
import type { Database } from "./driver.js";

/** How many problems of a file are reported. */
const MAX_PROBLEMS = 10;

/** What is wrong with the file of a database, as SQLite says it; nothing if it is intact. Takes 10 s for a gigabyte. */
export function checkFile(database: Pick<Database, "prepare">): string[] {
  const rows = database.prepare(`pragma integrity_check(${MAX_PROBLEMS})`).all([]);
  const texts = rows.map((row) => Object.values(row as object).join(" "));
  return texts.join() === "ok" ? [] : texts;
}

/** What `checkFileInChild` has another process do. */
export async function runFileCheck(path: string, stdout: { write(text: string): unknown }): Promise<void> {
  const { connect } = await import("./connection.js");
  const database = await connect(path);
  // On its own line, after what modules that NODE_OPTIONS loads may print.
  stdout.write(`\n${JSON.stringify(checkFile(database))}\n`);
}

export interface FileCheckOptions {
  /** Starts this program again. */
  readonly self: SelfCommand;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Does `checkFile` in a process of its own, because nothing but the end of the process interrupts SQLite there. Null when that
 * process cannot tell, such as for a file that is locked.
 * @throws the signal's reason
 */
export async function checkFileInChild(
  path: string,
  { self: [program, ...args], env, signal }: FileCheckOptions,
): Promise<readonly string[] | null> {
  const result = await runChildProcess({
    program,
    args: [...args, FILE_CHECK_ARGUMENT, path],
    env,
    input: null,
    stderr: "ignore",
    timeout: Number.POSITIVE_INFINITY,
    maxOutput: MAX_OUTPUT,
    signal,
  });
  return result.kind === "exited" && result.exitCode === 0 ? parseProblems(result.stdout) : null;
}

const MAX_OUTPUT = 1024 * 1024;

function parseProblems(stdout: string): readonly string[] | null {
  try {
    const problems: unknown = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    return Array.isArray(problems) ? problems.map(String) : null;
  } catch {
    return null;
  }
}
