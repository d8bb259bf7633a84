import { describe, expect, test } from "vitest";
import { createCertificate } from "../../service/test/support/certificate.js";
import { withoutExtensions } from "../support/contract-service.js";
import { startFaultServer } from "../support/fault-server.js";
import { byService, close, drip, hang, leave, receive, reply, reset } from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";
import {
  COMMANDS,
  type FaultedCommand,
  type FaultRow,
  type Method,
  NO_COMPLETE_RESPONSE,
  STATUSES,
} from "./fault-rows.js";

/** For each failure and method: how often the server saw the request, the exit code, the message. */

const IDEMPOTENT = COMMANDS.filter(([method]) => method !== "POST");

/** Runs a command whose own request meets the fault; its reads of calendars and event succeed. */
async function meet(world: RemoteWorld, [method, path, argv]: FaultedCommand) {
  const result = await world.send(...argv.map((word) => fill(world, word)), "-c", world.calendarId);
  return { ...result, seen: world.server.count(`${method} ${fill(world, path)}`) };
}

function fill({ calendarId, eventId }: RemoteWorld, text: string): string {
  return text.replace("CALENDAR", calendarId).replace("EVENT", eventId);
}

/** The error message, after the notes on retries and before a hint; null if there is more than that. */
function lastSentence({ stderr }: { readonly stderr: string }): string | null {
  return /^error: (.+)\n(?:hint: .+\n)?$/m.exec(stderr)?.[1] ?? null;
}

/** The result of one row of the table. */
interface RowResult {
  readonly name: string;
  readonly exitCode: number;
  /** How often the server saw the request, and the program paused. */
  readonly seen: number;
  readonly pauses: number;
  readonly sentence: string | null;
  /** Whether the sentence says that the write may have succeeded. */
  readonly mayHaveSucceeded: boolean;
  readonly stdout: string;
  readonly hasStack: boolean;
}

async function playRow(world: RemoteWorld, command: FaultedCommand, row: FaultRow): Promise<RowResult> {
  const [method, path] = command;
  const before = world.pauses.length;
  world.server.forget();
  world.server.on(`${method} ${fill(world, path)}`, row.script);
  const { exitCode, seen, stdout, stderr } = await meet(world, command);
  const hasStack = /\n\s+at /.test(stderr);
  const pauses = world.pauses.length - before;
  const sentence = lastSentence({ stderr });
  const mayHaveSucceeded = sentence?.includes("the write may have succeeded") ?? false;
  return { name: row.name, exitCode, seen, pauses, sentence, mayHaveSucceeded, stdout, hasStack };
}

function expectedOf({ name, message, ...row }: FaultRow, [method, , argv]: FaultedCommand) {
  const { exitCode, seen } = method === "POST" ? row.post : row.idempotent;
  return {
    ...{ name, exitCode, seen, pauses: seen - 1, stdout: "", hasStack: argv.includes("--debug") },
    sentence: expect.stringContaining(message),
    mayHaveSucceeded: exitCode === 9,
  };
}

/** All rows of a table, one after the other in one world: no row affects the next. Keys would make a POST repeatable. */
async function playRows(command: FaultedCommand, rows: readonly FaultRow[]) {
  const world = await createRemoteWorld();
  if (command[0] === "POST") world.server.otherwise([reply(byService(withoutExtensions(world.service)))]);
  const results: RowResult[] = [];
  for (const row of rows) results.push(await playRow(world, command, row));
  return { results, expected: rows.map((row) => expectedOf(row, command)) };
}

describe.each(COMMANDS)("C1 C2 %s %s, a POST without a key only once", (...command) => {
  test.each([
    ["without a complete response", NO_COMPLETE_RESPONSE],
    ["with every status", STATUSES],
  ])("%s", async (_, rows) => {
    const { results, expected } = await playRows(command, rows);
    expect(results).toEqual(expected);
  });
});

/** Closes the server after the request before the one that is to fail. */
function goBefore(world: RemoteWorld, method: Method): void {
  const { server, service, calendarId, eventId } = world;
  const last = method === "PUT" ? `GET /calendars/${calendarId}/events/${eventId}` : "GET /calendars";
  const answer = byService(service);
  const closing = async (request: Parameters<typeof answer>[0]) => {
    const { headers, ...rest } = await answer(request);
    return { ...rest, headers: { ...headers, connection: "close" } };
  };
  // Leaves no connection open for reuse.
  server.otherwise([reply(closing), close]);
  server.on(last, [receive, leave, reply(closing), close]);
}

describe("a request that was not sent", () => {
  test.each(COMMANDS)("C1 C2 %s %s, connection refused: retried, and safe to repeat", async (...command) => {
    const world = await createRemoteWorld();
    goBefore(world, command[0]);
    const result = await meet(world, command);
    expect(result).toMatchObject({ exitCode: 8, seen: 0, stdout: "" });
    expect(lastSentence(result)).toContain(`${world.server.host} refused the connection`);
    expect(world.pauses).toHaveLength(3);
  });

  test.each(COMMANDS)(
    "C1 C2 %s %s, connection refused until the service is back: succeeds once",
    async (...command) => {
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
    },
  );

  test.each(COMMANDS)("C1 C2 %s %s, no connection in time: retried", async (...command) => {
    const world = await createRemoteWorld();
    const silent = await startFaultServer({ timers: world.timers });
    silent.onConnection([hang], [hang], [hang], [hang]);
    const env = { ...world.env, CALCTL_BASE_URL: silent.baseUrl.replace("http:", "https:") };
    const [, , argv] = command;
    const words = argv.map((word) => fill(world, word));
    const result = await world.runWith({ env }, ...words, "-c", "x");
    expect(result).toMatchObject({ exitCode: 8, stdout: "" });
    expect(result.stderr).toContain(`: no connection to ${silent.host} after 10 seconds`);
    expect(silent.connections).toHaveLength(4);
  });

  test.each(COMMANDS)("C9 %s %s, an untrusted certificate: one attempt", async (...command) => {
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

describe("requests that succeed in the end", () => {
  test.each(IDEMPOTENT)("C1 %s %s, reset three times, then a response", async (...command) => {
    const world = await createRemoteWorld();
    const target = `${command[0]} ${fill(world, command[1])}`;
    world.server.on(target, [receive, reset], [reset], [close], [reply(byService(world.service))]);
    expect(await meet(world, command)).toMatchObject({ exitCode: 0, seen: 4 });
    expect(world.pauses).toEqual([250, 500, 1000]);
  });

  test.each(COMMANDS)("C1 %s %s, byte by byte after an early hint", async (...command) => {
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
