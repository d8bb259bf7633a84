import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Config, createConfigFile } from "../../src/config/config-file.js";
import { CliError, usageError } from "../../src/errors.js";
import { createProcessTable } from "../../src/system/process-table.js";

let directory: string;
const processes = createProcessTable(process);
const fileIn = (folder: string) => createConfigFile({ directory: () => folder, processes });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "calctl-config-"));
});

afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
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

test.each([
  "{",
  "",
  "[]",
  "null",
  '{"profiles":[]}',
  '{"profiles":{"a":1}}',
  '{"profiles":{"a":{"base_url":1}}}',
  '{"profile":1}',
  '{"webhooks":[]}',
  '{"webhooks":{"a":1}}',
  '{"webhooks":{"a":{"as":1}}}',
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
    message: expect.stringMatching(/occupied\/calctl\/config\.json.*\(ENOTDIR\)/),
  });
});

test("a file that another process has locked is exit 10 and names the process", async () => {
  const file = createConfigFile({ directory: () => directory, processes, timeout: 0 });
  mkdirSync(`${file.path}.lock`);
  writeFileSync(join(`${file.path}.lock`, `${process.ppid}-0123456789ab`), "");
  await expect(file.update((config) => config)).rejects.toMatchObject({
    exitCode: 10,
    message: expect.stringContaining(`process ${process.ppid}`),
    hint: expect.stringContaining(`${file.path}.lock`),
  });
});

test("a wait for another process ends with the signal's reason", async () => {
  const reason = new CliError("interrupted", "interrupted");
  const signal = () => AbortSignal.abort(reason);
  const file = createConfigFile({ directory: () => directory, processes, signal });
  await expect(file.update((config) => config)).rejects.toBe(reason);
  expect(readdirSync(directory)).toEqual([]);
});
