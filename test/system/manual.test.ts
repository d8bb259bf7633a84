import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadCommandTree } from "../../src/cli/command-tree.js";
import { programSchema } from "../../src/cli/help/schema.js";
import { describeWithSystem } from "../support/system.js";

/** The manual page that the build writes. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MANUAL = `${ROOT}${JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).man}`;

function run(command: string, ...args: readonly string[]) {
  const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", MANWIDTH: "80", MAN_KEEP_FORMATTING: "" };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  return { status, stdout, stderr };
}

function shownManual(): string {
  return run("man", "-l", MANUAL).stdout;
}

/** The text below a heading, up to the next one; empty without the heading. */
function sectionOf(title: string): string {
  const part = shownManual()
    .split(/^(?=[A-Z])/m)
    .find((text) => text.startsWith(`${title}\n`));
  return part?.slice(title.length + 1) ?? "";
}

/** Flags that are terms, not those in sentences and examples. */
function flagsIn(text: string): readonly (string | undefined)[] {
  return [...text.matchAll(/^ {7}(?: {4}|-\w, )?(--[a-z-]+)(?![\w-])/gm)].map(([, flag]) => flag);
}

describeWithSystem("man", "man", () => {
  test("shows it without a warning", () => {
    expect(run("man", "--warnings", "-l", MANUAL)).toMatchObject({ status: 0, stderr: "" });
  });

  test("ends a question with its mark alone", () => {
    expect(shownManual().match(/^.*\?$/gm)?.length).toBeGreaterThan(0);
    expect(shownManual()).not.toContain("?:");
  });

  test("shows every command with its flags, and no others", async () => {
    const { commands } = programSchema(await loadCommandTree());
    const [, ...parts] = `\n${sectionOf("COMMANDS")}`.split(/\n {3}calctl /);
    const shown = parts.map((part) => ({ usage: part.split("\n", 1)[0], flags: flagsIn(part) }));
    expect(shown).toEqual(
      commands.map(({ name, flags }) => ({
        usage: expect.stringMatching(new RegExp(`^${name} \\[flags\\]`)),
        flags: flags.map((flag) => flag.name),
      })),
    );
  });

  test("shows the global flags, variables and exit codes, and no others", async () => {
    const schema = programSchema(await loadCommandTree());
    expect(flagsIn(sectionOf("GLOBAL FLAGS"))).toEqual([
      ...schema.global_flags.map(({ name }) => name),
      "--help",
    ]);
    const variables = [...sectionOf("ENVIRONMENT").matchAll(/^ {7}([A-Z_]+)(?= {2}|$)/gm)];
    expect(variables.map(([, name]) => name)).toEqual(schema.environment.map(({ name }) => name));
    const codes = [...sectionOf("EXIT STATUS").matchAll(/^ {7}(\d+(?: [a-z_]+)?)(?= {2}|$)/gm)];
    expect(codes.map(([, code]) => code)).toEqual(
      schema.exit_codes.map(({ exit_code, code }) =>
        code === null ? String(exit_code) : `${exit_code} ${code}`,
      ),
    );
    for (const title of ["FILES", "EXAMPLES"]) expect(sectionOf(title)).not.toBe("");
    expect(sectionOf("FILES")).toContain("~/.config/calctl/config.json");
  });

  test("fits 80 columns", () => {
    expect(
      shownManual()
        .split("\n")
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });
});

describeWithSystem("mandoc", "mandoc", () => {
  test("finds nothing to improve", () => {
    expect(run("mandoc", "-Tlint", MANUAL)).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});
