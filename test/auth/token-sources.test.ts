import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readEnvironmentToken } from "../../src/auth/token-sources.js";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "calctl-token-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const NOTHING = { token: undefined, tokenFile: undefined, credentialsDirectory: undefined };

test("the variable comes first, then the systemd credential, then the file", () => {
  const tokenFile = file("token", "from-file\n");
  file("calctl-token", "from-credential\n");
  const all = { token: "from-variable", tokenFile, credentialsDirectory: directory };
  expect(readEnvironmentToken(all)).toEqual({ value: "from-variable", source: "CALCTL_TOKEN" });
  expect(readEnvironmentToken({ ...all, token: undefined })).toMatchObject({ value: "from-credential" });
  expect(readEnvironmentToken({ ...NOTHING, tokenFile })).toEqual({
    value: "from-file",
    source: "CALCTL_TOKEN_FILE",
  });
  expect(readEnvironmentToken(NOTHING)).toBeNull();
});

test("a credentials folder without our credential is passed over", () => {
  expect(readEnvironmentToken({ ...NOTHING, credentialsDirectory: directory })).toBeNull();
});

test.each(["", "\n", "two words", " padded", "two\nlines", "ünïcode", "nul\0"])(
  "a file that holds %j is broken, not skipped",
  (content) => {
    const tokenFile = file("token", content);
    expect(() => readEnvironmentToken({ ...NOTHING, tokenFile })).toThrow(
      expect.objectContaining({ exitCode: 10 }),
    );
  },
);

test("a token that is broken is not repeated in the message", () => {
  expect(() => readEnvironmentToken({ ...NOTHING, token: "secret value" })).not.toThrow(/secret/);
});

test("a file that is not there is broken, not skipped", () => {
  const tokenFile = join(directory, "nowhere");
  expect(() => readEnvironmentToken({ ...NOTHING, tokenFile })).toThrow(
    expect.objectContaining({ exitCode: 10, message: expect.stringContaining("ENOENT") }),
  );
});
