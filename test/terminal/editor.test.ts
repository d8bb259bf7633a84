import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createEditor } from "../../src/terminal/editor.js";
import { temporaryFolder } from "../support/temporary-folder.js";

test("a file that cannot be written leaves no folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "calctl-test-"));
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const warnings: string[] = [];
  const editor = createEditor({
    env: { EDITOR: "true" },
    platform: "linux",
    signal: () => new AbortController().signal,
    ignoreInterrupt: (work) => work(),
    warn: (text) => warnings.push(text),
  });
  const result = editor.withFile("no-such-folder/event.yaml", ({ edit }) => edit("title: Lunch"));
  await expect(result).rejects.toMatchObject({
    code: "failed",
    message: expect.stringMatching(/event\.yaml cannot be written \(no such file or directory\)$/),
  });
  expect({ warnings, left: readdirSync(folder) }).toEqual({ warnings: [], left: [] });
});

test("on Windows, cmd runs the command line, with the path in quotes after it", async () => {
  const folder = temporaryFolder();
  const cmd = join(folder, "cmd");
  writeFileSync(cmd, `#!/bin/sh\nprintf '%s\\n' "$@" >'${folder}/args'\n`, { mode: 0o755 });
  const editor = createEditor({
    env: { EDITOR: '"C:\\Program Files\\editor.exe" -w', ComSpec: cmd },
    platform: "win32",
    signal: () => new AbortController().signal,
    ignoreInterrupt: (work) => work(),
    warn: () => undefined,
  });
  const saved = await editor.withFile("event.yaml", ({ edit }) => edit("title: Lunch"));
  expect(saved).toBe("title: Lunch");
  expect(readFileSync(join(folder, "args"), "utf8").split("\n")).toEqual([
    "/d",
    "/s",
    "/c",
    expect.stringMatching(/^""C:\\Program Files\\editor\.exe" -w "\S+event\.yaml""$/),
    "",
  ]);
});
