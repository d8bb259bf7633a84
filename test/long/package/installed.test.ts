import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { failed } from "../../support/outcomes.js";
import { createInstallation, PROGRAM, TOMORROW } from "../../support/spawned.js";
import { describeWithSystem } from "../../support/system.js";
import { startSession } from "../../system/support/keyring.js";

/**
 * The main jobs of the program as it is installed. CALCTL_PREFIX names the folder in which it is, as `bin/calctl`: npm's
 * prefix, or `usr` of the Debian package; .ci/run names them all, one after the other. Without it, the build is tested.
 */

const PREFIX = process.env["CALCTL_PREFIX"];
const MANUAL =
  PREFIX === undefined
    ? fileURLToPath(new URL("../../../dist/calctl.1", import.meta.url))
    : join(PREFIX, "share/man/man1/calctl.1");
const IS_EXECUTABLE = PREFIX !== undefined && !existsSync(join(PREFIX, "lib/node_modules/calctl"));
const { version: VERSION } = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../package.json", import.meta.url)), "utf8"),
);

function install(env: Readonly<Record<string, string>> = {}) {
  return PREFIX === undefined
    ? createInstallation(env, [process.execPath, PROGRAM])
    : createInstallation(env, [join(PREFIX, "bin/calctl")]);
}

/** A service with sample data, run by the same installation. */
async function startService() {
  const service = install().start("service", "start", "--memory", "--sample", "--port", "0", "-o", "json");
  const { base_url: url, token } = JSON.parse(await service.stdoutWith("\n"));
  return { url, token };
}

const CREATE = ["events", "create", "--title", "Lunch", "--start", `${TOMORROW}T12:00`, "--duration", "1h"];

test(`version, help and manual page of ${PREFIX ?? "the build"}`, async () => {
  const { run } = install();
  expect(await run("--version")).toEqual({ exitCode: 0, stdout: `${VERSION}\n`, stderr: "" });
  expect(await run("--help")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Usage: calctl/),
    stderr: "",
  });
  expect(await run("help", "exit-codes")).toMatchObject({ exitCode: 0, stderr: "" });
  const zipped = existsSync(`${MANUAL}.gz`);
  const manual = spawnSync(zipped ? "gzip" : "cat", zipped ? ["-dc", `${MANUAL}.gz`] : [MANUAL]);
  expect(manual.stdout.toString()).toMatch(/^\.TH "?CALCTL"? /m);
});

test("the profile local: an event is written and listed, in every way of showing it", async () => {
  const { run } = install();
  expect(await run(...CREATE, "--quiet")).toMatchObject({ exitCode: 0, stderr: "" });
  const list = ["events", "list", "--days", "2"];
  expect(await run(...list, "--fields", "title")).toEqual({ exitCode: 0, stdout: "Lunch\n", stderr: "" });
  expect(await run(...list, "--jq", ".[].title")).toEqual({ exitCode: 0, stdout: "Lunch\n", stderr: "" });
  expect((await run(...list, "--template", "{{ title }} at {{ location }}")).stdout).toBe("Lunch at \n");
  expect((await run(...list, "-o", "ics")).stdout).toContain("SUMMARY:Lunch");
});

test("a login with a token, and commands over HTTP", async () => {
  const { url, token } = await startService();
  const { run, runWith } = install();
  const argv = ["login", "--with-token", "--insecure-storage", "--base-url", url];
  expect(await runWith({ stdin: token }, ...argv)).toMatchObject({ exitCode: 0, stdout: "" });
  expect(await run("calendars", "--fields", "name")).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await run(...CREATE, "-c", "Family")).exitCode).toBe(0);
  const titles = await run("events", "list", "--days", "2", "-c", "Family", "--fields", "title");
  expect(titles.stdout.split("\n")).toContain("Lunch");
  // Each of them is loaded on demand.
  expect((await run("schema", "event")).exitCode).toBe(0);
  expect((await run("config", "set", "timezone", "Asia/Tokyo")).exitCode).toBe(0);
  expect(await run("config", "get", "timezone")).toMatchObject({ stdout: "Asia/Tokyo\n" });
});

test("completion", async () => {
  const { run } = install();
  const script = await run("completion", "bash");
  expect(script.stdout).toContain("complete -o nosort -F _calctl calctl");
  const reply = await run("__complete", "bash", "9", " \n", "80", "calctl eve");
  expect(reply).toEqual({ exitCode: 0, stdout: "words\0events\0", stderr: "" });
});

test("an error has the exit code of its kind", async () => {
  const { run } = install();
  expect(await run("events", "get", "0".repeat(32), "--no-input")).toMatchObject({ exitCode: 5, stdout: "" });
  expect(await run("nonsense")).toMatchObject({ exitCode: 2, stdout: "" });
});

test("the browser is opened by the system's program", async () => {
  const { home, shell } = install();
  const [bin, opened] = [join(home, "bin"), join(home, "opened")];
  mkdirSync(bin);
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\necho "$1" > "${opened}"\n`, { mode: 0o755 });
  const helper = `printf https://calendar.example/ | PATH="${bin}:$PATH" calctl --browser-helper`;
  expect(await shell(`${helper}; cat "${opened}"`)).toEqual({
    exitCode: 0,
    stdout: "https://calendar.example/\n",
    stderr: "",
  });
});

describeWithSystem("keyring", "with a keyring", () => {
  describeWithSystem("dbus", "of a session", () => {
    test("the token is stored in it, and nothing is left behind", async () => {
      const { url, token } = await startService();
      const session = await startSession({ keyring: "unlocked" });
      const { home, run, runWith } = install(session.env);
      const login = await runWith({ stdin: token }, "login", "--with-token", "--base-url", url);
      expect(login).toMatchObject({ exitCode: 0, stdout: "" });
      expect(await run("token")).toEqual({ exitCode: 0, stdout: `${token}\n`, stderr: "" });
      const files = readdirSync(home, { recursive: true, encoding: "utf8" });
      expect(files.filter((file) => /\.node$|token|keytar/.test(file))).toEqual([]);
    });

    test("no library is loaded from a cache folder that others can write to", async ({ skip }) => {
      if (!IS_EXECUTABLE) skip("only the executable writes the library to a file");
      const { url, token } = await startService();
      const { home, runWith } = install((await startSession({ keyring: "unlocked" })).env);
      const folder = join(home, ".cache/calctl");
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o777);
      expect(await runWith({ stdin: token }, "login", "--with-token", "--base-url", url)).toMatchObject(
        failed(10, "the keychain's library cannot be loaded"),
      );
      expect(readdirSync(folder).filter((name) => name.startsWith("keychain-"))).toEqual([]);
    });
  });
});
