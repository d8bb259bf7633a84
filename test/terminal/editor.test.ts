import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createEditor } from "../../src/terminal/editor.js";

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
    signal: () => new AbortController().signal,
    ignoreInterrupt: (work) => work(),
    warn: (text) => warnings.push(text),
  });
  const result = editor.withFile("no-such-folder/event.yaml", ({ edit }) => edit("title: Lunch"));
  await expect(result).rejects.toMatchObject({
    code: "failed",
    message: expect.stringMatching(/event\.yaml cannot be written \(ENOENT\)$/),
  });
  expect({ warnings, left: readdirSync(folder) }).toEqual({ warnings: [], left: [] });
});
