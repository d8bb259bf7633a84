import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Config, createConfigFile } from "../../src/config/config.js";
import { CliError, usageError } from "../../src/errors.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let directory: string;
const userId = process.geteuid?.() ?? null;
const fileIn = (folder: string) => createConfigFile({ directory: () => folder, userId, process });

beforeEach(() => {
  directory = temporaryFolder();
});

test("without a file there is no profile", () => {
  expect(fileIn(join(directory, "nowhere")).read()).toEqual({ profiles: new Map() });
});

test("what is written is read back, and accessible only to its owner", async () => {
  const file = fileIn(join(directory, "new"));
  const config = { profile: "a.b", profiles: new Map([["a.b", { calendar: "Team" }]]) };
  await file.update(() => config);
  expect(file.read()).toEqual(config);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "new")).mode & 0o777).toBe(0o700);
});

test("keys of another version survive a change", async () => {
  const file = fileIn(directory);
  writeFileSync(
    file.path,
    '{"version":9,"profiles":{"work":{"base_url":"https://x.example","colour":"blue"}}}',
  );
  await file.update((config) => ({ ...config, profile: "work" }));
  expect(JSON.parse(readFileSync(file.path, "utf8"))).toEqual({
    version: 9,
    profile: "work",
    profiles: { work: { base_url: "https://x.example", colour: "blue" } },
  });
});

test("a byte order mark is ignored, and gone after a change", async () => {
  const file = fileIn(directory);
  writeFileSync(file.path, '\uFEFF{"profile":"work"}');
  expect(file.read()).toEqual({ profile: "work", profiles: new Map() });
  await file.update((config) => ({ ...config, profile: "home" }));
  expect(readFileSync(file.path, "utf8")).toMatch(/^\{\s+"profile": "home"/);
});

test.each([
  "{",
  "",
  "[]",
  "null",
  '{"profiles":[]}',
  '{"profiles":{"a":1}}',
  '{"profiles":{"a":{"base_url":1}}}',
  '{"profile":1}',
  '{"targets":[]}',
  '{"targets":{"a":1}}',
  '{"targets":{"a":{"as":1}}}',
])("a broken file %j is reported and never overwritten", (content) => {
  const file = fileIn(directory);
  writeFileSync(file.path, content);
  expect(() => file.read()).toThrow(
    expect.objectContaining({
      exitCode: 10,
      message: expect.stringContaining(file.path),
      hint: expect.any(String),
    }),
  );
  expect(readFileSync(file.path, "utf8")).toBe(content);
});

describe("a file in which others could name programs and services", () => {
  const CONTENT = '{"profiles":{}}';
  const problem = (text: string) =>
    expect.objectContaining({ exitCode: 10, message: expect.stringContaining(text) });

  test.each(["620", "602", "664", "666"])("of mode %s is exit 10", async (mode) => {
    const file = fileIn(directory);
    writeFileSync(file.path, CONTENT);
    chmodSync(file.path, Number.parseInt(mode, 8));
    expect(() => file.read()).toThrow(problem("other users can write to it"));
    await expect(file.update((config) => config)).rejects.toMatchObject({ exitCode: 10 });
    expect(readFileSync(file.path, "utf8")).toBe(CONTENT);
    chmodSync(file.path, 0o644);
    expect(file.read()).toEqual({ profiles: new Map() });
  });

  test("of another user is exit 10, and so is a link of another user; files of root are not", ({ skip }) => {
    if (userId !== 0) skip("only root can give a file away");
    const file = fileIn(directory);
    writeFileSync(file.path, CONTENT);
    const asUser = createConfigFile({ directory: () => directory, userId: 65_534, process });
    expect(asUser.read()).toEqual({ profiles: new Map() });
    chownSync(file.path, 65_534, 65_534);
    expect(asUser.read()).toEqual({ profiles: new Map() });
    expect(() => file.read()).toThrow(problem("it belongs to another user"));
    renameSync(file.path, `${file.path}.real`);
    symlinkSync(`${file.path}.real`, file.path);
    chownSync(`${file.path}.real`, 0, 0);
    expect(file.read()).toEqual({ profiles: new Map() });
    lchownSync(file.path, 65_534, 65_534);
    expect(() => file.read()).toThrow(problem("it belongs to another user"));
  });

  test("is used on Windows, where neither says anything", () => {
    const file = createConfigFile({ directory: () => directory, userId: null, process });
    writeFileSync(file.path, CONTENT);
    chmodSync(file.path, 0o666);
    expect(file.read()).toEqual({ profiles: new Map() });
  });
});

test("a change applies to the current content of the file, not to what was read before", async () => {
  const one = fileIn(directory);
  const other = fileIn(directory);
  const add = (name: string) => (config: Config) => ({
    ...config,
    profiles: new Map(config.profiles).set(name, { calendar: name }),
  });
  await Promise.all([one.update(add("a")), other.update(add("b")), one.update(add("c"))]);
  expect([...one.read().profiles.keys()].sort()).toEqual(["a", "b", "c"]);
  expect(readdirSync(directory)).toEqual(["config.json"]);
});

test("a change that throws creates nothing, not even the folder", async () => {
  const file = fileIn(join(directory, "new"));
  const error = usageError("not this");
  const refuse = () => {
    throw error;
  };
  await expect(file.update(refuse)).rejects.toBe(error);
  expect(readdirSync(directory)).toEqual([]);
});

test("a folder that cannot be created is named: exit 10", async () => {
  writeFileSync(join(directory, "occupied"), "");
  const file = fileIn(join(directory, "occupied", "calctl"));
  await expect(file.update((config) => config)).rejects.toMatchObject({
    exitCode: 10,
    message: expect.stringMatching(/occupied\/calctl\/config\.json.*\(not a directory\)/),
  });
});

test("a file that another process has locked is exit 10 and names the process", async () => {
  const file = createConfigFile({ directory: () => directory, userId, process, timeout: 0 });
  mkdirSync(`${file.path}.lock`);
  writeFileSync(join(`${file.path}.lock`, `${process.ppid}-0123456789ab-0123456789ab`), "");
  await expect(file.update((config) => config)).rejects.toMatchObject({
    exitCode: 10,
    message: expect.stringContaining(`process ${process.ppid}`),
    hint: expect.stringContaining(`${file.path}.lock`),
  });
});

test("a wait for another process ends with the signal's reason", async () => {
  const reason = new CliError("interrupted", "interrupted");
  const signal = () => AbortSignal.abort(reason);
  const file = createConfigFile({ directory: () => directory, userId, process, signal });
  await expect(file.update((config) => config)).rejects.toBe(reason);
  expect(readdirSync(directory)).toEqual([]);
});
