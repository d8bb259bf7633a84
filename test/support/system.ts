import { spawnSync } from "node:child_process";
import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeEach, describe, onTestFinished } from "vitest";
import { errorCodeOf } from "../../src/errors.js";

/** System parts that some tests need: the names to look for, of which one suffices, and the package. */
const SYSTEM_PARTS = {
  tmux: { binaries: ["tmux"], debianPackage: "tmux" },
  keyring: { binaries: ["gnome-keyring-daemon"], debianPackage: "gnome-keyring" },
  dbus: { binaries: ["dbus-run-session"], debianPackage: "dbus" },
  python: { binaries: ["python3"], debianPackage: "python3" },
  khal: { binaries: ["khal"], debianPackage: "khal" },
  chromium: { binaries: ["chromium", "chromium-browser", "google-chrome"], debianPackage: "chromium" },
  nginx: { binaries: ["nginx"], debianPackage: "nginx-light" },
  zsh: { binaries: ["zsh"], debianPackage: "zsh" },
  fish: { binaries: ["fish"], debianPackage: "fish" },
  man: { binaries: ["man"], debianPackage: "man-db" },
  mandoc: { binaries: ["mandoc"], debianPackage: "mandoc" },
  less: { binaries: ["less"], debianPackage: "less" },
  sqlite3: { binaries: ["sqlite3"], debianPackage: "sqlite3" },
  faketime: { binaries: ["faketime"], debianPackage: "faketime" },
  msmtp: { binaries: ["msmtp"], debianPackage: "msmtp-mta" },
  cron: { binaries: ["cron"], debianPackage: "cron" },
  dpkg: { binaries: ["dpkg-deb"], debianPackage: "dpkg" },
  postgres: { binaries: ["initdb"], debianPackage: "postgresql" },
  pgbouncer: { binaries: ["pgbouncer"], debianPackage: "pgbouncer" },
  systemd: { binaries: ["systemd"], debianPackage: "systemd" },
} as const;

export type SystemPart = keyof typeof SYSTEM_PARTS;

/** Absolute path of a system part, or undefined if it is not installed. */
export function systemPart(name: SystemPart): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  // Where Debian has servers, which is not on the PATH of other users than root, or of anyone.
  const folders = [...onPath, "/usr/sbin", ...postgresFolders()];
  const candidates = SYSTEM_PARTS[name].binaries.flatMap((binary) =>
    folders.map((folder) => join(folder, binary)),
  );
  return candidates.find(isExecutable);
}

/** Where Debian has the programs of each version of PostgreSQL, the newest first. */
function postgresFolders(): readonly string[] {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(root, version, "bin"));
}

/**
 * A `describe` for tests that need a real system part. Without it each test is skipped with the reason,
 * or, with CALCTL_REQUIRE_SYSTEM=1 (as in CI), fails.
 */
export function describeWithSystem(name: SystemPart, title: string, tests: () => void): void {
  describeUnless(missingPart(name), title, tests);
}

/** Why tests that need a part cannot run; null if it is installed. */
function missingPart(name: SystemPart): string | null {
  if (systemPart(name) !== undefined) return null;
  return `${name} is not installed (on Debian: apt-get install ${SYSTEM_PARTS[name].debianPackage})`;
}

/**
 * The same for tests that start a machine with systemd: see `startSystemdMachine`. Without the package they fail in CI;
 * where the kernel allows no namespaces, nothing can be installed, and they are always skipped.
 */
export function describeWithSystemd(title: string, tests: () => void): void {
  const missing = missingPart("systemd");
  describeUnless(missing ?? namespaceObstacle(), title, tests, { canBeInstalled: missing !== null });
}

/** Why this process cannot give a machine namespaces of its own; null if it can. */
function namespaceObstacle(): string | null {
  const flags = ["--fork", "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup"];
  const { status } = spawnSync("unshare", [...flags, "mount", "-t", "cgroup2", "none", "/mnt"]);
  return status === 0 ? null : "no namespaces can be created (only root may)";
}

/** The same for tests that need a file system of their own: see `mountDisk`. */
export function describeWithDisk(title: string, tests: () => void): void {
  const folder = mkdtempSync(join(tmpdir(), "calctl-disk-"));
  const mounted = mount("-t", "tmpfs", "tmpfs", folder);
  if (mounted) unmount(folder);
  rmdirSync(folder);
  describeUnless(mounted ? null : "no tmpfs can be mounted (only root may)", title, tests);
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

/** The same for all tests of a file, which a setup file of vitest says. */
export function requireSystem(name: SystemPart): void {
  const reason = missingPart(name);
  if (reason !== null) refuse(reason, "a file", true);
}

/** @param reason why the tests cannot run here; null if they can */
function describeUnless(
  reason: string | null,
  title: string,
  tests: () => void,
  { canBeInstalled }: { readonly canBeInstalled: boolean } = { canBeInstalled: true },
): void {
  describe(title, () => {
    if (reason !== null) refuse(reason, title, canBeInstalled);
    tests();
  });
}

function refuse(reason: string, title: string, canBeInstalled: boolean): void {
  const required = canBeInstalled && process.env["CALCTL_REQUIRE_SYSTEM"] === "1";
  if (!required) process.stderr.write(`skipped: ${title}: ${reason}\n`);
  beforeEach(({ skip }) => {
    if (required) throw new Error(reason);
    skip(reason);
  });
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (_absent) {
    return false;
  }
}
