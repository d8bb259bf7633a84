import { describe, expect, test } from "vitest";
import type { FaultServer } from "../support/fault-server.js";
import { byService, cut, reply } from "../support/fault-steps.js";
import type { RunResult } from "../support/harness.js";
import { type Framing, formatAnswer, type WireAnswer } from "../support/http-bytes.js";
import { createMachine } from "../support/login-run.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";

/**
 * Every command's answer from the real service, cut after each of its bytes: the command fails with the right
 * exit code and in one sentence, prints nothing that was not whole, and sends no write twice.
 */

interface Command {
  readonly argv: readonly string[];
  /** The request whose answer is cut, as `METHOD /path`. CALENDAR and EVENT stand for their ids. */
  readonly target: string;
  /** 8 unless it says otherwise. */
  readonly exitCode?: number;
  /** What may be on stdout all the same; nothing unless it says otherwise. */
  readonly stdout?: RegExp;
}

const CALENDAR = ["-c", "CALENDAR"];
const BOTH_CALENDARS = [...CALENDAR, "-c", "Second"];
const NEW_EVENT = [
  ...["events", "create", ...CALENDAR],
  ...["--title", "T", "--start", "2026-11-21T12:00", "--duration", "1h"],
];
const UPDATE = ["events", "update", "EVENT", ...CALENDAR, "--title", "X"];
const DELETE = ["events", "delete", "EVENT", ...CALENDAR, "--yes"];
const COMMENT = ["comment", "EVENT", "Yes", ...CALENDAR];
const EVENT_PATH = "/calendars/CALENDAR/events/EVENT";

const READS: readonly Command[] = [
  { argv: ["whoami"], target: "GET /user" },
  { argv: ["status"], target: "GET /user", stdout: /^signed_in\t$/m },
  { argv: ["calendars"], target: "GET /calendars" },
  { argv: ["calendars", ...CALENDAR], target: "GET /calendars/CALENDAR" },
  {
    argv: ["calendars", ...BOTH_CALENDARS, "--fields", "name"],
    target: "GET /calendars/CALENDAR",
    exitCode: 12,
    stdout: /^Second\n$/,
  },
  { argv: ["labels", ...CALENDAR], target: "GET /calendars/CALENDAR/labels" },
  { argv: ["members", ...CALENDAR], target: "GET /calendars/CALENDAR/members" },
  { argv: ["events", "list", ...CALENDAR], target: "GET /calendars/CALENDAR/upcoming_events" },
  { argv: ["events", "get", "EVENT", ...CALENDAR], target: `GET ${EVENT_PATH}` },
];

const WRITES: readonly Command[] = [
  { argv: NEW_EVENT, target: "GET /calendars" },
  { argv: NEW_EVENT, target: "POST /calendars/CALENDAR/events", exitCode: 9 },
  { argv: UPDATE, target: `GET ${EVENT_PATH}` },
  { argv: UPDATE, target: `PUT ${EVENT_PATH}` },
  { argv: DELETE, target: `DELETE ${EVENT_PATH}` },
  { argv: COMMENT, target: `POST ${EVENT_PATH}/activities`, exitCode: 9 },
];

const TITLES = ({ argv, target }: Command) => [argv.slice(0, 2).join(" "), target] as const;
const TABLE = [...READS, ...WRITES].map((command) => [...TITLES(command), command] as const);

describe("a body with its length ahead, cut after each byte of head and body", () => {
  test.each(TABLE)("%s, in the answer to %s", { timeout: 60_000 }, async (_argv, _target, command) => {
    await cutEverywhere(await record(command), "length");
  });
});

describe.each(["chunked", "close"] as const)("a body framed by %s, cut after each byte of it", (framing) => {
  const chosen = TABLE.filter(([argv, target]) => /user$|activities$/.test(target) && argv !== "status");
  test.each(chosen)("%s, in the answer to %s", { timeout: 60_000 }, async (_argv, _target, command) => {
    await cutEverywhere(await record(command), framing);
  });
});

describe("cut once, then whole: repeated where that is safe", () => {
  const chosen = TABLE.filter(
    ([argv, target]) => /user$|^(PUT|DELETE)|activities$/.test(target) && argv !== "status",
  );
  test.each(chosen)("%s, in the answer to %s", { timeout: 60_000 }, async (_argv, _target, command) => {
    const { world, argv, target, answer } = await record(command);
    const { server } = world;
    const total = formatAnswer(answer).length;
    const wrong: string[] = [];
    for (let at = 0; at < total; at += 1) {
      server.forget();
      server.on(target, [cut(answer, { at })], [reply(answer)]);
      const result = await world.send(...argv);
      const isPost = target.startsWith("POST");
      const found = isPost ? complaints(result, command) : unlessDone(result);
      if (server.count(target) !== (isPost ? 1 : 2)) found.push(`${server.count(target)} times ${target}`);
      wrong.push(...found.map((text) => `byte ${at} of ${total}: ${text}`));
    }
    expect(wrong).toEqual([]);
  });
});

test("login --with-token, in the answer to GET /user: no profile and no token stay behind", async () => {
  const { server, service } = await createRemoteWorld();
  const { token } = await service.admin.tokens.create({ user: "ana", readOnly: false });
  const argv = ["login", "--with-token", "--base-url", server.baseUrl, "-p", "work"];
  const answer = await recordedAnswer(server, byService(service), "GET /user", () =>
    createMachine().run({ stdin: token }, ...argv),
  );
  const machine = createMachine();
  const total = formatAnswer(answer).length;
  const wrong: string[] = [];
  for (let at = 0; at < total; at += 1) {
    server.on("GET /user", [cut(answer, { at })]);
    const result = await machine.run({ stdin: token, env: { CALCTL_RETRIES: "0" } }, ...argv);
    wrong.push(...complaints(result, { exitCode: 8 }).map((text) => `byte ${at} of ${total}: ${text}`));
  }
  expect(wrong).toEqual([]);
  expect([...machine.keychain.entries]).toEqual([]);
  const profiles = await machine.run({}, "profiles", "list", "--fields", "name");
  expect(profiles.stdout).toBe("local\n");
});

/** A command whose exchange with the real service was kept. */
interface Recording {
  readonly world: RemoteWorld;
  readonly argv: readonly string[];
  readonly target: string;
  readonly answer: WireAnswer;
  readonly command: Command;
}

/** Runs a command once with the service; from then on the server answers every request as it did then. */
async function record(command: Command): Promise<Recording> {
  const world = await createRemoteWorld();
  // Characters of several bytes are cut, too.
  await world.json("events", "update", world.eventId, "--title", "Café ☕");
  if (command.argv.includes("Second"))
    await world.service.admin.calendars.add({ name: "Second", owner: "ana" });
  const fill = (text: string) => text.replace("CALENDAR", world.calendarId).replace("EVENT", world.eventId);
  const argv = command.argv.map(fill);
  const target = fill(command.target);
  const { server } = world;
  const answer = await recordedAnswer(server, byService(world.service), target, () => world.send(...argv));
  return { world, argv, target, answer, command };
}

async function recordedAnswer(
  server: FaultServer,
  serve: ReturnType<typeof byService>,
  target: string,
  act: () => Promise<RunResult>,
): Promise<WireAnswer> {
  const answers = new Map<string, WireAnswer>();
  server.otherwise([
    reply(async (request) => {
      const name = `${request.method} ${request.path}`;
      const answer = answers.get(name) ?? shortened(await serve(request));
      answers.set(name, answer);
      return answer;
    }),
  ]);
  expect(await act()).toMatchObject({ exitCode: 0 });
  const answer = answers.get(target);
  if (answer === undefined) throw new Error(`there was no ${target}`);
  return answer;
}

/** The same document with its long lists cut to what tells one from several: each byte costs a run. */
function shortened(answer: WireAnswer): WireAnswer {
  const text = Buffer.from(answer.body ?? "").toString();
  if (text === "") return answer;
  const body = JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    if (!Array.isArray(value)) return value;
    return key === "" || value[0]?.attributes !== undefined ? value.slice(0, 2) : value.slice(0, 1);
  });
  return { ...answer, body };
}

/** Cuts the target's answer after each byte, of its body alone where the head is as in another framing. */
async function cutEverywhere(recording: Recording, framing: Framing): Promise<void> {
  const { world, argv, target, answer, command } = recording;
  const { server } = world;
  const bytes = formatAnswer(answer, framing);
  const first = framing === "length" ? 0 : bytes.indexOf("\r\n\r\n") + 4;
  const wrong: string[] = [];
  for (let at = first; at <= bytes.length; at += 1) {
    server.forget();
    server.on(target, [cut(answer, { at, framing })]);
    const result = await world.send(...argv, "--retries", "0");
    const found = at === bytes.length ? unlessDone(result) : complaints(result, command);
    if (server.count(target) !== 1) found.push(`${server.count(target)} times ${target}`);
    const writes = server.requests.filter(({ method }) => method !== "GET").length;
    if (writes > (target.startsWith("GET") && at < bytes.length ? 0 : 1)) found.push(`${writes} writes`);
    wrong.push(...found.map((text) => `byte ${at} of ${bytes.length}: ${text}`));
  }
  expect(wrong).toEqual([]);
}

function unlessDone({ exitCode, stderr }: RunResult): string[] {
  return exitCode === 0 ? [] : [`whole, and yet exit ${exitCode}: ${stderr}`];
}

function complaints(
  { exitCode, stdout, stderr }: RunResult,
  expected: Pick<Command, "exitCode" | "stdout">,
): string[] {
  const found: string[] = [];
  if (exitCode !== (expected.exitCode ?? 8)) found.push(`exit ${exitCode}: ${stderr}`);
  if (!(expected.stdout ?? /^$/).test(stdout)) found.push(`stdout: ${stdout}`);
  if (!/^error: [^\n]+(\nhint: [^\n]+)?\n$/m.test(stderr)) found.push(`stderr: ${stderr}`);
  if (/\n\s+at /.test(stderr)) found.push(`a stack: ${stderr}`);
  return found;
}
