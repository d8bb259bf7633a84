import { describe, expect, test } from "vitest";
import { copyProgram, createInstallation, PROGRAM } from "../support/spawned.js";
import { describeWithOtherUsers } from "../support/system.js";

/** D12: as in cron, containers and systemd units: no variables, no terminal, no stdin. */

/** Runs the program with these variables and no others, and with stdin closed. */
function createBareMachine(variables: readonly string[]) {
  const installation = createInstallation();
  // Without HOME the folder is that of the user who runs the tests: nothing may be written there.
  const folders = ["CONFIG", "DATA", "STATE"].map((name) => `CALCTL_${name}_DIR='${installation.home}'`);
  const env = ["env -i", ...folders, ...variables].join(" ");
  return {
    run: (...argv: readonly string[]) => {
      const words = [process.execPath, PROGRAM, ...argv].map((word) => `'${word}'`).join(" ");
      return installation.shell(`${env} ${words} <&-`);
    },
  };
}

const ONE_LINE = /^error: [^\n]+\n(?:hint: [^\n]+\n)?$/;

describe.each([
  ["nothing", []],
  ["LANG=C", ["LANG=C"]],
  ["an unknown locale and time zone", ["LC_ALL=xx_YY", "TZ=Nowhere/Land", "TERM=none"]],
])("D12 with %s in the environment", (_, variables) => {
  test("the profile local works", async () => {
    const machine = createBareMachine(variables);
    expect(await machine.run("--version")).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await machine.run("whoami")).exitCode).toBe(0);
    const fields = ["--title", "Café ☕", "--start", "2026-11-21T12:00", "--duration", "1h"];
    expect(await machine.run("events", "create", ...fields, "--timezone", "UTC", "-q")).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    const listed = await machine.run("events", "list", "--days", "7", "-q");
    expect({ exitCode: listed.exitCode, stderr: listed.stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect((await machine.run("status", "-o", "json")).exitCode).toBe(0);
  });

  test.each<readonly [number, readonly string[]]>([
    [2, ["login"]],
    [2, ["events", "delete", "x"]],
    [2, ["login", "--with-token", "--insecure-storage", "--base-url", "https://x.example"]],
    [2, ["nonsense"]],
    [10, ["whoami", "-p", "nobody"]],
    [5, ["events", "get", "nothing"]],
    [8, ["whoami", "--retries", "0", "--timeout", "5"]],
  ])("failures are one line: exit %i of %j", async (exitCode, argv) => {
    const remote =
      exitCode === 8 ? ["CALCTL_BASE_URL=http://127.0.0.1:1", "CALCTL_TOKEN=token-0123456789"] : [];
    const result = await createBareMachine([...variables, ...remote]).run(...argv, "-q");
    expect({ ...result }).toEqual({ exitCode, stdout: "", stderr: expect.stringMatching(ONE_LINE) });
  });
});

describeWithOtherUsers("D12 a user without a home folder:", () => {
  test("one line names the variables to set", async () => {
    const asNobody = `setpriv --reuid 54321 --regid 54321 --clear-groups`;
    const result = await createInstallation().shell(
      `cd /; env -i ${asNobody} '${process.execPath}' '${copyProgram()}' whoami <&-`,
    );
    expect(result).toEqual({
      exitCode: 10,
      stdout: "",
      stderr: expect.stringMatching(/^error: there is no home folder: [^\n]+\nhint: set HOME, or [^\n]+\n$/),
    });
  });
});
