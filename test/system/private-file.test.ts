import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePrivateFolder, writePrivateFile } from "../../src/system/private-file.js";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "calctl-private-"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("a private folder", () => {
  test("is created with its parents, for the owner only", () => {
    makePrivateFolder(join(root, "a", "b"));
    makePrivateFolder(join(root, "a", "b"));
    expect([modeOf(join(root, "a")), modeOf(join(root, "a", "b"))]).toEqual([0o700, 0o700]);
  });

  test("fails where nothing can be created", ({ skip }) => {
    if (!existsSync("/proc/self")) skip("there is no /proc here, the folder in which nothing can be created");
    const create = () => makePrivateFolder("/proc/calctl/state");
    expect(create).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});

describe("a private file", () => {
  test("is created with its folder and replaced, for the owner only", async () => {
    const path = join(root, "a", "file.json");
    await writePrivateFile(path, "one");
    await writePrivateFile(path, "two");
    expect(readFileSync(path, "utf8")).toBe("two");
    expect([modeOf(join(root, "a")), modeOf(path)]).toEqual([0o700, 0o600]);
    expect(readdirSync(join(root, "a"))).toEqual(["file.json"]);
  });

  test("that cannot be replaced leaves no temporary file", async () => {
    const path = join(root, "folder");
    mkdirSync(join(path, "inner"), { recursive: true });
    await expect(writePrivateFile(path, "text")).rejects.toMatchObject({ syscall: "rename" });
    expect(readdirSync(root)).toEqual(["folder"]);
  });
});
