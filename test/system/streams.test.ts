import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { failed } from "../support/outcomes.js";
import { createInstallation, TOMORROW } from "../support/spawned.js";

/** Readers that exit, closed streams, and full disks. */

const CREATE = `events create --title T --start ${TOMORROW}T12:00 --duration 1h --timezone UTC`;

describe("a reader of stdout that exits", () => {
  test.each([
    ["after a line", "calctl service openapi | head -1", "{\n"],
    ["after a byte", "calctl service openapi | head -c 1", "{"],
    ["at once", "calctl service openapi | true", ""],
    ["from help", "calctl --help | true", ""],
    ["from --version", "calctl --version | true", ""],
  ])("%s ends it quietly", async (_, line, stdout) => {
    expect(await createInstallation().shell(line)).toEqual({ exitCode: 0, stdout, stderr: "" });
  });

  test("in the middle of more than a pipe holds ends it quietly", async () => {
    const installation = createInstallation();
    const create = `calctl ${CREATE} --description ${"x".repeat(10_000)}`;
    await installation.shell(`for i in 1 2 3 4 5 6 7 8; do ${create}; done`);
    const { exitCode, stdout, stderr } = await installation.shell(
      "calctl events list --days 2 -o json | head -1",
    );
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "[\n", stderr: "" });
  });

  test("does not stop a write", async () => {
    const installation = createInstallation();
    await installation.run("whoami");
    const { exitCode, stderr } = await installation.shell(`calctl ${CREATE} | true`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(
      JSON.parse((await installation.run("events", "list", "--days", "2", "-o", "json")).stdout),
    ).toHaveLength(1);
  });
});

test.each([
  "events delete - --yes",
  "events create --input -",
  "comment 0123456789abcdef0123456789abcdef",
  "import - --source work --yes",
  "api -X POST /calendars --input -",
])("%s with a directory as stdin is a usage error", async (argv) => {
  const { exitCode, stdout, stderr } = await createInstallation().shell(`calctl ${argv} < /`);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/^error: .*stdin cannot be read \(is a directory\)$/m);
});

test("many lines on stderr at once are no leak of listeners", async () => {
  const ids = Array.from({ length: 15 }, (_, index) => `event-${index}`);
  const { exitCode, stderr } = await createInstallation().run("events", "get", "-c", "Personal", ...ids);
  expect(exitCode).toBe(5);
  const lines = stderr.trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith("event event-"))).toEqual([
    expect.stringMatching(/^created the calendar database/),
    expect.stringMatching(/^error: none of 15 events was read: /),
  ]);
});

describe("a reader of stderr that exits", () => {
  test.each([
    ["in the middle of a trace", "calctl events list --debug 2>&1 >/dev/null | head -1", 0],
    ["before a trace", "calctl events list --debug 2>&1 >/dev/null | true", 0],
    ["before an error", "calctl nonsense 2>&1 >/dev/null | true", 2],
    ["before an error with its stack", "calctl events get nothing --debug 2>&1 >/dev/null | true", 5],
  ])("%s changes nothing", async (_, line, exitCode) => {
    expect((await createInstallation().shell(line)).exitCode).toBe(exitCode);
  });

  test("leaves stdout complete", async () => {
    const installation = createInstallation();
    const { stdout } = await installation.run("calendars", "-o", "json");
    const line = "{ calctl calendars --debug -o json 2>&1 >&3 | true; } 3>&1";
    expect(await installation.shell(line)).toEqual({ exitCode: 0, stdout, stderr: "" });
  });
});

test("a slow reader gets all of it", async () => {
  const installation = createInstallation();
  const { stdout } = await installation.shell("calctl service openapi | { head -c 1; cat; } | wc -c");
  const whole = await installation.run("service", "openapi");
  expect(Number(stdout)).toBe(Buffer.byteLength(whole.stdout));
});

test("messages go to stderr, data to stdout, and errors leave stdout empty", async () => {
  const { exitCode, stdout, stderr } = await createInstallation().run("nonsense");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/^error: .*nonsense/);
});

describe("a stream that is closed from the start", () => {
  test.each([
    ["stdin", "calctl whoami --fields type <&-", { exitCode: 0, stdout: "user\n", stderr: "" }],
    ["stdout", "calctl whoami --fields type >&-", { exitCode: 0, stdout: "", stderr: "" }],
    ["stderr", "calctl whoami --fields type --debug 2>&-", { exitCode: 0, stdout: "user\n", stderr: "" }],
    ["stderr, with an error", "calctl nonsense 2>&-", { exitCode: 2, stdout: "", stderr: "" }],
    ["every one", "calctl whoami <&- >&- 2>&-", { exitCode: 0, stdout: "", stderr: "" }],
    ["stdout, for --version", "calctl --version >&-", { exitCode: 0, stdout: "", stderr: "" }],
  ])("%s", async (_, line, result) => {
    const installation = createInstallation();
    await installation.run("whoami");
    expect(await installation.shell(line)).toEqual(result);
  });

  test("stdin that should provide the text is a usage error", async () => {
    expect(await createInstallation().shell("calctl events create --input - <&-")).toMatchObject(
      failed(2, "--input"),
    );
  });
});

/** Command lines of each kind; the second column is what the write has done by then. */
const FAMILIES: readonly (readonly [line: string, done: RegExp | null])[] = [
  ["--version", null],
  ["--help", null],
  ["events list --help", null],
  ["whoami", null],
  ["status", null],
  ["calendars", null],
  ["calendars -c Personal -o json", null],
  ["labels", null],
  ["members", null],
  ["events list -o json", null],
  ["config list", null],
  ["config path", null],
  ["profiles list", null],
  ["service openapi", null],
  ["service users list", null],
  ["service start --memory --port 0 -o json", null],
  [CREATE, /event \w+ was created/],
  ["events update ID --title U", /event ID was updated/],
  ["events copy ID --by +1d", /event \S+ was copied/],
  ["comment ID hello", /comment \w+ was posted/],
  ["events delete ID --yes -o json", /these events were deleted: ID/],
  ["service users add ana", /user \w+ was added/],
  ["service calendars add Work --owner root", /calendar [\w-]+ was added/],
  ["service members add ana -c Personal", /was added/],
  ["service labels set 2 --name two -c Personal", /label \S+ was set/],
  ["service clients add app --redirect-uri http://127.0.0.1/x", /client \w+ was added; remove it/],
  ["service tokens create --user root", /token \w+ was created; revoke it/],
];

const FULL = "stdout could not be written (no space left on device)";

/** The message in the last line of stderr, which is text or JSON. */
function messageIn(stderr: string): string {
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  return last.startsWith("{") ? JSON.parse(last).error.message : last.replace(/^error: /, "");
}

describe("a full disk", () => {
  // Many runs one after another.
  test("for stdout is exit 1, and stderr reports what was done", async ({ skip }) => {
    if (!existsSync("/dev/full")) skip("there is no /dev/full");
    const installation = createInstallation();
    const { stdout } = await installation.run(...CREATE.split(" "), "--fields", "id");
    const id = stdout.trim();
    const user = (await installation.run("whoami", "--fields", "name")).stdout.trim();
    for (const [line, done] of FAMILIES) {
      const argv = line.replaceAll("ID", id).replaceAll("root", user);
      const { exitCode, stderr } = await installation.shell(`calctl ${argv} </dev/null >/dev/full`);
      expect({ line, exitCode }).toEqual({ line, exitCode: 1 });
      const message = messageIn(stderr).replaceAll(id, "ID");
      if (done === null) expect({ line, message }).toEqual({ line, message: FULL });
      else
        expect(message).toMatch(
          new RegExp(`^stdout could not be written \\(no space left on device\\), but .*${done.source}`),
        );
    }
  });

  test("for the answer to a line of mcp that is too long is not an error of stdin", async ({ skip }) => {
    if (!existsSync("/dev/full")) skip("there is no /dev/full");
    const line = "head -c 9000000 /dev/zero | tr '\\0' x";
    const { exitCode, stderr } = await createInstallation().shell(`${line} | calctl mcp >/dev/full`);
    expect({ exitCode, message: messageIn(stderr) }).toEqual({ exitCode: 1, message: FULL });
  });

  test("for stderr does not change the exit code", async ({ skip }) => {
    if (!existsSync("/dev/full")) skip("there is no /dev/full");
    const installation = createInstallation();
    const first = await installation.shell("calctl whoami --fields type 2>/dev/full");
    expect(first).toEqual({ exitCode: 0, stdout: "user\n", stderr: "" });
    const traced = await installation.shell("calctl whoami --fields type --debug 2>/dev/full");
    expect(traced).toEqual({ exitCode: 0, stdout: "user\n", stderr: "" });
    for (const [line, exitCode] of [
      ["nonsense", 2],
      ["events get nothing", 5],
      ["-p nobody whoami", 10],
    ] as const) {
      const result = await installation.shell(`calctl ${line} 2>/dev/full`);
      expect({ line, ...result }).toEqual({ line, exitCode, stdout: "", stderr: "" });
    }
  });

  test("for both is exit 1 without a message", async ({ skip }) => {
    if (!existsSync("/dev/full")) skip("there is no /dev/full");
    const result = await createInstallation().shell("calctl whoami >/dev/full 2>/dev/full");
    expect(result).toEqual({ exitCode: 1, stdout: "", stderr: "" });
  });
});
