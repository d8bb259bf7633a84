import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { makePrivateFolder } from "../../src/system/ownership.js";
import { replaceFile, writePrivateFile } from "../../src/system/private-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let root: string;

beforeEach(() => {
  root = temporaryFolder();
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

describe("a file that another process has open, which Windows does not let be replaced", () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });

  test.each(["EPERM", "EACCES", "EBUSY"])("is replaced once it is closed (%s)", async (code) => {
    const failures = [failure(code), failure(code)];
    const moves: string[] = [];
    await replaceFile("new", "old", async (from, to) => {
      moves.push(`${from} ${to}`);
      const error = failures.pop();
      if (error !== undefined) throw error;
    });
    expect(moves).toEqual(["new old", "new old", "new old"]);
  });

  test("is not waited for where there is another reason", async () => {
    let moves = 0;
    const replaced = replaceFile("new", "old", async () => {
      moves += 1;
      throw failure("EISDIR");
    });
    await expect(replaced).rejects.toThrow("EISDIR");
    expect(moves).toBe(1);
  });
});
