import type { Command } from "commander";
import { expect, test } from "vitest";
import { loadCommandTree } from "../../src/cli/command-tree.js";
import { TOPICS } from "../../src/cli/help/topics.js";
import { createHarness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";

/** Names of every command and group from the top, such as `["events", "list"]`; `[]` is the program itself. */
function pathsOf(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  return [path, ...command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]))];
}

const PAGES: readonly (readonly string[])[] = [
  ...pathsOf(await loadCommandTree()).map((path) => [...path, "--help"]),
  ...TOPICS.map(({ name }) => ["help", name]),
];

test("the help of every command fits terminals of 40 columns and more, with no word broken", async () => {
  const { run, runWith } = await createHarness();
  // A line that is broken gets a backslash or, in a comment, another #.
  const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "\\" && word !== "#");
  for (const path of PAGES) {
    const words = wordsOf((await run(...path)).stdout);
    for (const columns of [40, 60, 80, 120]) {
      const { exitCode, stdout } = await runWith({ columns }, ...path);
      const tooLong = stdout.split("\n").filter((line) => line.length > columns);
      const line = `${path.join(" ")} at ${columns} columns`;
      expect({ line, exitCode, tooLong }).toEqual({ line, exitCode: 0, tooLong: [] });
      expect(wordsOf(stdout), line).toEqual(words);
    }
  }
});

test("the first page has the everyday commands above the prompt of a screen of 24 lines", async () => {
  const { runWith } = await createHarness();
  const { stdout } = await runWith({ columns: 80 }, "--help");
  expect(stdout.match(/\n/g)?.length).toBeLessThan(24);
  expect(stdout).toMatch(/^ {2}agenda /m);
  expect(stdout).toContain("calctl help commands ");
});

test.each(["repeating", "sharing"])(
  "help %s fits above the prompt of a screen of 24 lines",
  async (topic) => {
    const { runWith } = await createHarness();
    const { stdout } = await runWith({ columns: 80 }, "help", topic);
    expect(stdout.match(/\n/g)?.length).toBeLessThan(24);
    expect(stdout).toMatch(/^Examples:$/m);
  },
);

test("the help of a command has two examples, then its flags by group, then the other examples", async () => {
  const { run } = await createHarness();
  const { stdout } = await run("events", "create", "--help");
  expect(stdout.match(/^\S.*:$/gm)).toEqual([
    "Examples:",
    "What and when:",
    "Where and who:",
    "Repeating:",
    "Input and scripting:",
    "More examples:",
    "More:",
  ]);
  const [, first = ""] = stdout.split(/^(?:Examples|What and when):$/m);
  expect(first.match(/^ {2}# /gm)).toHaveLength(2);
});

test("help commands has every command but rm, an alias", async () => {
  const { run } = await createHarness();
  const { stdout } = await run("help", "commands");
  const listed = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  const all = (await loadCommandTree()).commands.map((command) => command.name());
  expect([...listed, "rm"].sort()).toEqual([...all].sort());
});

test("the help of a command has its own flags, and one line about the global ones", async () => {
  const { run } = await createHarness();
  const { stdout } = await run("events", "list", "--help");
  expect(stdout).toContain("--remaining");
  expect(stdout).not.toContain("--max-wait");
  expect(stdout.match(/calctl help flags/g)).toHaveLength(1);
});

test("calctl help COMMAND is what COMMAND --help prints", async () => {
  const { run } = await createHarness();
  const paths = pathsOf(await loadCommandTree());
  expect(paths.length).toBeGreaterThan(40);
  for (const path of paths) {
    const page = await run(...path, "--help");
    expect(page).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await run("help", ...path), path.join(" ")).toEqual(page);
  }
});

test.each([
  [
    ["-q", "help", "flags"],
    ["help", "flags"],
  ],
  [
    ["--color", "never", "help", "events"],
    ["events", "--help"],
  ],
  [
    ["-o", "json", "help", "events", "list"],
    ["events", "list", "--help"],
  ],
  [["-q", "help"], ["--help"]],
  [
    ["help", "flags", "--help"],
    ["help", "flags"],
  ],
  [["help", "--help"], ["--help"]],
  [
    ["-phelp", "calendars", "--help"],
    ["calendars", "--help"],
  ],
])("%j prints what %j does", async (argv, same) => {
  const { run } = await createHarness();
  const page = await run(...same);
  expect(page).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await run(...argv)).toEqual(page);
});

test.each([
  [["help", "nonsense", "-o", "json"], 'there is no command or help topic "nonsense"'],
  [["-o", "json", "help", "nonsense"], 'there is no command or help topic "nonsense"'],
  [["help", "events", "nonsense", "-o", "json"], 'calctl events has no command "nonsense"'],
])("%j reports JSON", async (argv, message) => {
  const { run } = await createHarness();
  const { exitCode, stdout, stderr } = await run(...argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(JSON.parse(stderr).error).toMatchObject({ code: "usage", exit_code: 2, message });
});

test.each([
  [["-q", "--nonsense", "help", "flags"], "calctl has no flag --nonsense"],
  [["-p"], "--profile needs a value"],
  [["-q", "-o", "json", "-o", "json", "help"], "--output was given twice"],
  [["nonsense", "help"], 'calctl has no command "nonsense"'],
])("%j is exit 2", async (argv, message) => {
  const { run } = await createHarness();
  expect(await run(...argv)).toMatchObject(failed(2, message));
});

test("every topic is a page, and a mistyped one names the right one", async () => {
  const { run } = await createHarness();
  for (const { name } of TOPICS) expect(await run("help", name)).toMatchObject({ exitCode: 0, stderr: "" });
  for (const [word, meant] of [
    ["exitcodes", "exit-codes"],
    ["enviroment", "environment"],
    ["comands", "commands"],
    ["evnts", "events"],
    ["ls", "events list"],
  ]) {
    expect(await run("help", word ?? "")).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: there is no command or help topic "${word}"\nhint: did you mean calctl help ${meant}?\n`,
    });
  }
});
