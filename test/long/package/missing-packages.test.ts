import { expect, test } from "vitest";
import { copyProgram, createInstallation } from "../../support/spawned.js";

/** The program where npm could not install its native packages, or was told not to. */

function createWithoutPackages(...flags: readonly string[]) {
  const program = copyProgram();
  const installation = createInstallation();
  return (...argv: readonly string[]) =>
    installation.shell(`"${process.execPath}" ${flags.join(" ")} "${program}" ${argv.join(" ")}`);
}

test("without SQLite, the profile local says what to install, and the rest works", async () => {
  const flag = process.allowedNodeEnvironmentFlags.has("--no-experimental-sqlite");
  const run = createWithoutPackages(...(flag ? ["--no-experimental-sqlite"] : []));
  const { version } = process;
  expect(await run("-p", "local", "calendars")).toEqual({
    exitCode: 10,
    stdout: "",
    stderr: `error: SQLite is missing: Node ${version.slice(1)} has no compatible one, and the package @photostructure/sqlite cannot be loaded
hint: use Node 22.16 or newer, or install calctl again without --omit=optional
`,
  });
  expect(await run("--version")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await run("config", "path")).toMatchObject({ exitCode: 0, stderr: "" });
});

test("without the keychain's package, a login says what to install, and works with a file", async () => {
  const service = createInstallation().start(
    ...["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"],
  );
  const { base_url: url, token } = JSON.parse(await service.stdoutWith("\n"));
  const run = createWithoutPackages();
  const login = ["login", "--with-token", "--base-url", url, "<<<", token];
  expect(await run(...login)).toEqual({
    exitCode: 10,
    stdout: "",
    stderr: `error: the keychain cannot be used: the package keytar is not installed
hint: install calctl again without --omit=optional; without a keychain: calctl login --insecure-storage stores the token in a file, and CALCTL_TOKEN and CALCTL_TOKEN_FILE work anywhere
`,
  });
  const stored = ["login", "--with-token", "--insecure-storage", "--base-url", url, "<<<", token];
  expect(await run(...stored)).toMatchObject({ exitCode: 0 });
  expect((await run("calendars", "--fields", "name")).stdout).toContain("Family\n");
});
