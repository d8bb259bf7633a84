import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createKeychain } from "../../src/secrets/keychain.js";
import { type AuthorizationServer, startAuthorizationServer } from "../support/authorization-server.js";
import { failed } from "../support/outcomes.js";
import { awaitProcess, interrupt, processesOf } from "../support/processes.js";
import { createInstallation, PROGRAM } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { startSession } from "./support/keyring.js";

/** The built program and the real keyring of a desktop session, in each of its states. */

let server: AuthorizationServer;

beforeEach(async () => {
  server = await startAuthorizationServer();
  server.tokens.add("pat-1");
});

type Installation = ReturnType<typeof createInstallation>;

function signIn(installation: Installation, token = "pat-1") {
  const argv = ["login", "--with-token", "--base-url", server.baseUrl, "-p", "work"];
  return installation.runWith({ stdin: token }, ...argv);
}

/** A profile that counts as signed in, as left by a login in another session. */
function pretendSignedIn({ home }: Installation): void {
  const folder = join(home, ".config", "calctl");
  mkdirSync(folder, { recursive: true });
  const work = { base_url: server.baseUrl, token_store: "keychain", token_origin: server.origin };
  writeFileSync(join(folder, "config.json"), JSON.stringify({ profile: "work", profiles: { work } }));
}

/** Kills the program after 6 seconds, which gives an exit code that no test expects. */
function runLimited(installation: Installation, command: string) {
  return installation.shell(`exec timeout -s KILL 6 "${process.execPath}" "${PROGRAM}" ${command}`);
}

describeWithSystem("keyring", "the keyring", () => {
  describeWithSystem("dbus", "of a session", () => {
    test("unlocked: stores, returns, replaces and removes", async () => {
      const installation = createInstallation((await startSession({ keyring: "unlocked" })).env);
      expect(await signIn(installation)).toMatchObject({ exitCode: 0, stdout: "" });
      expect(await installation.run("whoami", "--fields", "name")).toMatchObject({ stdout: "Ana Maria\n" });
      const longest = "t".repeat(5000);
      server.tokens.add(longest);
      expect((await signIn(installation, longest)).exitCode).toBe(0);
      expect((await installation.run("token")).stdout).toBe(`${longest}\n`);
      expect((await installation.run("logout")).exitCode).toBe(0);
      expect((await installation.run("whoami")).exitCode).toBe(4);
      expect((await installation.run("logout")).exitCode).toBe(0);
    });

    test("unlocked, used by many commands at once: none disturbs another, and no entry of a probe is left", async () => {
      const { env } = await startSession({ keyring: "unlocked" });
      const installation = createInstallation(env);
      const keychain = createKeychain({
        self: [process.execPath, PROGRAM],
        env: { PATH: process.env["PATH"], HOME: installation.home, ...env },
        purpose: "token",
        // With a person's patience, since all of them share the processors.
        interactive: () => true,
        warn: () => undefined,
        signal: () => new AbortController().signal,
      });
      const keyOf = (profile: string) => ({ kind: "token", profile, origin: server.origin }) as const;
      await keychain.save(keyOf("work"), "shared");
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) => [
          keychain.probe(),
          keychain.load(keyOf("work")),
          keychain.save(keyOf(`work-${index}`), `token-${index}`),
          keychain.load(keyOf(`nobody-${index}`)),
          keychain.remove(keyOf(`nobody-${index}`)),
        ]).flatMap((calls) => calls.map((call) => call.catch((error: unknown) => error))),
      );
      const expected = Array.from({ length: 8 }, () => [undefined, "shared", undefined, null, false]);
      expect(results).toEqual(expected.flat());
      const list = `require("keytar").findCredentials("calctl").then((found) => console.log(found.map(({ account }) => account).sort().join("\\n")))`;
      const { stdout } = await installation.shell(
        `cd "${process.cwd()}"; "${process.execPath}" -e '${list}'`,
      );
      const accounts = ["work", ...Array.from({ length: 8 }, (_, index) => `work-${index}`)];
      expect(stdout.trim().split("\n")).toEqual(accounts.map((name) => `${name} ${server.origin}`));
    });

    test("unlocked, with a preloaded module that prints, as monitoring tools do", async () => {
      const session = await startSession({ keyring: "unlocked" });
      const installation = createInstallation(session.env);
      const noise = join(installation.home, "noise.cjs");
      writeFileSync(noise, "process.stdout.write('hello\\n');");
      const env = { NODE_OPTIONS: `--require ${noise}` };
      expect((await signIn(installation)).exitCode).toBe(0);
      expect(await installation.runWith({ env }, "token")).toMatchObject({
        exitCode: 0,
        stdout: "hello\npat-1\n",
      });
    });

    test.each([
      ["locked", "locked", "the keychain is locked or cannot be written"],
      ["without a default collection", "empty", "the keychain is locked or cannot be written"],
      ["absent", "none", "there is no keychain in this session"],
    ] as const)("%s: commands report it and exit with 10", async (_, keyring, words) => {
      const installation = createInstallation((await startSession({ keyring })).env);
      pretendSignedIn(installation);
      for (const command of ["whoami", "logout"]) {
        const result = await installation.run(command);
        expect(result, command).toMatchObject(failed(10, words));
        expect(result.stderr).not.toContain("logged out");
      }
      expect(await signIn(installation)).toMatchObject(failed(10, "--insecure-storage"));
      expect(server.userRequests).toEqual([]);
    });

    test("at an unreachable address: exit 10, and earlier sources work", async () => {
      const env = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/at/all" };
      const installation = createInstallation(env);
      pretendSignedIn(installation);
      expect(await installation.run("whoami")).toMatchObject(
        failed(10, "there is no keychain in this session"),
      );
      const file = join(installation.home, "calctl-token");
      writeFileSync(file, "pat-1\n");
      for (const source of [{ CALCTL_TOKEN_FILE: file }, { CREDENTIALS_DIRECTORY: installation.home }]) {
        expect((await installation.runWith({ env: source }, "whoami")).exitCode).toBe(0);
      }
    });

    test("without any session bus, as in cron: exit 10, and earlier sources work", async () => {
      const installation = createInstallation();
      pretendSignedIn(installation);
      expect(await installation.run("whoami")).toMatchObject(
        failed(10, "there is no keychain in this session"),
      );
      expect((await installation.runWith({ env: { CALCTL_TOKEN: "pat-1" } }, "whoami")).exitCode).toBe(0);
    });

    test("stopped: the program exits with 10 after its timeout, and with 130 on Ctrl-C", async () => {
      const session = await startSession({ keyring: "unlocked" });
      const installation = createInstallation(session.env);
      await signIn(installation);
      session.stop();
      const interrupted = installation.start("whoami");
      await awaitProcess(installation.home, ({ commandLine }) => commandLine.includes("--keychain-helper"));
      interrupt(Number(interrupted.child.pid));
      expect((await interrupted.ended).exitCode).toBe(130);
      expect(await runLimited(installation, "whoami")).toMatchObject(failed(10, "its service hangs"));
      expect(processesOf(installation.home)).toEqual([]);
      expect((await installation.runWith({ env: { CALCTL_TOKEN: "pat-1" } }, "whoami")).exitCode).toBe(0);
    });

    test("that waits for its own prompt: exit 10 after the timeout", async () => {
      const session = await startSession({ keyring: "locked", prompter: true });
      const installation = createInstallation(session.env);
      pretendSignedIn(installation);
      expect(await runLimited(installation, "logout")).toMatchObject(failed(10, "was not unlocked"));
    });
  });
});

describe("the keychain's library", () => {
  test("that cannot be loaded is exit 10; help, version and other sources work", async () => {
    const installation = createInstallation();
    pretendSignedIn(installation);
    // A Node that finds no package: the program is copied to a folder without any.
    const copy = join(installation.home, "program");
    const run = (line: string) =>
      installation.shell(`cp -r "${dirname(PROGRAM)}" "${copy}" 2>/dev/null; ${line}`);
    const program = `"${process.execPath}" "${copy}/calctl.js"`;
    expect(await run(`${program} whoami`)).toMatchObject(failed(10, "the package keytar is not installed"));
    mkdirSync(join(copy, "node_modules/keytar"), { recursive: true });
    // As when a library of the system is missing.
    writeFileSync(
      join(copy, "node_modules/keytar/index.js"),
      'throw new Error("libsecret-1.so.0: missing");',
    );
    expect(await installation.shell(`${program} whoami`)).toMatchObject(
      failed(10, "library cannot be loaded"),
    );
    rmSync(copy, { recursive: true, force: true });
    expect((await run(`${program} --version && ${program} --help`)).exitCode).toBe(0);
    expect((await run(`CALCTL_TOKEN=pat-1 ${program} whoami`)).exitCode).toBe(0);
  });
});
