import { describe, expect, test } from "vitest";
import { createCertificate } from "../../service/test/support/certificate.js";
import { withoutExtensions } from "../support/contract-service.js";
import { startFaultServer } from "../support/fault-server.js";
import { byService, close, drip, hang, leave, receive, reply, reset } from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";
import {
  CREATE,
  type FaultedCommand,
  type FaultRow,
  GET,
  NO_COMPLETE_RESPONSE,
  OTHERS,
  STATUSES,
} from "./fault-rows.js";

/** For each failure and method: how often the server saw the request, the exit code, the message. */

const ROWS = [...NO_COMPLETE_RESPONSE, ...STATUSES];

/** One fault for each way in which the results of methods differ. */
const KINDS = [
  ...["reset in the body", "silence", "another protocol"],
  ...[400, 404, 408, 500, 501].map((status) => `status ${status}`),
];

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

test.each([
  ...[GET, CREATE].map((command) => [command[0], command[1], command, ROWS] as const),
  ...OTHERS.map(
    (command) => [command[0], command[1], command, ROWS.filter(({ name }) => KINDS.includes(name))] as const,
  ),
])("C1 C2 %s %s, a POST without a key only once", async (_method, _path, command, rows) => {
  const { results, expected } = await playRows(command, rows);
  expect(results).toEqual(expected);
});

/** Closes the server after the request before the one that is to fail. */
function goBefore({ server, service }: RemoteWorld): void {
  const answer = byService(service);
  const closing = async (request: Parameters<typeof answer>[0]) => {
    const { headers, ...rest } = await answer(request);
    return { ...rest, headers: { ...headers, connection: "close" } };
  };
  // Leaves no connection open for reuse.
  server.otherwise([reply(closing), close]);
  server.on("GET /calendars", [receive, leave, reply(closing), close]);
}

// A POST, since what was not sent may be repeated by every method.
describe("a request that was not sent", () => {
  test("C1 C2 connection refused: retried, and safe to repeat", async () => {
    const world = await createRemoteWorld();
    goBefore(world);
    const result = await meet(world, CREATE);
    expect(result).toMatchObject({ exitCode: 8, seen: 0, stdout: "" });
    expect(lastSentence(result)).toContain(`${world.server.host} refused the connection`);
    expect(world.pauses).toHaveLength(3);
  });

  test("C1 C2 connection refused until the service is back: succeeds once", async () => {
    let pauses = 0;
    const world = await createRemoteWorld({
      async duringPause() {
        pauses += 1;
        if (pauses === 2) await world.server.comeBack();
      },
    });
    goBefore(world);
    expect(await meet(world, CREATE)).toMatchObject({ exitCode: 0, seen: 1 });
    expect(pauses).toBe(2);
  });

  test("C1 C2 no connection in time: retried", async () => {
    const world = await createRemoteWorld();
    const silent = await startFaultServer({ timers: world.timers });
    silent.onConnection([hang], [hang], [hang], [hang]);
    const env = { ...world.env, CALCTL_BASE_URL: silent.baseUrl.replace("http:", "https:") };
    const result = await world.runWith({ env }, ...CREATE[2], "-c", "x");
    expect(result).toMatchObject({ exitCode: 8, stdout: "" });
    expect(result.stderr).toContain(`: no connection to ${silent.host} after 10 seconds`);
    expect(silent.connections).toHaveLength(4);
  });

  test("C9 an untrusted certificate: one attempt", async () => {
    const world = await createRemoteWorld();
    const server = await startFaultServer({ tls: createCertificate() });
    const env = { ...world.env, CALCTL_BASE_URL: server.baseUrl.replace("127.0.0.1", "localhost") };
    const result = await world.runWith({ env }, ...CREATE[2], "-c", "x");
    expect(result).toMatchObject({ exitCode: 10, stdout: "" });
    expect(result.stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect({ connections: server.connections.length, pauses: world.pauses }).toEqual({
      connections: 1,
      pauses: [],
    });
  });
});

describe("requests that succeed in the end", () => {
  test("C1 reset three times, then a response: retried until it comes", async () => {
    const world = await createRemoteWorld();
    const target = `GET ${fill(world, GET[1])}`;
    world.server.on(target, [receive, reset], [reset], [close], [reply(byService(world.service))]);
    expect(await meet(world, GET)).toMatchObject({ exitCode: 0, seen: 4 });
    expect(world.pauses).toEqual([250, 500, 1000]);
  });

  test("C1 a response byte by byte after an early hint: succeeds at once", async () => {
    const world = await createRemoteWorld();
    const early = drip("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
    world.server.on(`POST ${fill(world, CREATE[1])}`, [receive, early, reply(byService(world.service))]);
    expect(await meet(world, CREATE)).toMatchObject({ exitCode: 0, seen: 1 });
  });
});
