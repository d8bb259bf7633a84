import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** How one child ended, and the one line of JSON that it printed. */
export interface ChildEnd<T> {
  /** Null for one that was killed. */
  readonly exitCode: number | null;
  /** Null for one that ended before it printed. */
  readonly result: T | null;
}

/**
 * Bundles a TypeScript program into a folder, so that several processes can run it.
 * @param source path from the root of the project
 * @returns the path of the bundle
 */
export async function bundleChild(source: string, folder: string): Promise<string> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  // Native packages stay outside the bundle and are resolved from its folder.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  const outfile = join(folder, basename(source).replace(/\.ts$/, ".mjs"));
  await build({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    external: ["@photostructure/sqlite", "pg", "pgpass"],
    logLevel: "error",
  });
  return outfile;
}

/**
 * Starts one process for each list of arguments and releases them all at once: each prints a line when it is ready,
 * waits for a line on stdin (`awaitStart` does both), works, and prints a line of JSON.
 */
export async function runTogether<T>(
  program: string,
  runs: readonly (readonly string[])[],
): Promise<ChildEnd<T>[]> {
  const children = runs.map((args) =>
    spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const outputs = children.map(readLines);
  const exits = children.map((child) => once(child, "exit"));
  await Promise.all(outputs.map((lines) => lines.next()));
  for (const child of children) child.stdin.end("go\n");
  const lines = await Promise.all(outputs.map(async (output) => (await output.next()).value));
  const codes = await Promise.all(exits);
  return lines.map((line, index) => ({
    exitCode: (codes[index]?.[0] as number | null | undefined) ?? null,
    result: typeof line === "string" ? (JSON.parse(line) as T) : null,
  }));
}

function readLines(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error("the output is not piped");
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}
