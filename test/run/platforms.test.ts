import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHarness } from "../support/harness.js";
import { words } from "../support/words.js";

/** What differs on macOS and Windows, with the platform of the process faked. docs/platforms.md has the rest. */

const NO_FOLDERS = {
  CALCTL_CONFIG_DIR: "",
  CALCTL_DATA_DIR: "",
  CALCTL_STATE_DIR: "",
  CALCTL_CACHE_DIR: "",
};

test.each([
  ["linux", "/home/ana/.config/calctl/config.json"],
  ["darwin", "/home/ana/Library/Application Support/calctl/config.json"],
  ["win32", "/roaming/calctl/config.json"],
])("on %s the configuration is %s", async (platform, path) => {
  const { runWith } = await createHarness();
  const before = process.env["HOME"];
  process.env["HOME"] = "/home/ana";
  try {
    const env = { ...NO_FOLDERS, APPDATA: "/roaming", LOCALAPPDATA: "/local" };
    expect(await runWith({ platform, env }, "config", "path")).toEqual({
      exitCode: 0,
      stdout: `${path}\n`,
      stderr: "",
    });
  } finally {
    process.env["HOME"] = before;
  }
});

test.each([
  ["linux", false],
  ["darwin", false],
  ["win32", true],
])("on %s without a locale, lines are drawn in Unicode: %s", async (platform, drawn) => {
  const { run, runWith } = await createHarness();
  const created = ["events", "create", "--title", "Lunch", "--start", "2026-11-21T16:00", "--duration", "1h"];
  expect((await run(...created)).exitCode).toBe(0);
  const { stdout } = await runWith({ platform, columns: 80 }, "week");
  expect(stdout).toContain("Lunch");
  expect(/[─│●]/.test(stdout)).toBe(drawn);
});

describe("lines that end with a carriage return, as Windows writes them", () => {
  const CREATE = ["events", "create", "--start", "2026-11-21T16:00", "--duration", "1h"];

  test("ids", async () => {
    const { json, runWith } = await createHarness();
    const ids = [];
    for (const title of ["One", "Two"]) ids.push((await json(...CREATE, "--title", title))["id"]);
    const stdin = `${ids.join("\r\n")}\r\n`;
    const read = await runWith({ platform: "win32", stdin }, "events", "get", "-", "--fields", "title");
    expect(read).toEqual({ exitCode: 0, stdout: "One\nTwo\n", stderr: "" });
    const deleted = await runWith({ platform: "win32", stdin }, "events", "delete", "-", "--yes", "-q");
    expect(deleted).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("a comment and a description lose the last one", async () => {
    const { directory, json, runWith } = await createHarness();
    const file = join(directory, "description.txt");
    writeFileSync(file, "\ufefffirst\r\nsecond\r\n");
    const { id, description } = await json(...CREATE, "--title", "One", "--description-file", file);
    expect(description).toBe("first\r\nsecond");
    const comment = await runWith(
      { platform: "win32", stdin: "Yes\r\n" },
      ...words`comment ${String(id)} --jq .content`,
    );
    expect(comment).toEqual({ exitCode: 0, stdout: "Yes\n", stderr: "" });
  });

  test("an event as JSON", async () => {
    const { runWith } = await createHarness();
    const stdin =
      '{\r\n"title": "One",\r\n"start_at": "2026-11-21T16:00:00Z",\r\n"end_at": "2026-11-21T17:00:00Z"\r\n}\r\n';
    const args = ["events", "create", "--input", "-", "--fields", "title"];
    expect(await runWith({ platform: "win32", stdin }, ...args)).toMatchObject({
      exitCode: 0,
      stdout: "One\n",
    });
  });
});

test("doctor on Windows prints no HOME for a job, which has that of its user", async () => {
  const { runWith } = await createHarness();
  const { stdout } = await runWith(
    { platform: "win32", env: { HOME: "/elsewhere" } },
    "doctor",
    "-p",
    "local",
  );
  expect(stdout).not.toContain("/elsewhere");
});
