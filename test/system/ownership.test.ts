import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { requireOwn } from "../../src/system/ownership.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const USER = 65_534;

let root: string;
let folder: string;

beforeEach(() => {
  root = temporaryFolder();
  folder = join(root, "state");
});

function requireFolder(userId: number | null): string {
  return requireOwn({ noun: "folder", path: folder, variable: "CALCTL_STATE_DIR" }, userId);
}

describe("a folder of the program", () => {
  test("may be missing, or behind a link of the user", () => {
    const userId = process.geteuid?.() ?? null;
    expect(requireFolder(userId)).toBe(folder);
    mkdirSync(join(root, "other"), { mode: 0o700 });
    symlinkSync("other", folder);
    expect(requireFolder(userId)).toBe(folder);
  });

  test("may be the user's behind a link of root, as systemd makes it", ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give a folder away");
    mkdirSync(join(root, "private"), { mode: 0o700 });
    chownSync(join(root, "private"), USER, USER);
    symlinkSync("private", folder);
    expect(requireFolder(USER)).toBe(folder);
    for (const other of [0, 1234]) expect(() => requireFolder(other)).toThrow("it belongs to another user");
  });

  test("is no link of another user, even to what is missing", ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give a link away");
    symlinkSync("nowhere", folder);
    lchownSync(folder, USER, USER);
    expect(() => requireFolder(0)).toThrow("it belongs to another user");
  });

  test("is not checked on Windows", () => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    expect(requireFolder(null)).toBe(folder);
  });
});
