import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  findEnvironmentToken,
  readEnvironmentToken,
  readSecretFile,
} from "../../../src/auth/sources/environment-secret.js";
import type { Environment } from "../../../src/config/environment.js";
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

async function read(env: Environment) {
  const found = findEnvironmentToken(env);
  return found === null ? null : readEnvironmentToken(found, new AbortController().signal);
}

test("the variable comes first, then the systemd credential, then the file", async () => {
  const CALCTL_TOKEN_FILE = file("token", "from-file\n");
  file("calctl-token", "from-credential\n");
  const all = { CALCTL_TOKEN: "from-variable", CALCTL_TOKEN_FILE, CREDENTIALS_DIRECTORY: directory };
  expect(await read(all)).toEqual({ value: "from-variable", source: "CALCTL_TOKEN" });
  expect(await read({ ...all, CALCTL_TOKEN: undefined })).toMatchObject({ value: "from-credential" });
  expect(await read({ CALCTL_TOKEN_FILE })).toEqual({
    value: "from-file",
    source: "CALCTL_TOKEN_FILE",
  });
  expect(await read({})).toBeNull();
});

test("a credentials folder without the credential is ignored", async () => {
  expect(await read({ CREDENTIALS_DIRECTORY: directory })).toBeNull();
});

test.each(["", "\n", "two words", " padded", "two\nlines", "ünïcode", "nul\0"])(
  "a file that holds %j is broken, not skipped",
  async (content) => {
    const CALCTL_TOKEN_FILE = file("token", content);
    await expect(read({ CALCTL_TOKEN_FILE })).rejects.toMatchObject({ exitCode: 10 });
  },
);

test("an invalid token is not repeated in the message", async () => {
  await expect(read({ CALCTL_TOKEN: "secret value" })).rejects.not.toThrow(/secret/);
});

test.each([
  ["that is not there", () => join(directory, "nowhere"), "ENOENT"],
  ["that is a folder", () => directory, "EISDIR"],
  ["below a file", () => "/dev/null/token", "ENOTDIR"],
  ["that never ends", () => "/dev/zero", "larger than 64 KiB"],
  ["of a megabyte", () => file("token", "t".repeat(1_000_000)), "larger than 64 KiB"],
])("a file %s is an error, not skipped", async (_, path, words) => {
  await expect(read({ CALCTL_TOKEN_FILE: path() })).rejects.toMatchObject({
    exitCode: 10,
    message: expect.stringContaining(words),
    hint: expect.any(String),
  });
});

test("a credential that cannot be read is an error, not skipped", async () => {
  mkdirSync(join(directory, "calctl-token"));
  const env = { CREDENTIALS_DIRECTORY: directory, CALCTL_TOKEN_FILE: file("token", "from-file") };
  await expect(read(env)).rejects.toMatchObject({
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
  const readPipe = (
    path: string,
    changes: { readonly timeout?: number; readonly signal?: AbortSignal } = {},
  ) =>
    readSecretFile({
      path,
      source: "CALCTL_TOKEN_FILE",
      noun: "token",
      signal: new AbortController().signal,
      ...changes,
    });

  test("delivers its token when the program that writes it does, even in pieces", async () => {
    const path = pipe();
    const reading = readPipe(path);
    const writer = await open(path, "w");
    await writer.write("from-");
    await writer.write("pipe\n");
    await writer.close();
    expect(await reading).toBe("from-pipe");
  });

  test("that has no writer is exit 10 after the timeout", async () => {
    await expect(readPipe(pipe(), { timeout: 60 })).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("no token in 0.06 seconds"),
    });
  });

  test("ends when interrupted", async () => {
    const controller = new AbortController();
    const reading = readPipe(pipe(), { signal: controller.signal });
    controller.abort(new CliError("interrupted", "interrupted"));
    await expect(reading).rejects.toMatchObject({ exitCode: 130 });
  });
});
