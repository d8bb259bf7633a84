import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Threads in which Node.js derives keys and opens files. @see https://nodejs.org/api/cli.html#uv_threadpool_sizesize */
const THREADS = 4;

/**
 * Keeps all threads of this process busy, so that no password is verified meanwhile. SQLite and sockets need none.
 * @returns lets them go on; resolves when they do
 */
export function holdThreadPool(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "calctl-threads-"));
  const pipes = Array.from({ length: THREADS }, (_, index) => join(folder, String(index)));
  execFileSync("mkfifo", pipes);
  // Opening a pipe takes a thread until it is opened at the other end.
  const held = pipes.map((path) => open(path, "r"));
  return async () => {
    for (const path of pipes) closeSync(openSync(path, "w"));
    for (const file of await Promise.all(held)) await file.close();
    rmSync(folder, { recursive: true });
  };
}
