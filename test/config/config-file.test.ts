import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createConfigFile } from "../../src/config/config-file.js";
import { resolveDirectories } from "../../src/config/directories.js";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "calctl-config-"));
});

afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
});

test("without a file there is no profile", () => {
  expect(createConfigFile(() => join(directory, "nowhere")).read()).toEqual({ profiles: new Map() });
});

test("what is written is read back, by its owner alone", async () => {
  const file = createConfigFile(() => join(directory, "new"));
  const config = { profile: "a.b", profiles: new Map([["a.b", { calendar: "Team" }]]) };
  await file.write(config);
  expect(file.read()).toEqual(config);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "new")).mode & 0o777).toBe(0o700);
});

test("keys of another version survive a change", async () => {
  const file = createConfigFile(() => directory);
  writeFileSync(
    file.path,
    '{"version":9,"profiles":{"work":{"base_url":"https://x.example","colour":"blue"}}}',
  );
  await file.write({ ...file.read(), profile: "work" });
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
])("a broken file %j is named and never overwritten", (content) => {
  const file = createConfigFile(() => directory);
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

test.each([
  [{}, "/home/u/.config/calctl", "/home/u/.local/share/calctl"],
  [{ XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d" }, "/c/calctl", "/d/calctl"],
  [
    { XDG_CONFIG_HOME: "relative", XDG_DATA_HOME: "" },
    "/home/u/.config/calctl",
    "/home/u/.local/share/calctl",
  ],
  [{ CALCTL_CONFIG_DIR: "/mine", CALCTL_DATA_DIR: "/too", XDG_CONFIG_HOME: "/c" }, "/mine", "/too"],
  [{ CALCTL_CONFIG_DIR: "" }, "/home/u/.config/calctl", "/home/u/.local/share/calctl"],
])("folders with %j", (env, config, data) => {
  const directories = resolveDirectories({ env, platform: "linux", home: () => "/home/u" });
  expect([directories.config(), directories.data()]).toEqual([config, data]);
});
