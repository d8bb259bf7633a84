import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A throwaway package that has this one's scripts and whatever else a test writes into it. */
export interface ScratchProject {
  readonly root: string;
  write(path: string, content: string): void;
  /** Copies a file of this repository. */
  take(...paths: readonly string[]): void;
  /** Lets it use the packages that are installed here. */
  borrowPackages(): void;
  spawn(command: string, args: readonly string[], folder?: string): ChildProcess;
  remove(): void;
}

export function createScratchProject(): ScratchProject {
  const base = mkdtempSync(join(tmpdir(), "scratch-"));
  const root = join(base, "project");
  const home = join(base, "home");
  mkdirSync(home);
  const take = (...paths: readonly string[]): void => {
    for (const path of paths) cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
  };
  take("build", ".npmrc");
  return {
    root,
    take,
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    borrowPackages: () => symlinkSync(join(REPOSITORY, "node_modules"), join(root, "node_modules")),
    spawn: (command, args, folder = ".") =>
      spawn(command, args, { cwd: join(root, folder), env: { PATH: process.env["PATH"], HOME: home } }),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Waits until a process has ended and its streams are read. */
export async function ended(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the streams of the process are not piped");
  const code = new Promise<number | null>((resolve, reject) => {
    child.on("close", resolve);
    child.on("error", reject);
  });
  const [out, err] = await Promise.all([text(stdout), text(stderr)]);
  return { code: await code, stdout: out, stderr: err };
}
