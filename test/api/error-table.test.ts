import { describe, expect, test } from "vitest";
import { createCertificate } from "../service/support/certificate.js";
import { startFaultServer } from "../support/fault-server.js";
import { byService, close, drip, hang, leave, receive, reply, reset } from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";
import { COMMANDS, FAULT_ROWS, type FaultedCommand, type FaultRow, type Method } from "./fault-rows.js";

/** What each failure means to each method: how often the server saw the request, the exit code, the sentence. */

const IDEMPOTENT = COMMANDS.filter(([method]) => method !== "POST");
const POSTS = COMMANDS.filter(([method]) => method === "POST");
const ROWS = FAULT_ROWS.map((row) => [row.name, row] as const);

/** Runs a command with the fault in the way of its own request, and its calendars and event read undisturbed. */
async function meet(world: RemoteWorld, [method, path, argv]: FaultedCommand, flags: readonly string[] = []) {
  const result = await world.send(...argv.map((word) => fill(world, word)), "-c", world.calendarId, ...flags);
  return { ...result, seen: world.server.count(`${method} ${fill(world, path)}`) };
}

function fill({ calendarId, eventId }: RemoteWorld, text: string): string {
  return text.replace("CALENDAR", calendarId).replace("EVENT", eventId);
}

/** One sentence and a hint, behind the notes on repeats; no stack and nothing on stdout. */
function lastSentence({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  expect(stdout).toBe("");
  expect(stderr).not.toMatch(/\n\s+at /);
  return /^error: (.+)\n(?:hint: .+\n)?$/m.exec(stderr)?.[1] ?? `no sentence in ${stderr}`;
}

async function expectRow(row: FaultRow, command: FaultedCommand): Promise<void> {
  const world = await createRemoteWorld();
  const [method, path] = command;
  world.server.on(`${method} ${fill(world, path)}`, row.script);
  const result = await meet(world, command, row.flags);
  const { exitCode, seen } = method === "POST" ? row.post : row.idempotent;
  const sentence = lastSentence(result);
  expect({ exitCode: result.exitCode, seen: result.seen, sentence }).toEqual({
    exitCode,
    seen,
    sentence: expect.stringContaining(row.message),
  });
  expect(world.pauses).toHaveLength(seen - 1);
  if (exitCode === 9) expect(sentence).toContain("it may have been done all the same");
}

describe.each(IDEMPOTENT)("C1 %s %s", (...command) => {
  test.each(ROWS)("%s", (_, row) => expectRow(row, command));
});

describe.each(POSTS)("C2 %s %s reaches the server once", (...command) => {
  test.each(ROWS)("%s", (_, row) => expectRow(row, command));
});

/** The request before the one that is to fail: after it the server is gone. */
function goBefore(world: RemoteWorld, method: Method): void {
  const { server, service, calendarId, eventId } = world;
  const last = method === "PUT" ? `GET /calendars/${calendarId}/events/${eventId}` : "GET /calendars";
  const answer = byService(service);
  const closing = async (request: Parameters<typeof answer>[0]) => {
    const { headers, ...rest } = await answer(request);
    return { ...rest, headers: { ...headers, connection: "close" } };
  };
  // No connection stays open that could be used again.
  server.otherwise([reply(closing), close]);
  server.on(last, [receive, leave, reply(closing), close]);
}

describe("what surely never arrived", () => {
  test.each(COMMANDS)("C1 C2 %s %s, refused: repeated, and safe to repeat", async (...command) => {
    const world = await createRemoteWorld();
    goBefore(world, command[0]);
    const result = await meet(world, command);
    expect(result).toMatchObject({ exitCode: 8, seen: 0 });
    expect(lastSentence(result)).toContain(`nothing listens at ${world.server.host}`);
    expect(world.pauses).toHaveLength(3);
  });

  test.each(COMMANDS)("C1 C2 %s %s, refused until the service is back: done once", async (...command) => {
    let pauses = 0;
    const world = await createRemoteWorld({
      async duringPause() {
        pauses += 1;
        if (pauses === 2) await world.server.comeBack();
      },
    });
    goBefore(world, command[0]);
    expect(await meet(world, command)).toMatchObject({ exitCode: 0, seen: 1 });
    expect(pauses).toBe(2);
  });

  test.each(COMMANDS)("C1 C2 %s %s, no connection in time: repeated", async (...command) => {
    const world = await createRemoteWorld();
    const silent = await startFaultServer();
    silent.onConnection([hang], [hang]);
    const env = { ...world.env, CALCTL_BASE_URL: silent.baseUrl.replace("http:", "https:") };
    const [, , argv] = command;
    const words = argv.map((word) => fill(world, word));
    const result = await world.runWith({ env }, ...words, "-c", "x", "--timeout", "0.2", "--retries", "1");
    expect(result).toMatchObject({ exitCode: 8, stdout: "" });
    expect(silent.connections).toHaveLength(2);
  });

  test.each(COMMANDS)("C9 %s %s, a certificate nobody trusts: asked once", async (...command) => {
    const world = await createRemoteWorld();
    const server = await startFaultServer({ tls: createCertificate() });
    const env = { ...world.env, CALCTL_BASE_URL: server.baseUrl.replace("127.0.0.1", "localhost") };
    const result = await world.runWith({ env }, ...command[2].map((word) => fill(world, word)), "-c", "x");
    expect(result).toMatchObject({ exitCode: 10, stdout: "" });
    expect(result.stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect({ connections: server.connections.length, pauses: world.pauses }).toEqual({
      connections: 1,
      pauses: [],
    });
  });
});

describe("what succeeds all the same", () => {
  test.each(IDEMPOTENT)("C1 %s %s, reset three times, then answered", async (...command) => {
    const world = await createRemoteWorld();
    const target = `${command[0]} ${fill(world, command[1])}`;
    world.server.on(target, [receive, reset], [reset], [close], [reply(byService(world.service))]);
    expect(await meet(world, command)).toMatchObject({ exitCode: 0, seen: 4 });
    expect(world.pauses).toEqual([250, 500, 1000]);
  });

  test.each(COMMANDS)("C1 %s %s, byte by byte and behind an early hint", async (...command) => {
    const world = await createRemoteWorld();
    const early = drip("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
    world.server.on(`${command[0]} ${fill(world, command[1])}`, [
      receive,
      early,
      reply(byService(world.service)),
    ]);
    expect(await meet(world, command)).toMatchObject({ exitCode: 0, seen: 1 });
  });
});
