import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lockInOtherProcess, runSql } from "../../service/test/support/database.js";
import { failed } from "../support/outcomes.js";
import { awaitProcess, handlesInterrupt, interrupt, processesOf } from "../support/processes.js";
import { createInstallation, PROGRAM, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { answer, answerJson, startSilentServer } from "./support/silent-server.js";
import { openTerminal } from "./support/tmux.js";

/** Ctrl-C and kill, at each point of a run of the built program. */

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

const TIMES = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "--timezone", "UTC"];

async function startOnline() {
  const server = await startSilentServer();
  const env = { CALCTL_TOKEN: "token-0123456789", CALCTL_BASE_URL: server.url };
  return { server, ...createInstallation(env) };
}

const CALENDARS = { data: [{ id: "cal", type: "calendar", attributes: { name: "Family" } }] };

type Server = Awaited<ReturnType<typeof startOnline>>["server"];

/** Answers what is asked before a DELETE: which calendars there are, and each event. */
async function answerReads(server: Server, ...ids: readonly string[]): Promise<void> {
  answerJson(await server.asked("GET /calendars "), CALENDARS);
  for (const id of ids) {
    const data = { id, type: "event", attributes: { title: id, category: "schedule" } };
    answerJson(await server.asked(`GET /calendars/cal/events/${id}`), { data });
  }
}

test("SIGKILL during one of several deletes leaves what was sent for calctl undo", async () => {
  const { server, start } = await startOnline();
  const running = start("events", "delete", "e1", "e2", "e3", "--yes", "-c", "cal");
  await answerReads(server, "e1", "e2", "e3");
  answer(await server.asked("DELETE /calendars/cal/events/e1"), "204 No Content", {});
  await server.asked("DELETE /calendars/cal/events/e2");
  running.child.kill("SIGKILL");
  await running.ended;
  const { stdout } = await start("undo", "--list", "-o", "json").ended;
  expect(JSON.parse(stdout)).toMatchObject([{ command: "events delete", events: ["e1", "e2"] }]);
});

describe.each(SIGNALS)("%s", (signal, code) => {
  test("during a request ends it, and prints nothing on stdout", async () => {
    const { server, start } = await startOnline();
    const running = start("whoami");
    await server.asked("GET /user");
    running.child.kill(signal);
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toMatch(/^error: (?:interrupted|terminated|hung up)\n$/);
  });

  test("ends service start with 0", async () => {
    const running = createInstallation().start("service", "start", "--memory", "--port", "0", "-o", "json");
    expect(JSON.parse(await running.stdoutWith("\n")).base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    running.child.kill(signal);
    expect((await running.ended).exitCode).toBe(0);
  });
});

/** test/terminal/signals.test.ts has the code of each signal. */
describe("SIGTERM", () => {
  const [signal, code] = ["SIGTERM", 143] as const;

  test.each([
    ["POST", ["events", "create", "--title", "T", ...TIMES]],
    ["POST", ["comment", "event-1", "hello"]],
    ["DELETE", ["events", "delete", "event-1", "--yes"]],
  ])("during a %s reports that the outcome is unknown", async (method, argv) => {
    const { server, start } = await startOnline();
    const running = start(...argv, "-c", "cal");
    await answerReads(server, ...(method === "DELETE" ? ["event-1"] : []));
    await server.asked(`${method} /calendars/cal/`);
    running.child.kill(signal);
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(`^error: .*\\nhint: a ${method} was in progress and may have succeeded`),
    );
  });

  test("during one of several deletes reports which were done, which may have been, and which were not started", async () => {
    const { server, start } = await startOnline();
    const running = start("events", "delete", "e1", "e2", "e3", "--yes", "-c", "cal");
    await answerReads(server, "e1", "e2", "e3");
    answer(await server.asked("DELETE /calendars/cal/events/e1"), "204 No Content", {});
    await server.asked("DELETE /calendars/cal/events/e2");
    running.child.kill(signal);
    const { exitCode, stderr } = await running.ended;
    expect(exitCode).toBe(code);
    const lines = stderr.split("\n");
    expect(lines.slice(0, 2)).toEqual([
      "1 of 3 events deleted: e1",
      "event e2: it is unknown whether it was deleted",
    ]);
    expect(lines[2]).toBe("events not tried: e3");
    expect(lines[3]).toMatch(/^error: (?:interrupted|terminated|hung up)$/);
  });

  test("with -o json is an error object with the code of the signal", async () => {
    const { server, start } = await startOnline();
    const running = start("comment", "event-1", "hello", "-c", "cal", "-o", "json");
    answerJson(await server.asked("GET /calendars "), CALENDARS);
    await server.asked("POST ");
    running.child.kill(signal);
    const { exitCode, stderr } = await running.ended;
    expect(exitCode).toBe(code);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "interrupted", exit_code: code, hint: expect.stringContaining("may have succeeded") },
    });
  });

  test("during a wait for the rate limit ends it immediately", async () => {
    const { server, start } = await startOnline();
    const running = start("comment", "event-1", "hello", "-c", "cal");
    answerJson(await server.asked("GET /calendars "), CALENDARS);
    answer(await server.asked("POST "), "429 Too Many Requests", { "retry-after": "50" });
    await running.stderrWith("waiting");
    running.child.kill(signal);
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    // A rejected request was not done: there is nothing to warn about.
    expect(stderr).toMatch(/\nerror: (?:interrupted|terminated|hung up)\n$/);
  });

  test.each([
    ["GET", "GET /user", ["whoami"], ""],
    [
      "DELETE",
      "DELETE ",
      ["events", "delete", "event-1", "--yes", "-c", "cal"],
      "hint: a DELETE was in progress",
    ],
  ])("during the delay before a retried %s ends it immediately", async (_, request, argv, hint) => {
    const { server, start } = await startOnline();
    const running = start(...argv);
    if (hint !== "") await answerReads(server, "event-1");
    answer(await server.asked(request), "503 Service Unavailable", { "retry-after": "19" });
    await running.stderrWith("retrying");
    running.child.kill(signal);
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toMatch(/\nerror: (?:interrupted|terminated|hung up)\n/);
    expect(stderr.slice(stderr.indexOf("\nerror: "))).toContain(hint);
  });

  test("ends it while stderr is not read", async () => {
    const { server, env } = await startOnline();
    const child = spawn(process.execPath, [PROGRAM, "whoami", "-o", "json"], { env, stdio: "pipe" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const body = JSON.stringify({ errors: "x".repeat(800_000) });
    answer(await server.asked("GET /user"), "400 Bad Request", {}, body);
    await once(child.stderr, "readable");
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([11, null]);
    child.stderr.destroy();
  });

  test("ends it while stdout is not read, with the error on stderr", async () => {
    const { server, env } = await startOnline();
    const child = spawn(process.execPath, [PROGRAM, "whoami", "-o", "json"], { env, stdio: "pipe" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const name = "x".repeat(8 * 1024 * 1024);
    answerJson(await server.asked("GET /user"), { data: { id: "1", type: "user", attributes: { name } } });
    await once(child.stdout, "readable");
    // The beginning has arrived, and the rest will not be read.
    child.kill(signal);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString("utf8");
    });
    const [exitCode] = await once(child, "exit");
    expect(exitCode).toBe(code);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "interrupted", exit_code: code } });
    child.stdout.destroy();
  });
});

test("an interruption while the result of a create is not read reports the create", async () => {
  const { server, env } = await startOnline();
  const argv = ["comment", "event-1", "hello", "-c", "cal", "-o", "json"];
  const child = spawn(process.execPath, [PROGRAM, ...argv], { env, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  answerJson(await server.asked("GET /calendars "), CALENDARS);
  const attributes = { content: "x".repeat(8 * 1024 * 1024) };
  answerJson(await server.asked("POST "), { data: { id: "comment-1", type: "activity", attributes } });
  await once(child.stdout, "readable");
  child.kill("SIGTERM");
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  expect(await once(child, "exit")).toEqual([143, null]);
  expect(JSON.parse(stderr).error.message).toBe("terminated, but comment comment-1 was posted");
  child.stdout.destroy();
});

test("the same signal twice at once, as timeout(1) sends it, still reports what was in progress", async () => {
  const { server, start } = await startOnline();
  const running = start("comment", "event-1", "hello", "-c", "cal");
  answerJson(await server.asked("GET /calendars "), CALENDARS);
  await server.asked("POST ");
  running.child.kill("SIGTERM");
  running.child.kill("SIGTERM");
  const { exitCode, stderr } = await running.ended;
  expect(exitCode).toBe(143);
  expect(stderr).toMatch(/^error: terminated\nhint: a POST was in progress and may have succeeded/);
  expect(running.child.signalCode).toBeNull();
});

test("a second Ctrl-C ends it immediately, even if the first lets something finish", async () => {
  const argv = ["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"];
  const running = createInstallation().start(...argv);
  const { base_url: url, token } = JSON.parse(await running.stdoutWith("\n"));
  const port = Number(new URL(url).port);
  // Half a request: the service would wait for the rest of it.
  const slow = connect(port, "127.0.0.1");
  onTestFinished(() => void slow.destroy());
  slow.on("error", () => undefined);
  slow.write(
    `POST /calendars/x/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nexpect: 100-continue\r\ncontent-length: 10\r\n\r\n`,
  );
  await once(slow, "data");
  running.child.kill("SIGINT");
  while (await connects(port));
  expect(running.child.exitCode).toBeNull();
  // A second one this soon counts as the same one, and the system merges two that arrive together.
  while (running.child.exitCode === null && running.child.signalCode === null) {
    running.child.kill("SIGINT");
    await connects(port);
  }
  expect((await running.ended).exitCode).toBe(130);
  expect(running.child.signalCode).toBe("SIGINT");
});

/** Whether a server still accepts connections there. */
function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

test("a request that takes too long is exit 8", async () => {
  const { server, run } = await startOnline();
  expect(await run("whoami", "--timeout", "0.2", "--retries", "0")).toMatchObject(failed(8, "0.2 seconds"));
  await server.asked("GET /user");
});

describe("while a file is verified that takes very long", () => {
  const isChecker = ({ commandLine }: { readonly commandLine: string }) =>
    commandLine.includes("--check-sqlite-file");

  async function createDatabase() {
    const installation = createInstallation();
    const database = join(installation.home, "calendar.db");
    expect((await installation.run("service", "users", "add", "Ana", "--db", database)).exitCode).toBe(0);
    // Each of these rows takes long to verify, and there are many.
    runSql(
      database,
      `create table slow (number, check (instr(zeroblob(100000000), x'01') = 0));
      pragma ignore_check_constraints = on;
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
      insert into slow select n from numbers`,
    );
    return { installation, database };
  }

  test.each(SIGNALS)("%s ends the check at once, and nothing goes on", async (signal, code) => {
    const { installation, database } = await createDatabase();
    const running = installation.start("service", "check", "--db", database);
    await awaitProcess(installation.home, isChecker);
    interrupt(running.child.pid ?? 0, signal);
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toMatch(/^error: (?:interrupted|terminated|hung up)\n$/);
    await expect.poll(() => processesOf(installation.home)).toEqual([]);
  });

  describeWithSystem("tmux", "on a terminal", () => {
    test("Ctrl-C, which its helper gets too, ends the check, and the line of its progress goes", async () => {
      const { installation, database } = await createDatabase();
      const terminal = openTerminal(installation, { columns: 60, rows: 8 });
      terminal.start(`calctl service check --db ${database}; echo "exit $?"`);
      await terminal.shows("checking the file");
      await awaitProcess(installation.home, isChecker);
      terminal.type("C-c");
      await terminal.shows("exit 130\n$");
      expect(terminal.screen()).toBe("error: interrupted\nexit 130\n$");
    });
  });

  test("SIGINT ends a backup at once, and leaves nothing", async () => {
    const { installation, database } = await createDatabase();
    const folder = join(installation.home, "backups");
    mkdirSync(folder);
    const file = join(folder, "copy.db");
    const running = installation.start("service", "backup", file, "--db", database);
    await awaitProcess(installation.home, isChecker);
    interrupt(running.child.pid ?? 0);
    expect(await running.ended).toEqual({ exitCode: 130, stdout: "", stderr: "error: interrupted\n" });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("while another process locks the database of the profile local", () => {
  test.each(SIGNALS)("%s ends a write at once, and reads work", async (signal, code) => {
    const installation = createInstallation();
    expect((await installation.run("whoami")).exitCode).toBe(0);
    const unlock = await lockInOtherProcess(join(installation.home, ".local", "share", "calctl", "local.db"));
    const running = installation.start("events", "create", "--title", "T", ...TIMES);
    const writer = await awaitProcess(installation.home, handlesInterrupt);
    expect((await installation.run("events", "list", "--days", "7")).exitCode).toBe(0);
    interrupt(writer.pid, signal);
    const { exitCode, stdout, stderr } = await running.ended;
    expect({ exitCode, stdout, stderr: exitCode === code ? "" : stderr }).toEqual({
      exitCode: code,
      stdout: "",
      stderr: "",
    });
    await unlock();
    expect((await installation.run("events", "create", "--title", "T", ...TIMES)).exitCode).toBe(0);
  });
});
