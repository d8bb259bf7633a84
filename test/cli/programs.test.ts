import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createHarness, type Harness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { share } from "../support/shared.js";
import { words } from "../support/words.js";

/** `--jq` and `--template`, which make the output of any command. */

async function createWorld(): Promise<Harness> {
  const created = await createHarness({ timeZone: "America/New_York" });
  const times = [
    ["--title", "Lunch", "--start", "2026-11-21T12:00", "--duration", "1h", "--location", "Room; 1"],
    ["--title", "Fair", "--all-day", "--start", "2026-11-21"],
  ];
  for (const flags of times) await created.json("events", "create", ...flags);
  return created;
}

const shared = share(createWorld);

/** Shared, but for tests that change an event. */
let harness: Harness;

beforeEach(() => {
  harness = shared();
});

const LIST = ["events", "list"];

function list(...argv: readonly string[]) {
  return harness.run(...LIST, ...argv);
}

describe("--template", () => {
  test.each([
    ["a line for each item", "{{ title }}", "Fair\nLunch\n"],
    ["with line feeds of its own", "{{ title }}\n", "Fair\nLunch\n"],
    ["nothing for items that it skips", "{% if all_day %}{{ title }}{% endif %}", "Fair\n"],
    ["times in the chosen zone", '{{ start_at | date: "%H:%M" }}', "19:00\n12:00\n"],
    [
      "local times and dates as they are",
      '{{ start_local | date: "%a %d %H:%M" }}',
      "Sat 21 00:00\nSat 21 12:00\n",
    ],
    ["times in another zone", '{{ start_at | date: "%H:%M", "Asia/Tokyo" }}', "09:00\n02:00\n"],
    ["short forms of dates", '{{ start_local | date: "%F %T %R %%F" }}', /^2026-11-21 00:00:00 00:00 %F$/m],
    ["the time of the run", '{{ "now" | date: "%Y-%m-%d %H:%M" }}', "2026-11-21 09:30\n2026-11-21 09:30\n"],
    ["nested values", "{{ label.number }}{{ creator.id }}{{ attendees.size }}", /^(1[\w-]+,\w+0\n){2}$/],
    ["variables of its own", "{% assign a = title | upcase %}{{ a }}", "FAIR\nLUNCH\n"],
    ["nothing of JavaScript", "{{ title.constructor }}x", "x\nx\n"],
  ])("prints %s", async (_, template, expected) => {
    const { exitCode, stdout, stderr } = await list("--template", template);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toEqual(expect.stringMatching(expected));
    if (typeof expected === "string") expect(stdout).toBe(expected);
  });

  test("is read from @FILE", async () => {
    const path = join(harness.directory, "lines.liquid");
    writeFileSync(path, "- {{ title }}\n");
    expect(await list("--template", `@${path}`)).toEqual({
      exitCode: 0,
      stdout: "- Fair\n- Lunch\n",
      stderr: "",
    });
    writeFileSync(path, "a\n{{ title | upcas }}\n");
    expect((await list("--template", `@${path}`)).stderr).toBe(
      `error: --template @${path}: undefined filter: upcas, line:2, col:1\n`,
    );
    expect((await list("--template", "@/nonexistent")).stderr).toContain("/nonexistent");
  });

  test("is made harmless on a terminal", async () => {
    harness = await createWorld();
    await harness.run("events", "update", await idOf("Fair"), "--title", "a\u001b[31m");
    const { stdout } = await harness.runWith({ columns: 80 }, ...LIST, "--template", "{{ title }}");
    expect(stdout).toBe("a\\x1b[31m\nLunch\n");
  });

  test.each([
    ["{{ title", 'output "{{ title" not closed, line:1, col:1'],
    ["{% if title %}", "tag {% if title %} not closed, line:1, col:1"],
    ["{{ title | upcas }}", "undefined filter: upcas, line:1, col:1"],
    ["a\n {{ titel }}", 'event output has no field "titel", line:2, col:5'],
    ['{% include "a" %}', "a template cannot include another one"],
    ['{% render "/etc/passwd" %}', "a template cannot include another one"],
    ['{% layout "a" %}', "a template cannot include another one"],
  ])("%j is refused before any request", async (template, problem) => {
    expect(await unreachable(...LIST, "--template", template)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(`^error: --template: ${escaped(problem)}\n(hint: fields: id, .*\n)?$`),
      ),
    });
  });

  test("with an unknown conversion is exit 2", async () => {
    const result = await list("--template", '{{ start_local | date: "%H %Q" }}');
    expect(result).toMatchObject(failed(2, "the filter date does not support %Q, line:1, col:1"));
  });

  test("is bounded", async () => {
    const { exitCode, stdout, stderr } = await list(
      "--template",
      "{% for i in (1..1000000000) %}x{% endfor %}",
    );
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "error: --template: memory alloc limit exceeded, line:1, col:1\n",
    });
    expect((await list("--template", "x".repeat(1_000_001))).stderr).toBe(
      "error: --template: parse length limit exceeded\n",
    );
  });
});

describe("--jq", () => {
  test.each([
    ["raw strings", ".[].title", "Fair\nLunch\n"],
    ["strings with white space at their edges", '.[0].title | "  \\(.)\\t\\n"', "  Fair\t\n\n"],
    [
      "compact JSON",
      ".[] | {title, all_day}",
      '{"title":"Fair","all_day":true}\n{"title":"Lunch","all_day":false}\n',
    ],
    ["nothing", "empty", ""],
    ["programs that begin with -", "-length", "-2\n"],
    ["regular expressions", '[.[] | select(.title | test("^l"; "i"))] | length', "1\n"],
    ["several lines", "# all\n.[]\n| .category", "schedule\nschedule\n"],
  ])("prints %s", async (_, program, stdout) => {
    expect(await list("--jq", program)).toEqual({ exitCode: 0, stdout, stderr: "" });
  });

  test("prints the same with -o json", async () => {
    const stdout = "Fair\nLunch\n";
    expect(await list("-o", "json", "--jq", ".[].title")).toEqual({ exitCode: 0, stdout, stderr: "" });
  });

  test("gets one object for a single thing", async () => {
    expect((await harness.run("whoami", "--jq", ".type")).stdout).toBe("user\n");
    expect((await harness.run("events", "get", await idOf("Lunch"), "--jq", ".title")).stdout).toBe(
      "Lunch\n",
    );
  });

  test("sees neither files nor the environment", async () => {
    const env = { CALCTL_SECRET: "s3cret" };
    expect((await harness.runWith({ env }, ...LIST, "--jq", "[env, $ENV] | tostring")).stdout).not.toContain(
      "CALCTL",
    );
    expect((await list("--jq", 'import "a" as a; 1')).stderr).toBe("error: --jq: module not found: a\n");
  });

  test("prints debug messages on stderr", async () => {
    expect(await list("--jq", 'length | debug("a\\u001b")')).toEqual({
      exitCode: 0,
      stdout: "2\n",
      stderr: '["DEBUG:","a\\u001b"]\n',
    });
  });

  test("is made harmless on a terminal", async () => {
    harness = await createWorld();
    await harness.run("events", "update", await idOf("Fair"), "--title", "a\u009b31m");
    const argv = [...LIST, "--jq", ".[0] | .title, {title}"];
    expect((await harness.runWith({ columns: 80 }, ...argv)).stdout).toBe(
      'a\\x9b31m\n{"title":"a\\u009b31m"}\n',
    );
    expect((await harness.run(...argv)).stdout).toBe('a\u009b31m\n{"title":"a\u009b31m"}\n');
  });

  test.each([
    [".[", "syntax error, unexpected end of file at line 1, column 2"],
    [".a |\n foo", "foo/0 is not defined at line 2, column 2"],
    ['"\\(1;2)"', "syntax error, unexpected ';'"],
    [" ", "Top-level program not given"],
  ])("%j is refused before any request", async (program, problem) => {
    const { exitCode, stdout, stderr } = await unreachable(...LIST, "--jq", program);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^error: --jq: ${escaped(problem)}.*\n$`));
  });

  test.each([
    [".[].title | tonumber", /^error: --jq: .*cannot be parsed as a number\n$/],
    ['.[0].title, error("no")', /^error: --jq: no\n$/],
    ["halt_error", /^error: --jq: /],
    ["error(null)", /^error: --jq: /],
  ])("%s fails with jq's message and prints nothing else", async (program, message) => {
    expect(await list("--jq", program)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });

  test("that fails after a write is exit 1 and says what was written", async () => {
    harness = await createWorld();
    const { exitCode, stdout, stderr } = await harness.run(
      ...words`events create --title New --all-day --start 2026-11-21 --jq ".title | tonumber"`,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/cannot be parsed as a number, but event \w{32} was created\n$/);
    expect((await list("--jq", ".[].title")).stdout).toBe("Fair\nNew\nLunch\n");
  });
});

describe("a program for the output is exit 2", () => {
  test.each([
    [["--jq", ".", "--template", "x"], "--jq and --template contradict each other"],
    [["--jq", ".", "--fields", "id"], "--jq and --fields contradict each other"],
    [["--jq", ".", "-o", "ndjson"], "--jq and --output ndjson contradict each other"],
    [["--jq", ".", "--csv-safe"], "--jq and --csv-safe contradict each other"],
    [["--template", "x", "-o", "json"], "--template and --output json contradict each other"],
    [["--template", "x", "--fields", "id"], "--template and --fields contradict each other"],
    [["--jq", ""], "--jq is empty"],
    [["--template", ""], "--template is empty"],
  ])("with %j", async (flags, message) => {
    const { exitCode, stdout, stderr } = await unreachable(...LIST, ...flags);
    expect({ exitCode, stdout, error: stderr.split("\n")[0] }).toEqual({
      exitCode: 2,
      stdout: "",
      error: /json/.test(flags.join()) ? expect.stringContaining(message) : `error: ${message}`,
    });
  });

  test("with a file of blanks, which would send an empty message", async () => {
    const file = join(harness.directory, "digest.liquid");
    writeFileSync(file, " \n");
    const { exitCode, stdout, stderr } = await unreachable(...LIST, "--template", `@${file}`);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: --template @${file} is empty\n`,
    });
  });

  test.each(["--jq", "--template"])("for a command without data: %s", async (flag) => {
    const { exitCode, stderr } = await harness.run("logout", flag, ".");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `error: ${flag}: this command prints no data\n`,
    });
  });

  test("but CALCTL_OUTPUT does not matter", async () => {
    const env = { CALCTL_OUTPUT: "tsv" };
    expect((await harness.runWith({ env }, ...LIST, "--jq", "length")).stdout).toBe("2\n");
  });
});

/** Runs a command whose service cannot be reached: a request would be exit 8. */
function unreachable(...argv: readonly string[]) {
  return harness.runWith({ env: { CALCTL_BASE_URL: "https://127.0.0.1:1", CALCTL_TOKEN: "t" } }, ...argv);
}

async function idOf(title: string): Promise<string> {
  const { stdout } = await list("--jq", `.[] | select(.title == "${title}").id`);
  return stdout.trim();
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
