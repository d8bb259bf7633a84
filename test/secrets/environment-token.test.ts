import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Environment } from "../../src/config/environment.js";
import { CliError } from "../../src/errors.js";
import {
  findEnvironmentSecret,
  readEnvironmentToken,
  readSecretFile,
  type SecretReadOptions,
  TOKEN,
} from "../../src/secrets/environment-secret.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let directory: string;

beforeEach(() => {
  directory = temporaryFolder();
});

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const userId = process.getuid?.() ?? null;
const READING: SecretReadOptions = { signal: new AbortController().signal, userId, note: () => undefined };

async function read(env: Environment) {
  const found = findEnvironmentSecret(env, TOKEN);
  return found === null ? null : readEnvironmentToken(found, READING);
}

test("a file may begin with a byte order mark", async () => {
  expect(await read({ CALCTL_TOKEN_FILE: file("token", "\uFEFFfrom-file\r\n") })).toMatchObject({
    value: "from-file",
  });
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
  ["that is not there", () => join(directory, "nowhere"), "no such file or directory"],
  ["that is a folder", () => directory, "is a directory"],
  ["below a file", () => "/dev/null/token", "not a directory"],
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

describe("a file that is not the user's alone", () => {
  /** Its token, or why there is none, and what is noted. */
  async function readOf(path: string, user: number | null = userId) {
    const notes: string[] = [];
    const found = { source: "CALCTL_TOKEN_FILE", path } as const;
    const reading = { ...READING, userId: user, note: (text: string) => void notes.push(text) };
    const token = await readEnvironmentToken(found, reading).catch((error: unknown) => error);
    return { token, notes };
  }

  function fileOf(mode: string): string {
    const path = file("token", "from-file");
    chmodSync(path, Number.parseInt(mode, 8));
    return path;
  }

  const refused = (problem: string) =>
    expect.objectContaining({ exitCode: 10, message: expect.stringContaining(problem) });
  const used = { value: "from-file", source: "CALCTL_TOKEN_FILE" };

  test.each(["620", "602", "664", "666"])("of mode %s is exit 10", async (mode) => {
    const path = fileOf(mode);
    expect(await readOf(path)).toEqual({ token: refused("other users can write to it"), notes: [] });
    expect(await readOf(path, null)).toEqual({ token: used, notes: [] });
  });

  test.each(["644", "640", "604"])("of mode %s is used with a note", async (mode) => {
    const path = fileOf(mode);
    const note = `other users can read the token in ${path}: chmod 600 ${path}`;
    expect(await readOf(path)).toEqual({ token: used, notes: [note] });
  });

  test.each(["600", "400", "444", "440"])("of mode %s is used", async (mode) => {
    expect(await readOf(fileOf(mode))).toEqual({ token: used, notes: [] });
  });

  test("of another user is exit 10 when that user can write to it, unless it is root", async ({ skip }) => {
    if (userId !== 0) skip("only root can give a file away");
    const path = fileOf("644");
    expect(await readOf(path, 65_534)).toEqual({ token: used, notes: [] });
    chownSync(path, 65_534, 65_534);
    expect(await readOf(path)).toEqual({ token: refused("it belongs to another user"), notes: [] });
    chmodSync(path, 0o444);
    expect(await readOf(path)).toEqual({ token: used, notes: [] });
    const link = join(directory, "link");
    symlinkSync(path, link);
    expect(await readOf(link)).toEqual({ token: used, notes: [] });
    lchownSync(link, 65_534, 65_534);
    expect(await readOf(link)).toEqual({ token: refused("it belongs to another user"), notes: [] });
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
      ...READING,
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
