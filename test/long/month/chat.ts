import { type FaultServer, startFaultServer } from "../../support/fault-server.js";
import {
  close,
  cut,
  type Exchange,
  hang,
  type ReceivedRequest,
  receive,
  reply,
  reset,
  type Script,
} from "../../support/fault-steps.js";
import type { VirtualTimers } from "../../support/virtual-timers.js";
import { createDraw, type Draw } from "../draw.js";
import type { Crashes } from "./crashes.js";

/** A message, as it arrived. */
export interface Message {
  readonly path: string;
  /** Titles of its events, each once. */
  readonly events: readonly string[];
}

/** What the chat did since it was last asked. */
export interface ChatTurn {
  readonly arrived: readonly Message[];
  /** Kinds of faults. */
  readonly faults: readonly string[];
  /** Those whose sender cannot know whether they arrived. */
  readonly unclear: readonly Message[];
}

/** A chat that fails one call in five, each time in another way. */
export interface Chat {
  readonly server: FaultServer;
  readonly faultsPlayed: Readonly<Record<string, number>>;
  /** Begins a turn. @param draw decides what fails in it */
  begin(draw: Draw): void;
  /** Ends a turn. */
  take(): ChatTurn;
}

const OK = { status: 200, headers: {}, body: "ok" };
const problem = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  reply({ status, headers, body: "" });

/** How a call fails that is refused for certain. */
const REFUSALS: Readonly<Record<string, Script>> = {
  "bad request": [problem(400)],
  "not found": [problem(404)],
  "rate limit": [problem(429, { "retry-after": "2" })],
  // Longer than a run waits, and over before the next one.
  "long rate limit": [problem(429, { "retry-after": "200" })],
};

/** How a call fails that may have worked: half of the time it has. */
const UNCLEAR: Readonly<Record<string, Script>> = {
  "status 500": [problem(500)],
  "status 502": [problem(502)],
  "status 503": [problem(503, { "retry-after": "1" })],
  reset: [receive, reset],
  close: [receive, close],
  hang: [receive, hang],
  cut: [cut(OK, { at: 20 })],
};

export async function startChat(crashes: Crashes, timers: VirtualTimers): Promise<Chat> {
  const server = await startFaultServer({ timers });
  let draw = createDraw(0);
  const played: Record<string, number> = {};
  let turn = { arrived: [] as Message[], faults: [] as string[], unclear: [] as Message[] };
  const accept = (request: ReceivedRequest): void => {
    turn.arrived.push(readMessage(request));
    crashes.accepted();
  };
  const crash = async (exchange: Exchange): Promise<boolean> => {
    const { request } = exchange;
    const point = (["unsent", "accepted", "answered"] as const).find(crashes.reached);
    if (point === undefined) return false;
    if (point !== "unsent") accept(request);
    crashes.kill();
    if (point === "answered") await reply(OK)(exchange);
    else await reset(exchange);
    return true;
  };
  const fail = async (exchange: Exchange): Promise<boolean> => {
    if (!draw.chance(0.2)) return false;
    const { request } = exchange;
    const kind = draw.pick([...Object.keys(REFUSALS), ...Object.keys(UNCLEAR)]);
    const hasWorked = draw.chance(0.5);
    played[kind] = (played[kind] ?? 0) + 1;
    turn.faults.push(kind);
    const script = UNCLEAR[kind];
    if (script !== undefined) {
      turn.unclear.push(readMessage(request));
      if (hasWorked) accept(request);
    }
    await play(script ?? REFUSALS[kind] ?? [], exchange);
    return true;
  };
  server.otherwise([
    async (exchange) => {
      // What a dead process sends is not on its way.
      if (crashes.isDead()) return reset(exchange);
      await exchange.receive();
      if ((await crash(exchange)) || (await fail(exchange))) return;
      accept(exchange.request);
      await reply(OK)(exchange);
    },
  ]);
  return {
    server,
    faultsPlayed: played,
    begin(next) {
      draw = next;
    },
    take() {
      const taken = turn;
      turn = { arrived: [], faults: [], unclear: [] };
      server.forget();
      return taken;
    },
  };
}

export async function play(script: Script, exchange: Exchange): Promise<void> {
  for (const step of script) await step(exchange);
}

interface SentMessage {
  readonly days: readonly { readonly entries: readonly { readonly event: { readonly title: string } }[] }[];
}

function readMessage({ path, body }: ReceivedRequest): Message {
  return { path, events: eventsIn(body.toString("utf8")) };
}

/** Titles of the events of a message of the target `json`, docs/messages.md, each once. */
function eventsIn(body: string): readonly string[] {
  const { days }: SentMessage = JSON.parse(body);
  const events = days.flatMap(({ entries }) => entries.map(({ event }) => event.title));
  return [...new Set(events)].sort();
}

export const DIGEST_PATHS: readonly string[] = ["/digest", "/digest/second"];
export const REMIND_PATH = "/remind";
export const LEAST_PATH = "/least";
