import { describe, expect, test } from "vitest";
import { withoutExtensions } from "../support/contract-service.js";
import type { FaultServer } from "../support/fault-server.js";
import { byService, cut, reply } from "../support/fault-steps.js";
import type { RunResult } from "../support/harness.js";
import { type Framing, formatAnswer, type WireAnswer } from "../support/http-bytes.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";

/** Responses of the real service, recorded and cut. */

export interface Command {
  readonly argv: readonly string[];
  /** The request whose response is cut, as `METHOD /path`. CALENDAR and EVENT stand for their ids. */
  readonly target: string;
  /** 8 by default. */
  readonly exitCode?: number;
  /** What may be on stdout; nothing by default. */
  readonly stdout?: RegExp;
}

export const CALENDAR = ["-c", "CALENDAR"];
export const EVENT_PATH = "/calendars/CALENDAR/events/EVENT";
export const WHOAMI: Command = { argv: ["whoami"], target: "GET /user" };
export const COMMENT: Command = {
  argv: ["comment", "EVENT", "Yes", ...CALENDAR],
  target: `POST ${EVENT_PATH}/activities`,
  exitCode: 9,
};

/** A row for `test.each`: values for the title, then the command. */
export function titled(command: Command): readonly [string, string, Command] {
  return [command.argv.slice(0, 2).join(" "), command.target, command];
}

/** A command whose exchange with the real service was recorded. */
export interface Recording {
  readonly world: RemoteWorld;
  readonly argv: readonly string[];
  readonly target: string;
  readonly answer: WireAnswer;
  readonly command: Command;
  /** What the command printed without a cut. */
  readonly stdout: string;
}

/** Runs a command once with the service; afterwards the server replays the recorded responses. */
export async function record(command: Command): Promise<Recording> {
  // Pauses take no time, so that they do not look like clock skew.
  const world = await createRemoteWorld({ random: 0 });
  // Characters of several bytes are cut, too.
  await world.json("events", "update", world.eventId, "--title", "Café ☕");
  if (command.argv.includes("Second"))
    await world.service.admin.calendars.add({ name: "Second", owner: "ana" });
  const fill = (text: string) => text.replace("CALENDAR", world.calendarId).replace("EVENT", world.eventId);
  const argv = command.argv.map(fill);
  const target = fill(command.target);
  const { server } = world;
  // With a key, a POST would be repeated like a PUT.
  const service = target.startsWith("POST") ? withoutExtensions(world.service) : world.service;
  const recorded = await recordAnswer(server, byService(service), target, () => world.send(...argv));
  return { world, argv, target, command, ...recorded };
}

/** Records the service's first response to each request, and replays it afterwards. */
export async function recordAnswer(
  server: FaultServer,
  serve: ReturnType<typeof byService>,
  target: string,
  act: () => Promise<RunResult>,
): Promise<{ readonly answer: WireAnswer; readonly stdout: string }> {
  const answers = new Map<string, WireAnswer>();
  server.otherwise([
    reply(async (request) => {
      const name = `${request.method} ${request.path}`;
      const answer = answers.get(name) ?? shortened(await serve(request));
      answers.set(name, answer);
      return answer;
    }),
  ]);
  const result = await act();
  expect(result).toMatchObject({ exitCode: 0 });
  const answer = answers.get(target);
  if (answer === undefined) throw new Error(`there was no ${target}`);
  return { answer, stdout: result.stdout };
}

/** The same document with shortened lists: each byte costs an attempt. */
function shortened(answer: WireAnswer): WireAnswer {
  const text = Buffer.from(answer.body ?? "").toString();
  if (text === "") return answer;
  const body = JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    if (!Array.isArray(value)) return value;
    return key === "" || value[0]?.attributes !== undefined ? value.slice(0, 2) : value.slice(0, 1);
  });
  return { ...answer, body };
}

/** One of each kind of place: in the status line, in the head, around its end, in the body, in ☕, before the end. */
function placesIn(answer: WireAnswer): readonly number[] {
  const bytes = formatAnswer(answer);
  const body = bytes.indexOf("\r\n\r\n") + 4;
  const coffee = bytes.indexOf("☕");
  const places = [
    0,
    9,
    40,
    body - 1,
    body,
    body + 1,
    coffee === -1 ? body + 9 : coffee + 1,
    bytes.length - 1,
  ];
  return [...new Set(places)].filter((at) => at < bytes.length);
}

/** Every byte of a response; only of its body if another framing has the same head. */
export function everyByteOf(answer: WireAnswer, framing: Framing = "length"): readonly number[] {
  const bytes = formatAnswer(answer, framing);
  const first = framing === "length" ? 0 : bytes.indexOf("\r\n\r\n") + 4;
  return Array.from({ length: bytes.length - first }, (_, index) => first + index);
}

/**
 * One run for each place: it fails as the command must, and sends its request once.
 * @param flags none for a write, which must not be repeated by default
 */
export async function expectFailures(
  recording: Recording,
  places: readonly number[],
  { framing = "length", flags = [] }: { readonly framing?: Framing; readonly flags?: readonly string[] } = {},
): Promise<void> {
  const { world, argv, target, answer, command } = recording;
  const { server } = world;
  const wrong: string[] = [];
  for (const at of places) {
    server.forget();
    server.on(target, [cut(answer, { at, framing })], [reply(answer)]);
    const found = complaints(await world.send(...argv, ...flags), command);
    if (server.count(target) !== 1) found.push(`${server.count(target)} times ${target}`);
    const writes = server.requests.filter(({ method }) => method !== "GET").length;
    if (writes > (target.startsWith("GET") ? 0 : 1)) found.push(`${writes} writes`);
    wrong.push(...found.map((text) => `byte ${at}: ${text}`));
  }
  expect(wrong).toEqual([]);
}

/** The recorded response in another framing: the command succeeds with the same output. */
export async function expectWhole(recording: Recording, framing: Framing = "length"): Promise<void> {
  const { world, argv, target, answer, stdout } = recording;
  world.server.on(target, [cut(answer, { at: formatAnswer(answer, framing).length, framing })]);
  expect(await world.send(...argv, "--retries", "0")).toMatchObject({ exitCode: 0, stdout });
}

const RETRIES_MAX = 100;
const REPEATED = /^.+(?:without a response.*|cut short.*|is empty); retrying in [\d.]+ s/gm;

/**
 * Cuts the response after each byte, one attempt for each cut, and sends it completely in the last attempt of each run:
 * a run that accepted a cut response would end earlier. Each retry is reported with its reason.
 */
export async function expectRepeats(recording: Recording, framing: Framing = "length"): Promise<void> {
  const { world, argv, target, answer, stdout } = recording;
  const { server } = world;
  const places = everyByteOf(answer, framing);
  for (let first = 0; first < places.length; first += RETRIES_MAX) {
    const chain = places.slice(first, first + RETRIES_MAX);
    server.forget();
    server.on(target, ...chain.map((at) => [cut(answer, { at, framing })]), [reply(answer, framing)]);
    const result = await world.send(...argv, "--retries", String(RETRIES_MAX));
    const where = `bytes ${chain[0]} to ${chain.at(-1)}`;
    expect({ where, exitCode: result.exitCode, stdout: result.stdout, seen: server.count(target) }).toEqual({
      where,
      exitCode: 0,
      stdout,
      seen: chain.length + 1,
    });
    expect(result.stderr.match(REPEATED)).toHaveLength(chain.length);
  }
}

/** What is wrong with a run that should have failed. */
export function complaints(
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

/** No cut is followed by another attempt. */
export const NO_REPEAT = { flags: ["--retries", "0"] };

/** Declares the tests of requests that are retried: after each cut they succeed, and without retries they fail. */
export function describeRepeated(commands: readonly Command[]): void {
  describe.each(commands.map(titled))("%s, in the response to %s", (_argv, _target, command) => {
    test("cut after each byte: repeated until it is complete", async () => {
      await expectRepeats(await record(command));
    });

    test("cut at one place of each kind: fails with one sentence", async () => {
      const recording = await record(command);
      await expectFailures(recording, placesIn(recording.answer), NO_REPEAT);
    });
  });
}
