import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LockBusyError, withFileLock } from "../../src/system/file-lock.js";
import { bundleChild, runTogether } from "../support/child-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Takes no time. */
const sleep = async (_milliseconds: number, signal: AbortSignal | undefined) => signal?.throwIfAborted();

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "lock");
});

/** Leaves the lock like a process that is killed while it holds it. */
function leaveLock(pid: number): string {
  const entry = join(path, `${pid}-0123456789ab-0123456789ab`);
  mkdirSync(path, { recursive: true });
  writeFileSync(entry, "");
  return entry;
}

/** Of a process that has ended. */
function endedPid(): number {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  return pid;
}

describe("a file lock", () => {
  test("returns what the work returns, and leaves nothing behind", async () => {
    const held = await withFileLock(path, () => readdirSync(path), { process });
    expect(held).toEqual([expect.stringMatching(new RegExp(`^${process.pid}-`))]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is accessible only to its owner", async () => {
    const modes = await withFileLock(
      path,
      () => [path, join(path, readdirSync(path)[0] ?? "")].map((name) => statSync(name).mode & 0o777),
      { process },
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  test("leaves nothing behind when the work fails, and throws its error", async () => {
    const error = new Error("of the work");
    const failing = withFileLock(path, () => Promise.reject(error), { process });
    await expect(failing).rejects.toBe(error);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("never runs two at once", async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await Promise.resolve();
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withFileLock(path, work, { process })));
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that is held is waited for, then reported with its holder", async () => {
    const entry = leaveLock(process.ppid);
    const busy = withFileLock(path, () => "in", { process, sleep });
    await expect(busy).rejects.toThrow(LockBusyError);
    await expect(busy).rejects.toMatchObject({
      holder: process.ppid,
      message: expect.stringContaining(path),
    });
    expect(existsSync(entry)).toBe(true);
    expect(readdirSync(path)).toHaveLength(1);
  });

  test("is given up when the signal aborts, with its reason", async () => {
    leaveLock(process.ppid);
    const controller = new AbortController();
    const reason = new Error("interrupted");
    const waiting = withFileLock(path, () => "in", { process, signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(readdirSync(path)).toHaveLength(1);
  });

  test("is not left as an empty folder by a process that gives up", async () => {
    const holder = join(path, "2-0123456789ab-0123456789ab");
    leaveLock(1);
    leaveLock(2);
    const controller = new AbortController();
    const others = {
      pid: process.pid,
      // Asked about process 1: the holder releases the lock, and leaves the folder, as the entry of 1 is still there.
      kill: () => {
        rmSync(holder);
        expect(() => rmdirSync(path)).toThrow("ENOTEMPTY");
        throw Object.assign(new Error("it has ended"), { code: "ESRCH" });
      },
    };
    const giveUp = async () => {
      if (!existsSync(holder)) controller.abort(new Error("given up"));
      controller.signal.throwIfAborted();
    };
    const { signal } = controller;
    const waiting = withFileLock(path, () => "in", { process: others, signal, sleep: giveUp });
    await expect(waiting).rejects.toThrow("given up");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["that has ended", endedPid()],
    ["that had the id of this one, as in a container,", process.pid],
  ])("of a process %s is taken over", async (_, pid) => {
    leaveLock(pid);
    expect(await withFileLock(path, () => "in", { process, timeout: 0 })).toBe("in");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("without an entry is free", async () => {
    mkdirSync(path);
    expect(await withFileLock(path, () => "in", { process, timeout: 0 })).toBe("in");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("ignores other files in its folder", async () => {
    mkdirSync(path);
    writeFileSync(join(path, ".DS_Store"), "");
    expect(await withFileLock(path, () => "in", { process, timeout: 0 })).toBe("in");
    expect(readdirSync(path)).toEqual([".DS_Store"]);
  });

  test("that was taken over is not released by its old holder", async () => {
    let taken = "";
    await withFileLock(
      path,
      () => {
        for (const name of readdirSync(path)) rmSync(join(path, name));
        taken = leaveLock(process.ppid);
      },
      { process },
    );
    expect(existsSync(taken)).toBe(true);
  });

  test.each([
    ["folder that is not there", "nowhere/lock", "ENOENT"],
    ["file in the way", "file/lock", "ENOTDIR"],
  ])("%s: throws the file system's error", async (_, name, code) => {
    writeFileSync(join(folder, "file"), "");
    await expect(withFileLock(join(folder, name), () => "in", { process })).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});

test("ten processes lose no increment, even if some are killed while they hold the lock", async () => {
  const program = await bundleChild("test/system/support/increment-main.ts", folder);
  const counter = join(folder, "counter");
  writeFileSync(counter, "0");
  const killedAt = ["5", "20", "21", ...Array.from({ length: 7 }, () => "")];
  const ends = await runTogether<number>(
    program,
    killedAt.map((killAt) => [path, counter, "50", killAt]),
  );
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([null, null, null, 0, 0, 0, 0, 0, 0, 0]);
  expect(Number(readFileSync(counter, "utf8"))).toBe(5 + 20 + 21 + 7 * 50);
  // Where the last one to end was killed, its entry is left, for the next to take over.
  expect(existsSync(path) ? readdirSync(path) : null).not.toEqual([]);
  await withFileLock(path, () => undefined, { process });
  expect(existsSync(path)).toBe(false);
});
