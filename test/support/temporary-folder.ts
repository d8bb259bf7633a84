import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The path of a new folder, which is removed with all that is in it when the test ends. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "calctl-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}
