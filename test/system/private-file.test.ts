import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makePrivateFolder } from "../../src/system/private-file.js";

test("makes what is missing, for the owner alone", () => {
  const root = mkdtempSync(join(tmpdir(), "calctl-folder-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  makePrivateFolder(join(root, "a", "b"));
  makePrivateFolder(join(root, "a", "b"));
  for (const folder of [join(root, "a"), join(root, "a", "b")])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("gives up where nothing can be made", ({ skip }) => {
  if (!existsSync("/proc/self")) skip("there is no /proc here, the folder in which nothing can be made");
  expect(() => makePrivateFolder("/proc/calctl/state")).toThrow(expect.objectContaining({ code: "ENOENT" }));
});
