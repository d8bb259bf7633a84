import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { RunResult } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { PROGRAM, TOMORROW } from "../support/spawned.js";
import { describeOnWindows, WINDOWS_NODE } from "../support/system.js";
import { words } from "../support/words.js";

/** The built program in wine, with a Node for Windows. docs/platforms.md says what wine does not show. */

let root: string;
let env: Readonly<Record<string, string>>;
/** The result of the first command, which creates the database. */
let first: RunResult;

/** The home folder of the user, here and for programs of Windows. */
const home = () => join(root, "drive_c", "users", "ana");
const HOME = "C:\\users\\ana";

/** In wine 8 a socket with keep-alive cannot connect, which is so for `fetch` of Node, too. */
const NO_KEEP_ALIVE = "require('node:net').Socket.prototype.setKeepAlive = function () { return this; };";

const windowsPath = (path: string) => `Z:${path.replaceAll("/", "\\")}`;

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

let starts = 0;

/** Node for Windows takes no pipe of Linux, so its streams are files. */
function start(argv: readonly string[], options: StartOptions = {}) {
  starts += 1;
  const [stdin = "", stdout = "", stderr = ""] = [0, 1, 2].map((stream) => join(root, `${starts}-${stream}`));
  writeFileSync(stdin, options.stdin ?? "");
  const stdio = [openSync(stdin, "r"), openSync(stdout, "w"), openSync(stderr, "w")];
  const args = [WINDOWS_NODE ?? "", windowsPath(PROGRAM), ...argv];
  const child = spawn("wine", args, { cwd: home(), env: { ...env, ...options.env }, stdio });
  for (const file of stdio) closeSync(file);
  const ended = new Promise<RunResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      resolve({
        exitCode: code ?? 1,
        stdout: readFileSync(stdout, "utf8"),
        stderr: readFileSync(stderr, "utf8"),
      });
    });
  });
  return { child, ended, stderr: () => readFileSync(stderr, "utf8") };
}

const run = (...argv: readonly string[]) => start(argv).ended;
const runWith = (options: StartOptions, ...argv: readonly string[]) => start(argv, options).ended;

/** What a command prints that must succeed, without a word on stderr. */
async function output(...argv: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(...argv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}

async function json<T = Readonly<Record<string, unknown>>>(...argv: readonly string[]): Promise<T> {
  return JSON.parse(await output(...argv, "-o", "json"));
}

/** What a server on this machine was sent. */
async function startReceiver(): Promise<{ readonly url: string; readonly bodies: readonly string[] }> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies };
}

const ODD_TITLE = 'Zoë & "Ünï" %PATH% ^|<>  日本';

describeOnWindows("on Windows", () => {
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "calctl-wine-"));
    const preload = join(root, "preload.cjs");
    writeFileSync(preload, NO_KEEP_ALIVE);
    env = {
      PATH: process.env["PATH"] ?? "",
      HOME: root,
      USER: "ana",
      LC_ALL: "C.UTF-8",
      WINEPREFIX: root,
      WINEDEBUG: "-all",
      NODE_SKIP_PLATFORM_CHECK: "1",
      NODE_OPTIONS: `--require Z:${preload}`,
      CALCTL_TIMEZONE: "Europe/Berlin",
      APPDATA: `${HOME}\\AppData\\Roaming`,
      LOCALAPPDATA: `${HOME}\\AppData\\Local`,
    };
    expect(spawnSync("wine", ["wineboot", "--init"], { env }).status).toBe(0);
    mkdirSync(home(), { recursive: true });
    first = await run("calendars", "-p", "local", "--fields", "name");
  });

  afterAll(() => {
    spawnSync("wineserver", ["--kill"], { env });
    spawnSync("wineserver", ["--wait"], { env });
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  test("a first command says where the database is, and doctor finds everything for a task", async () => {
    expect(first).toEqual({
      exitCode: 0,
      stdout: "Personal\n",
      stderr: `created the calendar database of the profile local: ${HOME}\\AppData\\Local\\calctl\\local.db\n`,
    });
    expect(await output("config", "path", "-o", "text")).toBe(
      `${HOME}\\AppData\\Roaming\\calctl\\config.json\n`,
    );
    const checks = await json<readonly Record<string, unknown>[]>("doctor", "-p", "local");
    expect(checks.filter(({ ok }) => ok !== true)).toEqual([]);
    const folders = checks
      .filter(({ check }) => String(check).endsWith(" folder"))
      .map(({ detail }) => detail);
    const local = `${HOME}\\AppData\\Local\\calctl`;
    expect(folders).toEqual([`${HOME}\\AppData\\Roaming\\calctl`, local, local, `${local}\\cache`]);
    expect(checks.at(-1)).toMatchObject({
      check: "task scheduler",
      detail: expect.stringMatching(/^schtasks /),
    });
  });

  test("events are created, listed in each format, edited and deleted", async () => {
    const when = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "--location", "C:\\temp\\new"];
    const event = await json("events", "create", "-p", "local", "--title", ODD_TITLE, ...when);
    const id = String(event["id"]);
    const list = ["events", "list", "-p", "local", "--days", "3"];
    expect(await json(...list)).toMatchObject([{ id, title: ODD_TITLE, location: "C:\\temp\\new" }]);
    expect(await output(...list, "-o", "csv")).toContain(
      `,"${ODD_TITLE.replaceAll('"', '""')}",C:\\temp\\new\r\n`,
    );
    expect(await output(...list, "-o", "ics")).toContain("LOCATION:C:\\\\temp\\\\new\r\n");
    expect(await output("agenda", "-p", "local", "-o", "table")).toContain(ODD_TITLE);

    const editor = join(home(), "my editor.cmd");
    writeFileSync(editor, "@echo title: Dinner>%1\r\n");
    const edited = await runWith(
      { env: { EDITOR: `"${HOME}\\my editor.cmd"` } },
      ...words`events update -p local ${id} --edit`,
    );
    expect(edited).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("\tDinner\t") });

    expect(await run("events", "delete", "-p", "local", id)).toMatchObject({ exitCode: 2 });
    expect(await output("events", "delete", "-p", "local", id, "--yes")).toBe("");
    expect(await run("events", "get", "-p", "local", id)).toMatchObject({ exitCode: 5, stdout: "" });
  });

  test("a backup is made, replaces nothing and is sound", async () => {
    const file = `${HOME}\\the backup.db`;
    expect(await json("service", "backup", file)).toMatchObject({ file });
    expect(await run("service", "backup", file)).toMatchObject(failed(2, `${file} exists already`));
    const checks = await json<readonly Record<string, unknown>[]>(
      ...words`service check --db sqlite:${file}`,
    );
    expect(checks.filter(({ ok }) => ok !== true)).toEqual([]);
  });

  test("processes that change the configuration at once wait for each other", async () => {
    const profiles = ["one", "two", "three", "four", "five", "six"];
    await Promise.all(
      profiles.map((name) => output("config", "set", "base_url", `https://${name}.test`, "-p", name)),
    );
    const listed = await json<readonly Record<string, unknown>[]>("profiles", "list");
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(profiles));
  });

  test("a webhook is saved in a file and in Windows' keychain, and posted to once", async () => {
    const { url, bodies } = await startReceiver();
    for (const [name, ...flags] of [["file", "--insecure-storage"], ["keychain"]]) {
      const added = await runWith(
        { stdin: `${url}\r\n` },
        ...words`targets add ${String(name)} --as slack --url-file -`,
        ...flags,
      );
      expect(added).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("saved target") });
      for (const _ of ["first", "again"])
        await output("post", "-p", "local", "--to", String(name), "--if-empty", "say", "--once");
    }
    expect(bodies).toHaveLength(2);
    await output("targets", "add", "me", "--as", "mail", "--to", "ana@example.org", "-q");
    expect(await run("post", "-p", "local", "--to", "me", "--if-empty", "say")).toMatchObject(
      failed(10, "there is no sendmail.exe in PATH"),
    );
  });

  test("remind runs a program once, and says how to run a batch file", async () => {
    await run(...words`events create -p local --title Soon --start "in 10 minutes" --duration 1h`);
    const remind = ["remind", "-p", "local", "--before", "15m", "--"];
    const print = ["cmd", "/c", "echo %CALCTL_EVENT_TITLE%"];
    expect(await output(...remind, ...print)).toBe("Soon\r\n");
    expect(await output(...remind, ...print)).toBe("");
    writeFileSync(join(home(), "notice.cmd"), "@echo notice\r\n");
    expect(await run(...remind, `${HOME}\\notice.cmd`)).toMatchObject(
      failed(1, `\nhint: cmd runs batch files: cmd /c ${HOME}\\notice.cmd\n`),
    );
    expect(await output(...remind, "cmd", "/c", `${HOME}\\notice.cmd`)).toBe("notice\r\n");
  });

  test("a service is served to a token from the keychain, and from files of any mode", async () => {
    await runWith({ stdin: "a long password\r\n" }, "service", "users", "add", "Ben");
    const token = await output("service", "tokens", "create", "--user", "Ben", "--fields", "token");
    const service = start(["service", "start", "--port", "0"]);
    onTestFinished(async () => {
      service.child.kill("SIGKILL");
      await service.ended;
    });
    const address = /listening on (\S+),/;
    await expect.poll(service.stderr).toMatch(address);
    const url = address.exec(service.stderr())?.[1] ?? "";
    for (const flags of [[], ["--insecure-storage"]]) {
      const login = await runWith(
        { stdin: token },
        ...words`login --with-token --base-url ${url} -p work`,
        ...flags,
      );
      expect(login).toMatchObject({ exitCode: 0 });
      expect(await output("whoami", "-p", "work", "--fields", "name")).toBe("Ben\n");
      expect(await run("logout", "-p", "work")).toMatchObject({ exitCode: 0 });
      expect(await run("whoami", "-p", "work")).toMatchObject({ exitCode: 4 });
    }
    writeFileSync(join(home(), "token"), token, { mode: 0o666 });
    const fromFile = { env: { CALCTL_TOKEN_FILE: `${HOME}\\token`, CALCTL_BASE_URL: url } };
    expect(await runWith(fromFile, "whoami", "--fields", "name")).toEqual({
      exitCode: 0,
      stdout: "Ben\n",
      stderr: "",
    });
  });
});
