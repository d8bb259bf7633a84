import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { requireTrustedPlace } from "../../src/system/ownership.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const USER = 65_534;

let root: string;

beforeEach(() => {
  root = temporaryFolder();
});

function requireLedger(folder: string, userId: number | null): string {
  return requireTrustedPlace(
    { noun: "ledger", path: join(folder, "ledger.db"), variable: "CALCTL_STATE_DIR" },
    userId,
  );
}

describe("the place of a database", () => {
  test("may be the user's folder behind a link of root, as systemd makes it", ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give a folder away");
    mkdirSync(join(root, "private"), { mode: 0o700 });
    chownSync(join(root, "private"), USER, USER);
    symlinkSync("private", join(root, "state"));
    expect(requireLedger(join(root, "state"), USER)).toBe(join(root, "state", "ledger.db"));
    for (const other of [0, 1234]) {
      expect(() => requireLedger(join(root, "state"), other)).toThrow("it belongs to another user");
    }
  });

  test("is not checked on Windows", () => {
    chmodSync(root, 0o777);
    expect(requireLedger(root, null)).toBe(join(root, "ledger.db"));
  });
});
