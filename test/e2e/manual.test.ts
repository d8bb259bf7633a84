import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { programSchema } from "../../src/help/schema.js";
import { TOPICS } from "../../src/help/topics.js";
import { loadCommandTree } from "../../src/program/command-tree.js";
import { describeWithSystem } from "../support/system.js";

/** The manual page that the build writes. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MANUAL = `${ROOT}${JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).man}`;

function run(command: string, ...args: readonly string[]) {
  const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", MANWIDTH: "80", MAN_KEEP_FORMATTING: "" };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  return { status, stdout, stderr };
}

describeWithSystem("man", "man", () => {
  test("shows it without a warning", () => {
    expect(run("man", "--warnings", "-l", MANUAL)).toMatchObject({ status: 0, stderr: "" });
  });

  test("shows every command, flag, topic, variable and exit code", async () => {
    const { stdout } = run("man", "-l", MANUAL);
    const words = stdout.replace(/\s+/g, " ");
    const schema = programSchema(await loadCommandTree());
    const flags = [...schema.global_flags, ...schema.commands.flatMap((command) => command.flags)];
    const expected = [
      ...schema.commands.map(({ name }) => ` calctl ${name} `),
      ...flags.map(({ name }) => name),
      ...schema.environment.map(({ name }) => ` ${name} `),
      ...schema.exit_codes.map(({ exit_code, code }) =>
        code === null ? ` ${exit_code} ` : ` ${exit_code} ${code} `,
      ),
      ...[
        "GLOBAL FLAGS",
        "OUTPUT",
        "DATES AND TIMES",
        "SIGNING IN",
        "CRON",
        "ENVIRONMENT",
        "FILES",
        "EXIT STATUS",
      ],
      "~/.config/calctl/config.json",
    ];
    expect(expected.filter((text) => !words.includes(text))).toEqual([]);
    expect(TOPICS).toHaveLength(7);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });
});

describeWithSystem("mandoc", "mandoc", () => {
  test("finds nothing to improve", () => {
    expect(run("mandoc", "-Tlint", MANUAL)).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});
