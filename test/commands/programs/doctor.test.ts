import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createCertificate } from "../../../service/test/support/certificate.js";
import type { Check } from "../../../src/output/views/check.js";
import { startConnectProxy } from "../../support/connect-proxy.js";
import { startFaultServer } from "../../support/fault-server.js";
import { reply } from "../../support/fault-steps.js";
import { createHarness, NOW } from "../../support/harness.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { describeWithDisk, mountDisk } from "../../support/system.js";

/** What `doctor` finds, and with which exit code it ends. */

const namesOf = (checks: readonly Check[]) =>
  checks.map(({ check, ok }) => `${check} ${ok ? "ok" : "failed"}`);

test("where everything is there, every check passes, and the lines for the crontab follow", async () => {
  const { runWith, directory } = await createHarness();
  writeFileSync(join(directory, "sendmail"), "", { mode: 0o755 });
  const argv = ["doctor", "-p", "local", "--as", "mail", "--to", "50%@example.org", "-o", "json"];
  const { stdout } = await runWith({ env: { PATH: directory } }, ...argv);
  const checks: readonly Check[] = JSON.parse(stdout);
  const lines = checks.filter(({ check }) => check === "crontab").map(({ detail }) => detail);
  expect(namesOf(checks.filter(({ check }) => check !== "crontab"))).toEqual([
    "profile ok",
    "token ok",
    "service ok",
    "clock ok",
    "time zone ok",
    "config folder ok",
    "data folder ok",
    "state folder ok",
    "cache folder ok",
    "target ok",
  ]);
  expect(lines.at(-1)).toMatch(
    /^\*\/10 7 \* \* \* \S+.* post -p local --timezone Europe\/Berlin --to 50\\%@example\.org --as mail --once$/,
  );
  expect(lines).toContain(`CALCTL_STATE_DIR=${directory}`);
});

test("uses local if it is the only profile, and names it", async () => {
  const { run } = await createHarness();
  const { exitCode, stdout } = await run("doctor", "-o", "json");
  const checks: readonly Check[] = JSON.parse(stdout);
  expect(exitCode).toBe(0);
  expect(namesOf(checks).slice(0, 3)).toEqual(["profile ok", "token ok", "service ok"]);
  expect(checks[0]?.detail).toBe("local: the embedded service");
  expect(checks.at(-1)?.detail).toContain(" post -p local ");
});

test("says what to set and ends with 10 if other profiles exist and none is in use", async () => {
  const { run } = await createHarness();
  await run("config", "set", "base_url", "https://work.example/", "-p", "work");
  const { exitCode, stdout, stderr } = await run("doctor", "-o", "json");
  const checks: readonly Check[] = JSON.parse(stdout);
  expect(exitCode).toBe(10);
  expect(namesOf(checks)).toEqual([
    "profile failed",
    "time zone ok",
    ...["config", "data", "state", "cache"].map((name) => `${name} folder ok`),
  ]);
  expect(checks[0]?.hint).toContain("CALCTL_PROFILE");
  expect(stderr).toContain("no service was chosen");
});

test("a secret is in no line for the crontab", async () => {
  const { runWith } = await createHarness();
  const env = {
    https_proxy: "http://user:pass@proxy.example",
    HTTPS_PROXY: "user:pass@proxy.example:3128",
    no_proxy: "localhost",
  };
  const { stdout } = await runWith({ env }, "doctor", "-p", "local");
  expect(stdout).toContain("no_proxy=localhost");
  expect(stdout).not.toContain("pass");
});

/** The lines for the crontab of a run with these variables. */
async function crontabOf(env: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const { runWith } = await createHarness();
  const { stdout } = await runWith({ env }, "doctor", "-p", "local", "-o", "json", ...flags);
  const checks: readonly Check[] = JSON.parse(stdout);
  return checks.filter(({ check }) => check === "crontab").map(({ detail }) => detail);
}

test("cron takes HOME from the user database, so another one is in the lines", async () => {
  const { homedir } = userInfo();
  const homeOf = async (HOME: string) =>
    (await crontabOf({ HOME })).filter((line) => line.startsWith("HOME="));
  expect(await homeOf(join(homedir, "other"))).toEqual([`HOME=${join(homedir, "other")}`]);
  expect(await homeOf(homedir)).toEqual([]);
});

test("cron starts jobs in another folder, so files and folders are absolute in the lines", async () => {
  const env = { CALCTL_WEBHOOK_URL_FILE: "url-file", NODE_EXTRA_CA_CERTS: "ca.pem", CALCTL_OUTPUT: "json" };
  expect(await crontabOf(env)).toEqual(
    expect.arrayContaining([
      `CALCTL_WEBHOOK_URL_FILE=${resolve("url-file")}`,
      `NODE_EXTRA_CA_CERTS=${resolve("ca.pem")}`,
      "CALCTL_OUTPUT=json",
    ]),
  );
});

describe("over a network", () => {
  const checksOf = async (world: RemoteWorld) => {
    const { exitCode, stdout } = await world.send("doctor", "-o", "json");
    const checks: readonly Check[] = JSON.parse(stdout);
    return { exitCode, failed: checks.filter(({ ok }) => !ok), checks };
  };

  test("a token of the environment passes, with what a cron job needs instead", async () => {
    const { exitCode, checks } = await checksOf(await createRemoteWorld());
    expect(exitCode).toBe(0);
    expect(checks.find(({ check }) => check === "token")?.hint).toContain("CALCTL_TOKEN_FILE");
  });

  test("a refused token is exit 4, and there are no lines for the crontab", async () => {
    const world = await createRemoteWorld();
    world.server.otherwise([reply({ status: 401 })]);
    const { exitCode, failed, checks } = await checksOf(world);
    expect(exitCode).toBe(4);
    expect(failed).toMatchObject([
      { check: "service", detail: expect.stringContaining("refused the token") },
    ]);
    expect(checks.filter(({ check }) => check === "crontab")).toEqual([]);
  });

  test("a clock that is wrong is exit 10", async () => {
    const world = await createRemoteWorld();
    world.setNow(NOW + 3_600_000);
    const date = new Date(NOW).toUTCString();
    const body = JSON.stringify({ data: { id: "1", type: "user", attributes: { name: "ana" } } });
    world.server.otherwise([reply({ status: 200, headers: { date }, body })]);
    const { exitCode, failed } = await checksOf(world);
    expect({ exitCode, failed }).toMatchObject({
      exitCode: 10,
      failed: [{ check: "clock", detail: "this machine's clock is 3600 s ahead of the service's" }],
    });
  });
});

test("a folder that cannot be made is exit 10, with the variable that names another", async () => {
  const { runWith, directory } = await createHarness();
  writeFileSync(join(directory, "file"), "");
  const env = { CALCTL_STATE_DIR: join(directory, "file", "state") };
  const { exitCode, stdout } = await runWith({ env }, "doctor", "-p", "local", "-o", "json");
  const checks: readonly Check[] = JSON.parse(stdout);
  expect(exitCode).toBe(10);
  expect(checks.filter(({ ok }) => !ok)).toMatchObject([
    {
      check: "state folder",
      detail: expect.stringContaining("not a directory"),
      hint: expect.stringContaining("CALCTL_STATE_DIR"),
    },
  ]);
});

test("a state database that jobs could not use is exit 10, and one that is missing is not created", async () => {
  const { runWith, directory } = await createHarness();
  const state = join(directory, "state.db");
  const doctor = () => runWith({}, "doctor", "-p", "local");
  expect((await doctor()).exitCode).toBe(0);
  expect(existsSync(state)).toBe(false);
  writeFileSync(state, "");
  const { exitCode, stdout } = await doctor();
  expect(exitCode).toBe(10);
  expect(stdout).toContain(`state folder\tfalse\tthe state database ${state} is empty`);
  expect(stdout).not.toContain(" post ");
});

test("on a terminal, a line for each check, and what to do below it", async () => {
  const { runWith, directory } = await createHarness();
  writeFileSync(join(directory, "file"), "");
  const env = { CALCTL_STATE_DIR: join(directory, "file", "state"), NO_COLOR: "1", LC_ALL: "C.UTF-8" };
  const { stdout } = await runWith({ env, columns: 400 }, "doctor", "-p", "local");
  expect(stdout).toContain("✓ profile        local: the embedded service\n");
  // The path of the folder decides where the line wraps.
  expect(stdout.replaceAll(/\n {17}/g, " ")).toMatch(
    /\n✗ state folder {3}.* cannot be written to \(not a directory\) CALCTL_STATE_DIR can name another folder\n/,
  );
});

test("on a narrow terminal, no word is broken, and paths stay whole", async () => {
  const { runWith, directory } = await createHarness();
  writeFileSync(join(directory, "file"), "");
  const env = { CALCTL_STATE_DIR: join(directory, "file", "state"), NO_COLOR: "1", LC_ALL: "C.UTF-8" };
  const { stdout } = await runWith({ env, columns: 40 }, "doctor", "-p", "local");
  const indent = " ".repeat(17);
  expect(stdout).toContain(`✓ profile        local: the embedded\n${indent}service\n`);
  expect(stdout).toContain(`${indent}CALCTL_STATE_DIR can\n${indent}name another folder\n`);
  expect(stdout).toContain(`✓ config folder  ${directory}\n`);
});

test("the line has the calendars that were given", async () => {
  const { runWith } = await createHarness();
  const { stdout } = await runWith({}, "doctor", "-p", "local", "-c", "Personal");
  expect(stdout).toContain(" post -p local -c Personal --timezone Europe/Berlin ");
});

test("on Windows, there are lines for the task scheduler instead", async () => {
  const { runWith } = await createHarness();
  const options = { platform: "win32", columns: 80, env: { CALCTL_TIMEZONE: "Asia/Tokyo" } };
  const { stdout } = await runWith(options, "doctor", "-p", "local", "-c", "Our home", "-o", "table");
  const [, lines = ""] = stdout.split("For the task scheduler (at the command prompt):\n");
  expect(lines).toContain('setx CALCTL_TIMEZONE "Asia/Tokyo"\n');
  expect(lines).toMatch(
    /^schtasks \/Create \/TN calctl-digest \/SC DAILY \/ST 07:00 \/RI 10 \/DU 01:00 \/TR "\S.* post -p local -c \\"Our home\\" --timezone Asia\/Tokyo --to NAME --once"\n$/m,
  );
  expect(stdout).not.toContain("crontab");
});

test("on Windows, a token of the environment passes, with how a task gets another", async () => {
  const world = await createRemoteWorld();
  const { stdout } = await world.runWith({ platform: "win32", env: world.env }, "doctor", "-o", "json");
  const checks: readonly Check[] = JSON.parse(stdout);
  expect(checks.find(({ check }) => check === "token")).toMatchObject({
    detail: "from CALCTL_TOKEN, which a task has only if it was set with setx",
    hint: "write it into a file that only you can read, and set CALCTL_TOKEN_FILE with setx",
  });
});

test.each([
  [0o600, null],
  [0o644, 'chmod 600 "$CALCTL_TOKEN_FILE", unless you are the only user of this machine'],
])("a token file of mode %o passes, with the hint %j", async (mode, hint) => {
  const world = await createRemoteWorld();
  const { CALCTL_TOKEN: token = "", ...env } = world.env;
  const file = join(world.directory, "token-file");
  writeFileSync(file, token);
  chmodSync(file, mode);
  const { stdout } = await world.runWith(
    { env: { ...env, CALCTL_TOKEN_FILE: file } },
    "doctor",
    "-o",
    "json",
  );
  const checks: readonly Check[] = JSON.parse(stdout);
  expect(checks.find(({ check }) => check === "token")).toMatchObject({ ok: true, hint });
});

describeWithDisk("on a disk that is full,", () => {
  test("a folder in which files can be made but not written is exit 10", async () => {
    const { runWith } = await createHarness();
    const disk = mountDisk(1);
    disk.fill();
    const env = { CALCTL_STATE_DIR: disk.path };
    const { exitCode, stdout } = await runWith({ env }, "doctor", "-p", "local", "-o", "json");
    const checks: readonly Check[] = JSON.parse(stdout);
    expect(exitCode).toBe(10);
    expect(checks.filter(({ ok }) => !ok)).toMatchObject([
      {
        check: "state folder",
        detail: expect.stringContaining("no space left on device"),
        hint: expect.stringContaining("space"),
      },
    ]);
    expect(readdirSync(disk.path)).toEqual(["filling"]);
  });
});

describe("--to", () => {
  let hook: Listener;
  let webhook: Readonly<Record<string, string>>;
  beforeEach(async () => {
    hook = await startListener();
    webhook = { CALCTL_PROFILE: "local", CALCTL_WEBHOOK_URL: `${hook.url}/hooks/s3cret` };
  });

  test("checks a target without posting, and writes it into the line", async () => {
    const { runWith } = await createHarness();
    const stdin = `${hook.url}/hooks/s3cret`;
    const add = await runWith({ stdin }, "targets", "add", "team", "--as", "slack", "--insecure-storage");
    expect(add.exitCode).toBe(0);
    const { exitCode, stdout } = await runWith({}, "doctor", "-p", "local", "--to", "team");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("target\ttrue\ttarget team, for slack\t");
    expect(stdout).toMatch(/ post -p local --timezone Europe\/Berlin --to team --once\t/);
    expect(stdout).not.toContain("s3cret");
    expect(hook.connections()).toBe(1);
    expect(hook.received()).toBe("");
  });

  test("is exit 8 where nothing listens", async () => {
    const { runWith } = await createHarness();
    await hook.close();
    const { exitCode, stdout } = await runWith({ env: webhook }, "doctor", "--as", "slack");
    expect(exitCode).toBe(8);
    expect(stdout).toMatch(/target\tfalse\tCALCTL_WEBHOOK_URL: 127\.0\.0\.1:\d+ refused the connection\t/);
    expect(stdout).not.toContain(" post ");
  });

  test("is exit 10 for a certificate that is not trusted, and nothing is posted", async () => {
    const { runWith } = await createHarness();
    const tls = await startFaultServer({ tls: createCertificate() });
    const env = { ...webhook, CALCTL_WEBHOOK_URL: `${tls.baseUrl}/hooks/s3cret` };
    const { exitCode, stdout } = await runWith({ env }, "doctor", "--as", "discord");
    expect(exitCode).toBe(10);
    expect(stdout).toMatch(/target\tfalse\t.*self-signed/);
    expect(tls.requests).toEqual([]);
  });

  test("goes through the proxy, and posts nothing through it", async () => {
    const { runWith } = await createHarness();
    const tls = await startFaultServer({ tls: createCertificate() });
    const proxy = await startConnectProxy({ target: tls.host });
    const env = {
      ...webhook,
      CALCTL_WEBHOOK_URL: "https://hooks.example/s3cret",
      HTTPS_PROXY: `http://${proxy.host}`,
    };
    expect((await runWith({ env }, "doctor", "--as", "slack")).exitCode).toBe(10);
    expect(proxy.requests.map(({ target }) => target)).toEqual(["hooks.example:443"]);
    expect(tls.requests).toEqual([]);
  });

  test("says that others may read the file with the URL", async () => {
    const { runWith, directory } = await createHarness();
    const file = join(directory, "url-file");
    writeFileSync(file, `${hook.url}/hooks/s3cret`);
    chmodSync(file, 0o640);
    const env = { CALCTL_PROFILE: "local", CALCTL_WEBHOOK_URL_FILE: file };
    const { exitCode, stdout } = await runWith({ env }, "doctor", "--as", "slack");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/target\ttrue\t.*which other users .* \(mode 640\)\tchmod 600/);
  });

  test("checks that of the environment, whose URL is in no line", async () => {
    const { runWith } = await createHarness();
    const { exitCode, stdout } = await runWith({ env: webhook }, "doctor", "--as", "slack");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("CALCTL_PROFILE=local");
    expect(stdout).toMatch(/ post -p local --timezone Europe\/Berlin --as slack --once\t/);
    expect(stdout).toContain(
      "target\ttrue\tCALCTL_WEBHOOK_URL, for slack, which is not set in a cron job\twrite it into a file",
    );
    expect(stdout).not.toContain("s3cret");
  });

  test("says of credentials of a unit that a cron job has none", async () => {
    const { runWith, directory, env } = await createRemoteWorld();
    const { CALCTL_BASE_URL = "", CALCTL_TOKEN = "" } = env;
    writeFileSync(join(directory, "calctl-token"), CALCTL_TOKEN, { mode: 0o400 });
    writeFileSync(join(directory, "calctl-webhook-url"), `${hook.url}/hooks/s3cret`, { mode: 0o400 });
    const unit = { CALCTL_BASE_URL, CREDENTIALS_DIRECTORY: directory };
    const { stdout } = await runWith({ env: unit }, "doctor", "--as", "slack");
    expect(stdout).toContain(
      "token\ttrue\tfrom CREDENTIALS_DIRECTORY, which is not set in a cron job\twrite it into a file",
    );
    expect(stdout).toMatch(/target\ttrue\t.*calctl-webhook-url, for slack, which is not set in a cron job\t/);
  });

  test("an email address as a name gets a hint to add --as mail", async () => {
    const { run } = await createHarness();
    const { exitCode, stderr } = await run("doctor", "-p", "local", "--to", "ana@example.org");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 5,
      stderr: 'error: there is no target "ana@example.org"\nhint: for an email address add --as mail\n',
    });
  });

  test("an unknown one is exit 5", async () => {
    const { run } = await createHarness();
    expect((await run("doctor", "-p", "local", "--to", "nosuch")).exitCode).toBe(5);
  });
});

/** Takes connections, and says nothing. */
interface Listener {
  readonly url: string;
  readonly connections: () => number;
  /** Every byte so far. */
  readonly received: () => string;
  close(): Promise<void>;
}

async function startListener(): Promise<Listener> {
  const chunks: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("data", (chunk) => void chunks.push(chunk)).on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => void server.close();
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    received: () => Buffer.concat(chunks).toString(),
    close,
  };
}
