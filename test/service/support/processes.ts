import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface ChildResult {
  readonly userId: string;
  /** Whether it made the database. */
  readonly created: boolean;
  /** How many the user has. */
  readonly calendars: number;
  /** Of the creates. */
  readonly statuses: readonly number[];
}

export interface ChildOptions {
  readonly processes: number;
  readonly database: string;
  /** How many each one creates. */
  readonly events: number;
}

/** Bundles the program of the children into a folder; resolves with its path. */
export async function buildChild(folder: string): Promise<string> {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  // The driver stays outside the bundle and is looked up from there.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  const outfile = join(folder, "child.mjs");
  await build({
    entryPoints: [join(root, "test/service/support/child-main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    external: ["libsql"],
    logLevel: "error",
  });
  return outfile;
}

/** Starts processes, lets them go all at once when every one is ready, resolves with what each has printed. */
export async function runTogether(program: string, options: ChildOptions): Promise<ChildResult[]> {
  const children = Array.from({ length: options.processes }, () =>
    spawn(process.execPath, [program, options.database, String(options.events)], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const outputs = children.map(readLines);
  const exits = children.map((child) => once(child, "exit"));
  await Promise.all(outputs.map((lines) => lines.next()));
  for (const child of children) child.stdin.end("go\n");
  const results = await Promise.all(
    outputs.map(async (lines) => {
      const { value } = await lines.next();
      if (typeof value !== "string") throw new Error("a process ended without a result");
      return JSON.parse(value) as ChildResult;
    }),
  );
  await Promise.all(exits);
  return results;
}

function readLines(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error("the output is not piped");
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}
