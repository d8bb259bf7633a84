import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { addressIn } from "../commands/account/login-run.js";
import { type AuthorizationServer, startAuthorizationServer } from "../support/authorization-server.js";
import { awaitProcess, handlesInterrupt, interrupt, processesOf } from "../support/processes.js";
import { createInstallation, type Installation, PROGRAM } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";

/** The built program with terminals, browsers and signals. */

let server: AuthorizationServer;
let installation: Installation;

beforeEach(async () => {
  server = await startAuthorizationServer();
  installation = createInstallation({
    CALCTL_BASE_URL: server.baseUrl,
    CALCTL_AUTH_URL: server.authUrl,
    CALCTL_CLIENT_ID: server.clientId,
    CALCTL_CLIENT_SECRET: server.clientSecret,
  });
});

/** A script as the browser; it gets the URL as its first argument. */
function browser(script: string): Readonly<Record<string, string>> {
  const path = join(installation.home, "browser");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return { BROWSER: path };
}

function startOnTerminal(env: Readonly<Record<string, string>>) {
  return installation.startOnTerminal("calctl login --insecure-storage", env);
}

describeWithSystem("script", "the browser", () => {
  test("opens on a terminal, signs in, and gets no secrets from us", async () => {
    // It may end after the login, when the folder is removed: nothing is written then.
    const fetching = "fetch(process.argv[1]).then((answer) => answer.text())";
    const env = browser(
      `env > "${installation.home}/seen"\nexec "${process.execPath}" -e '${fetching}' "$1"`,
    );
    const { exitCode, stdout } = await startOnTerminal(env).ended;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining("signed in as Ana Maria; profile in use: 127.0.0.1-"),
    });
    expect(readFileSync(join(installation.home, "seen"), "utf8")).not.toContain(server.clientSecret);
  });

  const told = "no browser could be opened: open the address above yourself";

  test.each([
    ["fails", "exit 3", told],
    ["prints", "echo noise; echo noise >&2; exit 0", "paste the address of that page"],
    ["hangs", "exec sleep 60", "paste the address of that page"],
  ])("that %s does not end the login: the URL can be opened by hand", async (_, script, words) => {
    const login = startOnTerminal(browser(script));
    const shown = (await login.stdoutWith(words)).replaceAll("\r", "");
    await fetch(addressIn(shown));
    const { exitCode, stdout } = await login.ended;
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("noise");
  });

  test.each([
    ["there is a display, but no xdg-open", { DISPLAY: ":99" }],
    ["xdg-open fails", { DISPLAY: ":99" }, "exit 3"],
  ])("where %s, the user is told to open the address", async (_, env, opener?: string) => {
    if (opener !== undefined) {
      writeFileSync(join(installation.home, "xdg-open"), `#!/bin/sh\n${opener}\n`, { mode: 0o755 });
    }
    const login = installation.startOnTerminal('PATH="$HOME" calctl login --insecure-storage', env);
    await fetch(addressIn((await login.stdoutWith(told)).replaceAll("\r", "")));
    expect((await login.ended).exitCode).toBe(0);
  });

  test("does not open over ssh; the pasted URL signs in", async () => {
    const opened = join(installation.home, "opened");
    const ssh = { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" };
    const login = startOnTerminal({ ...browser(`touch "${opened}"`), ...ssh });
    const shown = (await login.stdoutWith("paste the address of that page")).replaceAll("\r", "");
    expect(shown).toContain("ssh -L");
    login.child.stdin?.write(`${server.consent(addressIn(shown))}\n`);
    expect((await login.ended).exitCode).toBe(0);
    expect(existsSync(opened)).toBe(false);
  });
});

describeWithSystem("script", "an address that is pasted", () => {
  test("may be longer than the line that a terminal passes on", async () => {
    const login = installation.startOnTerminal("calctl login --no-browser --insecure-storage");
    const shown = (await login.stdoutWith("paste the address of that page")).replaceAll("\r", "");
    const address = `${server.consent(addressIn(shown))}&session=`;
    login.child.stdin?.write(`"${address.padEnd(8_000, "s")}"\r`);
    expect((await login.ended).exitCode).toBe(0);
  });

  test("can be interrupted", async () => {
    const login = installation.startOnTerminal("calctl login --no-browser --insecure-storage");
    await login.stdoutWith("paste the address of that page");
    login.child.stdin?.write("\x03");
    expect(await login.ended).toMatchObject({
      exitCode: 130,
      stdout: expect.stringContaining("interrupted"),
    });
  });
});

describeWithSystem("script", "the client secret", () => {
  test("is prompted for on a terminal and not shown", async () => {
    const login = startOnTerminal({ CALCTL_CLIENT_SECRET: "" });
    await login.stdoutWith("Client secret");
    login.child.stdin?.write(`${server.clientSecret}\r`);
    const shown = (await login.stdoutWith("paste the address of that page")).replaceAll("\r", "");
    login.child.stdin?.write(`${server.consent(addressIn(shown))}\n`);
    const { exitCode, stdout } = await login.ended;
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain(server.clientSecret);
  });
});

describe("signals", () => {
  test("SIGTERM while waiting for the browser: the port is free, no child runs, nothing is stored", async () => {
    const login = installation.start("login", "--no-browser", "--insecure-storage");
    const address = addressIn(await login.stderrWith("code_challenge_method=S256\n"));
    login.child.kill("SIGTERM");
    expect(await login.ended).toMatchObject({ exitCode: 143, stdout: "" });
    const { port } = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
    const again = createServer();
    await new Promise<void>((resolve) => again.listen(Number(port), "127.0.0.1", resolve));
    again.close();
    expect(processesOf(installation.home)).toEqual([]);
    expect(existsSync(join(installation.home, ".config"))).toBe(false);
  });

  describeWithSystem("script", "on a terminal:", () => {
    test("SIGINT while a browser launcher hangs leaves no launcher running", async () => {
      const login = startOnTerminal(browser("exec sleep 60"));
      await awaitProcess(installation.home, ({ commandLine }) => commandLine === "sleep 60 ");
      await interruptLogin();
      expect((await login.ended).exitCode).toBe(130);
      const left = processesOf(installation.home).filter(({ commandLine }) => commandLine.includes("helper"));
      expect(left).toEqual([]);
      for (const { pid } of processesOf(installation.home)) process.kill(pid, "SIGKILL");
    });
  });

  test("SIGINT while stdin is a pipe that stays open: 130", async () => {
    const login = `"${process.execPath}" "${PROGRAM}" login --with-token --insecure-storage`;
    const ended = installation.shell(`${login} < <(exec sleep 60 2>/dev/null)`);
    await interruptLogin();
    const { exitCode, stdout } = await ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    for (const { pid } of processesOf(installation.home)) process.kill(pid, "SIGKILL");
  });

  test("SIGINT while a token command runs: 130, and the command is ended", async () => {
    const folder = join(installation.home, ".config", "calctl");
    mkdirSync(folder, { recursive: true });
    const work = { base_url: server.baseUrl, token_command: '["sleep","60"]' };
    writeFileSync(join(folder, "config.json"), JSON.stringify({ profile: "work", profiles: { work } }));
    const running = installation.start("whoami", "-p", "work");
    onTestFinished(() => void running.child.kill("SIGKILL"));
    await awaitProcess(installation.home, ({ commandLine }) => commandLine === "sleep 60 ");
    interrupt(Number(running.child.pid));
    expect((await running.ended).exitCode).toBe(130);
    expect(processesOf(installation.home)).toEqual([]);
  });
});

/** Sends SIGINT to the login that runs, once it is ready for it. */
async function interruptLogin(): Promise<void> {
  const { pid } = await awaitProcess(
    installation.home,
    (seen) => seen.commandLine.startsWith(`${process.execPath} ${PROGRAM} login`) && handlesInterrupt(seen),
  );
  interrupt(pid);
}
