import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished, test } from "vitest";
import { errorCodeOf } from "../../src/errors.js";
import { missingPart, type Obstacle, requiresSystem, type SystemPart } from "./system-parts.js";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test was skipped. */
    obstacle?: Obstacle;
  }
}

/**
 * A `describe` for tests that need a real system part. Without it they are skipped, hooks included, and the report at the
 * end says so (`untested-parts.ts`); with CALCTL_REQUIRE_SYSTEM=1 (as in CI) they fail.
 */
export function describeWithSystem(name: SystemPart, title: string, tests: () => void): void {
  describeUnless(missingPart(name), title, tests);
}

/**
 * The same for tests that start a machine with systemd: see `startSystemdMachine`. Where the kernel allows no namespaces,
 * nothing can be installed, and they are always skipped.
 */
export function describeWithSystemd(title: string, tests: () => void): void {
  describeUnless(missingPart("systemd") ?? namespaceObstacle(), title, tests);
}

/** What keeps this process from giving a machine namespaces of its own; null if it can. */
function namespaceObstacle(): Obstacle | null {
  const flags = ["--fork", "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup"];
  const { status } = spawnSync("unshare", [...flags, "mount", "-t", "cgroup2", "none", "/mnt"]);
  return status === 0
    ? null
    : { reason: "no namespaces can be created (only root may)", canBeInstalled: false };
}

/** The same for tests that run a program as another user, by `setpriv`. */
export function describeWithOtherUsers(title: string, tests: () => void): void {
  const isRoot = process.getuid?.() === 0;
  const obstacle = { reason: "no program can be run as another user (only root may)", canBeInstalled: false };
  describeUnless(isRoot ? missingPart("setpriv") : obstacle, title, tests);
}

/** The `node.exe` that tests on Windows run with, by wine. */
export const WINDOWS_NODE = process.env["CALCTL_WINDOWS_NODE"];

/** The same for tests on Windows, which take minutes, and packages too large for each run: `.ci/windows` runs them. */
export function describeOnWindows(title: string, tests: () => void): void {
  const obstacle = {
    reason: "they need wine and a Node for Windows: .ci/windows runs them",
    canBeInstalled: false,
  };
  describeUnless(WINDOWS_NODE === undefined ? obstacle : null, title, tests);
}

/** The same for tests that need a file system of their own: see `mountDisk`. */
export function describeWithDisk(title: string, tests: () => void): void {
  const folder = mkdtempSync(join(tmpdir(), "calctl-disk-"));
  const mounted = mount("-t", "tmpfs", "tmpfs", folder);
  if (mounted) unmount(folder);
  rmdirSync(folder);
  const obstacle = { reason: "no tmpfs can be mounted (only root may)", canBeInstalled: false };
  describeUnless(mounted ? null : obstacle, title, tests);
}

/** A file system in memory of some MiB, until the test has finished. */
export interface Disk {
  readonly path: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Undoes `fill`. */
  free(): void;
  setReadOnly(readOnly: boolean): void;
}

export function mountDisk(mebibytes: number): Disk {
  const path = mkdtempSync(join(tmpdir(), "calctl-disk-"));
  if (!mount("-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path)) throw new Error("mount failed");
  onTestFinished(() => {
    unmount(path);
    rmdirSync(path);
  });
  const filling = join(path, "filling");
  return {
    path,
    fill: () => {
      try {
        for (;;) appendFileSync(filling, Buffer.alloc(4096));
      } catch (error) {
        if (errorCodeOf(error) !== "ENOSPC") throw error;
      }
    },
    free: () => rmSync(filling),
    setReadOnly: (readOnly) => {
      if (!mount("-o", `remount,${readOnly ? "ro" : "rw"}`, path)) throw new Error("remount failed");
    },
  };
}

function mount(...args: readonly string[]): boolean {
  return spawnSync("mount", args).status === 0;
}

/** Lazily, since a process of the test may still be ending. */
function unmount(path: string): void {
  spawnSync("umount", ["--lazy", path]);
}

function describeUnless(obstacle: Obstacle | null, title: string, tests: () => void): void {
  if (obstacle === null) {
    describe(title, tests);
  } else if (requiresSystem() && obstacle.canBeInstalled) {
    test(title, () => {
      throw new Error(obstacle.reason);
    });
  } else {
    describe(title, { skip: true, meta: { obstacle } }, tests);
  }
}

/**
 * Environment in which the clock of a program stands still, as words for `env`: the library of faketime, without its
 * wrapper, whose semaphores outlive a process that is killed.
 * @param time local time, as `2026-11-21 15:30:00`; with `@` before it, the clock starts there and runs
 */
export function fixedTime(time: string): readonly string[] {
  const candidates = readdirSync("/usr/lib").map((folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`);
  const library = candidates.find((path) => existsSync(path)) ?? "";
  return [`LD_PRELOAD=${library}`, `FAKETIME=${time}`, "FAKETIME_DONT_FAKE_MONOTONIC=1"];
}
