import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  findTokenSource,
  readTokenSource,
  type TokenEnvironment,
} from "../../../src/auth/sources/environment.js";
import { readTokenFile } from "../../../src/auth/sources/token-file.js";
import { CliError } from "../../../src/errors.js";

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

async function read(environment: TokenEnvironment) {
  const found = findTokenSource(environment);
  return found === null ? null : readTokenSource(found, new AbortController().signal);
}

const NOTHING = { token: undefined, tokenFile: undefined, credentialsDirectory: undefined };

test("the variable comes first, then the systemd credential, then the file", async () => {
  const tokenFile = file("token", "from-file\n");
  file("calctl-token", "from-credential\n");
  const all = { token: "from-variable", tokenFile, credentialsDirectory: directory };
  expect(await read(all)).toEqual({ value: "from-variable", source: "CALCTL_TOKEN" });
  expect(await read({ ...all, token: undefined })).toMatchObject({ value: "from-credential" });
  expect(await read({ ...NOTHING, tokenFile })).toEqual({
    value: "from-file",
    source: "CALCTL_TOKEN_FILE",
  });
  expect(await read(NOTHING)).toBeNull();
});

test("a credentials folder without our credential is passed over", async () => {
  expect(await read({ ...NOTHING, credentialsDirectory: directory })).toBeNull();
});

test.each(["", "\n", "two words", " padded", "two\nlines", "ünïcode", "nul\0"])(
  "a file that holds %j is broken, not skipped",
  async (content) => {
    const tokenFile = file("token", content);
    await expect(read({ ...NOTHING, tokenFile })).rejects.toMatchObject({ exitCode: 10 });
  },
);

test("a token that is broken is not repeated in the message", async () => {
  await expect(read({ ...NOTHING, token: "secret value" })).rejects.not.toThrow(/secret/);
});

test.each([
  ["that is not there", () => join(directory, "nowhere"), "ENOENT"],
  ["that is a folder", () => directory, "EISDIR"],
  ["below a file", () => "/dev/null/token", "ENOTDIR"],
  ["that never ends", () => "/dev/zero", "more than 64 KiB"],
  ["of a megabyte", () => file("token", "t".repeat(1_000_000)), "more than 64 KiB"],
])("a file %s is broken, not skipped", async (_, path, words) => {
  await expect(read({ ...NOTHING, tokenFile: path() })).rejects.toMatchObject({
    exitCode: 10,
    message: expect.stringContaining(words),
    hint: expect.any(String),
  });
});

test("a credential that cannot be read is broken, not skipped", async () => {
  mkdirSync(join(directory, "calctl-token"));
  const environment = { ...NOTHING, credentialsDirectory: directory, tokenFile: file("token", "from-file") };
  await expect(read(environment)).rejects.toMatchObject({
    exitCode: 10,
    message: expect.stringContaining("CREDENTIALS_DIRECTORY"),
  });
});

describe("a pipe", () => {
  const pipe = (): string => {
    const path = join(directory, "pipe");
    execFileSync("mkfifo", [path]);
    return path;
  };
  const readPipe = (path: string, changes: { readonly limit?: number; readonly signal?: AbortSignal } = {}) =>
    readTokenFile({ path, source: "CALCTL_TOKEN_FILE", signal: new AbortController().signal, ...changes });

  test("gives its token when the program at its other end does, in pieces too", async () => {
    const path = pipe();
    const reading = readPipe(path);
    const writer = await open(path, "w");
    await writer.write("from-");
    await writer.write("pipe\n");
    await writer.close();
    expect(await reading).toBe("from-pipe");
  });

  test("that nobody writes is exit 10 in the end", async () => {
    await expect(readPipe(pipe(), { limit: 60 })).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("no token within 0.06 seconds"),
    });
  });

  test("ends with the interruption", async () => {
    const controller = new AbortController();
    const reading = readPipe(pipe(), { signal: controller.signal });
    controller.abort(new CliError("interrupted", "interrupted"));
    await expect(reading).rejects.toMatchObject({ exitCode: 130 });
  });
});
