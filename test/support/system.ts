import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, describe } from "vitest";

/** System parts that some tests need: the names to look for on PATH, of which one suffices, and the package. */
const SYSTEM_PARTS = {
  tmux: { binaries: ["tmux"], debianPackage: "tmux" },
  keyring: { binaries: ["gnome-keyring-daemon"], debianPackage: "gnome-keyring" },
  dbus: { binaries: ["dbus-run-session"], debianPackage: "dbus" },
  chromium: { binaries: ["chromium", "chromium-browser", "google-chrome"], debianPackage: "chromium" },
} as const;

export type SystemPart = keyof typeof SYSTEM_PARTS;

/** Absolute path of a system part, or undefined if it is not installed. */
export function systemPart(name: SystemPart): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = SYSTEM_PARTS[name].binaries.flatMap((binary) =>
    folders.map((folder) => join(folder, binary)),
  );
  return candidates.find(isExecutable);
}

/**
 * A `describe` for tests that need a real system part. Without it each test is skipped with the reason,
 * or, with CALCTL_REQUIRE_SYSTEM=1 (as in CI), fails.
 */
export function describeWithSystem(name: SystemPart, title: string, tests: () => void): void {
  describe(title, () => {
    if (systemPart(name) === undefined) refuse(name, title);
    tests();
  });
}

function refuse(name: SystemPart, title: string): void {
  const reason = `${name} is not installed (on Debian: apt-get install ${SYSTEM_PARTS[name].debianPackage})`;
  const required = process.env["CALCTL_REQUIRE_SYSTEM"] === "1";
  if (!required) process.stderr.write(`skipped: ${title}: ${reason}\n`);
  beforeEach(({ skip }) => {
    if (required) throw new Error(reason);
    skip(reason);
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (_absent) {
    return false;
  }
}
