import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runSql } from "../../service/test/support/database.js";
import { failed } from "../support/outcomes.js";
import { createInstallation, type Installation, PROGRAM, TOMORROW } from "../support/spawned.js";
import { words } from "../support/words.js";

/** The built program as the system sees it: streams, signals, files, exit codes. */

const MANIFEST = new URL("../../package.json", import.meta.url);

const CREATE = words`events create --title T --start ${TOMORROW}T12:00 --duration 1h --timezone UTC`;

function databaseOf({ home }: Installation): string {
  return join(home, ".local", "share", "calctl", "local.db");
}

describe("first use", () => {
  test("creates the database, private to its owner, and reports the path once", async () => {
    const installation = createInstallation();
    const first = await installation.run("whoami");
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toContain(databaseOf(installation));
    const second = await installation.run("whoami");
    expect(second).toEqual({ exitCode: 0, stdout: first.stdout, stderr: "" });
    const folder = join(installation.home, ".local", "share", "calctl");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test("of ten concurrent processes creates one user and one calendar", async () => {
    const installation = createInstallation();
    const runs = await Promise.all(
      Array.from({ length: 10 }, () => installation.run("calendars", "-o", "json")),
    );
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(10).fill(0));
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
    expect(runs.filter(({ stderr }) => stderr.includes("created the calendar database"))).toHaveLength(1);
  });

  /** Runs the program where the tables of characters cannot be loaded. @returns its result and Node's own modules */
  async function runWithoutWidths({ home, shell }: Installation, ...argv: readonly string[]) {
    const [preload, list] = [join(home, "preload.cjs"), join(home, "loaded")];
    const code = `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n")));
      Intl.Segmenter = class { constructor() { throw new Error("the widths of characters were loaded"); } };`;
    writeFileSync(preload, code);
    const result = await shell(`"${process.execPath}" -r "${preload}" "${PROGRAM}" ${argv.join(" ")}`);
    return { ...result, loaded: readFileSync(list, "utf8").split("\n") };
  }

  test("--help loads no cryptography, no questions and no tables of characters", async () => {
    const { loaded, ...help } = await runWithoutWidths(createInstallation(), "--help");
    expect(help).toMatchObject({ exitCode: 0, stderr: "" });
    expect(loaded).toContain("NativeModule vm");
    for (const name of ["crypto", "readline", "http"]) expect(loaded).not.toContain(`NativeModule ${name}`);
  });

  test("commands that draw nothing load no tables of characters", async () => {
    const installation = createInstallation();
    const times = ["--start", `${TOMORROW}T12:00`, "--duration", "1h"];
    const created = await installation.run("events", "create", "--title", "Lunch", ...times, "--jq", ".id");
    const id = created.stdout.trim();
    for (const argv of [
      ["calendars"],
      ["events", "list"],
      ["events", "get", id],
      ["events", "update", id, "--location", "Home"],
      ["comment", id, "Yes"],
      ["comments", id],
      ["events", "delete", id, "--yes"],
    ]) {
      const { exitCode, stderr } = await runWithoutWidths(installation, ...argv, "-o", "json");
      expect({ argv, exitCode, stderr }).toEqual({ argv, exitCode: 0, stderr: "" });
    }
  });

  test("--help and --version write nothing", async () => {
    const installation = createInstallation({ CALCTL_PROFILE: "", CALCTL_TOKEN: "" });
    expect((await installation.run("--help")).exitCode).toBe(0);
    expect((await installation.run("events", "list", "--help")).exitCode).toBe(0);
    expect((await installation.run("help", "events", "list")).stdout).toContain("--days");
    expect((await installation.run()).stdout).toMatch(/^Usage: calctl/);
    expect((await installation.run("nonsense", "--help")).exitCode).toBe(2);
    expect(await installation.run("--version")).toEqual({
      exitCode: 0,
      stdout: `${JSON.parse(readFileSync(MANIFEST, "utf8")).version}\n`,
      stderr: "",
    });
    expect(readdirSync(installation.home)).toEqual([]);
  });
});

describe("the code cache", () => {
  test.each([
    ["damaged", (cache: Buffer) => cache.fill(0x5a, cache.length >> 1)],
    ["cut short", (cache: Buffer) => cache.subarray(0, cache.length >> 1)],
    ["empty", () => Buffer.alloc(0)],
  ])("that is %s is not used", async (_, damage) => {
    const installation = createInstallation();
    const copy = join(installation.home, "dist");
    cpSync(dirname(PROGRAM), copy, { recursive: true });
    symlinkSync(join(dirname(PROGRAM), "..", "node_modules"), join(installation.home, "node_modules"));
    for (const name of readdirSync(copy).filter((file) => file.endsWith(".cache"))) {
      writeFileSync(join(copy, name), damage(readFileSync(join(copy, name))));
    }
    const { exitCode, stdout } = await installation.shell(`node ${join(copy, "calctl.js")} config path`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("config.json") });
  });
});

test("without a home folder is exit 10 with the variables to set; with them it works", async () => {
  const installation = createInstallation({ HOME: "relative" });
  expect((await installation.run("config", "path")).stdout).toMatch(/^\//);
  const named = { CALCTL_CONFIG_DIR: installation.home, CALCTL_DATA_DIR: installation.home };
  expect((await installation.runWith({ env: named }, "whoami")).exitCode).toBe(0);
});

describe("broken files", () => {
  test("a damaged database is reported, not as an internal error of the service", async () => {
    const installation = createInstallation();
    await installation.run(...CREATE);
    const path = databaseOf(installation);
    const bytes = readFileSync(path);
    // The first page, with header and schema, stays; everything after it is lost.
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x5a)]));
    expect(await installation.run("events", "list", "--days", "2")).toMatchObject(failed(10, path));
  });
});

describe("environment", () => {
  test("a TZ that is not an IANA name counts as UTC, with a note", async () => {
    const installation = createInstallation({ TZ: "JST-9" });
    const { stdout, stderr } = await installation.run(...CREATE.slice(0, -2), "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ start_local: `${TOMORROW}T12:00:00+00:00` });
    expect(stderr).toContain('TZ: "JST-9" is not the name of a time zone');
    expect(stderr).toContain("UTC");
  });

  test("an empty TZ counts as unset", async () => {
    const { stderr } = await createInstallation({ TZ: "" }).run(...CREATE.slice(0, -2));
    expect(stderr).not.toContain("using UTC");
  });

  test("an empty token counts as an unset secret: exit 10", async () => {
    for (const name of ["CALCTL_TOKEN", "CALCTL_TOKEN_FILE", "CALCTL_BASE_URL", "CALCTL_PROFILE"]) {
      const { exitCode, stderr } = await createInstallation({ [name]: "" }).run("whoami");
      expect({ name, exitCode }).toEqual({ name, exitCode: 10 });
      expect(stderr).toContain(name);
    }
  });

  test("a token is not sent without a base URL", async () => {
    const { exitCode, stderr } = await createInstallation({ CALCTL_TOKEN: "sentinel" }).run("whoami");
    expect(exitCode).toBe(10);
    expect(stderr).not.toContain("sentinel");
  });
});

test("service start behind a proxy tells the port that it has taken", async () => {
  const { stdoutWith, stderrWith } = createInstallation().start(
    ...["service", "start", "--memory", "--port", "0", "-o", "json"],
    ...["--public-url", "https://calendar.example", "--trust-proxy", "127.0.0.1"],
  );
  const { base_url: url, listen } = JSON.parse(await stdoutWith("\n"));
  expect(url).toBe("https://calendar.example");
  expect(listen).toMatch(/^127\.0\.0\.1:[1-9]\d+$/);
  await stderrWith(`listening on ${listen} for https://calendar.example,`);
  await stderrWith("users sign in at https://calendar.example/oauth\n");
  expect((await fetch(`http://${listen}/user`)).status).toBe(401);
});

test.each([
  [[], "calctl"],
  [["--no-public-client"], undefined],
])("service start %j says where users sign in, and with the public client %s", async (flags, client) => {
  const argv = ["service", "start", "--memory", "--port", "0", "-o", "json", ...flags];
  const { stdoutWith, stderrWith } = createInstallation().start(...argv);
  const { base_url: url, auth_url: authUrl } = JSON.parse(await stdoutWith("\n"));
  await stderrWith(`users sign in at ${authUrl}\n`);
  const page = await fetch(authUrl);
  expect({ status: page.status, text: await page.text() }).toEqual({
    status: 200,
    text: expect.stringContaining(`calctl login --base-url ${url}`),
  });
  const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({ issuer: url, authorization_endpoint: `${authUrl}/authorize` });
  expect((metadata as Record<string, unknown>)["calctl_client_id"]).toBe(client);
});

test.each([
  ["text", "text", (id: string) => `${id} 127.0.0.1 GET /user 401 `],
  [
    "JSON",
    "json",
    (id: string) => `"id":"${id}","address":"127.0.0.1","method":"GET","path":"/user","status":401,`,
  ],
])("service start --log writes a request as %s", async (_, format, line) => {
  const running = createInstallation().start(
    ...["service", "start", "--memory", "--port", "0", "-o", "json", "--log", format],
  );
  const { base_url } = JSON.parse(await running.stdoutWith("\n"));
  const { headers } = await fetch(`${base_url}/user?state=secret`);
  const log = await running.stderrWith("/user");
  expect(log).toContain(line(headers.get("x-request-id") ?? "none"));
  expect(log).not.toContain("secret");
});

test("service start without --log writes failures alone", async () => {
  const installation = createInstallation();
  const argv = ["service", "start", "--port", "0", "-o", "json"];
  const running = installation.start(...argv);
  const { base_url } = JSON.parse(await running.stdoutWith("\n"));
  await fetch(`${base_url}/user`);
  runSql(databaseOf(installation), "drop table settings");
  const { status, headers } = await fetch(`${base_url}/readyz`);
  expect(status).toBe(500);
  const log = await running.stderrWith("/readyz");
  expect(log).toContain(`${headers.get("x-request-id")} 127.0.0.1 GET /readyz 500 `);
  expect(log).toContain("no such table: settings");
  expect(log).not.toContain("/user");
});

test("service start --sample prints for reading who can sign in and with what", async () => {
  const running = createInstallation().start("service", "start", "--memory", "--sample", "--port", "0");
  const text = await running.stdoutWith("/callback\n");
  const secret = "[\\w-]{43}";
  const cells = (...texts: readonly string[]) => new RegExp(`│ ${texts.join(" +│ ")} +│`);
  expect(text).toMatch(cells("Login", "Password"));
  expect(text).toMatch(cells("sample", secret));
  expect(text).toMatch(cells("guest", secret));
  expect(text).toMatch(new RegExp(`^token +cal_${secret}$`, "m"));
  expect(text).toMatch(/^client id +[0-9a-f]{16}$/m);
  expect(text).toMatch(new RegExp(`^client secret +${secret}$`, "m"));
  expect(text).toMatch(/^redirect URI +http:\/\/127\.0\.0\.1:\d+\/callback$/m);
});

test("another process reaches the service over a socket, with what --sample prints", async () => {
  const running = createInstallation().start(...words`service start --memory --sample --port 0 -o json`);
  const { base_url: url, token, user } = JSON.parse(await running.stdoutWith("\n"));
  const { run } = createInstallation({ CALCTL_TOKEN: token, CALCTL_BASE_URL: url });
  expect(JSON.parse((await run("whoami", "-o", "json")).stdout)).toMatchObject({
    id: user.id,
    name: user.name,
  });
  expect((await run("calendars", "--fields", "name")).stdout).toBe("Family\nWork\n");
  expect((await run("events", "list", "-A", "--days", "7", "--fail-empty")).exitCode).toBe(0);
});
