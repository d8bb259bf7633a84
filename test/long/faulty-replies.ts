import type { Service } from "../../service/service.js";
import {
  apply,
  byService,
  close,
  cut,
  hang,
  receive,
  reply,
  reset,
  type Script,
} from "../support/fault-steps.js";
import type { Draw } from "./draw.js";

/** What can go wrong with an answer, by kind. What is applied changes the service's state; the rest does not. */
function createFaults(service: Service, draw: Draw): Readonly<Record<string, readonly Script[]>> {
  const answer = byService(service);
  const problem = (status: number, headers: Readonly<Record<string, string>> = {}) =>
    reply({
      status,
      headers: { "content-type": "application/problem+json", ...headers },
      body: JSON.stringify({ type: "about:blank", status, title: "Fault" }),
    });
  const retryAfter = draw.pick(["1", "0", "soon", "30", "999999999999"]);
  const asked = draw.chance(0.3) ? { "retry-after": "2" } : {};
  const at = 150 + draw.below(200);
  return {
    reset: [
      [receive, reset],
      [apply(answer), reset],
      [apply(answer), close],
    ],
    rateLimit: [[problem(429, { "retry-after": retryAfter })]],
    unavailable: [[problem(503, asked)], [apply(answer), problem(503, asked)], [apply(answer), problem(504)]],
    hang: [
      [receive, hang],
      [apply(answer), hang],
    ],
    // A gateway in front of the service that has lost its way.
    refusal: [[problem(401)], [problem(403)], [problem(400)]],
    truncation: [
      [cut(answer, { at: draw.below(60) })],
      [cut(answer, { at })],
      [cut(answer, { at, framing: "chunked" })],
      [cut(answer, { at, framing: "close" })],
    ],
  };
}

export interface FaultyReplies {
  /** The script of the next request. */
  next(): Script;
  /** How often each kind was played, `none` included. */
  readonly played: Readonly<Record<string, number>>;
  readonly kinds: readonly string[];
}

/** One answer in five fails, each time in one of the ways above. */
export function createFaultyReplies(service: Service, draw: Draw): FaultyReplies {
  const played: Record<string, number> = {};
  const whole: Script = [reply(byService(service))];
  return {
    next() {
      const faults = createFaults(service, draw);
      const kind = draw.chance(0.2) ? draw.pick(Object.keys(faults)) : "none";
      played[kind] = (played[kind] ?? 0) + 1;
      return kind === "none" ? whole : draw.pick(faults[kind] ?? []);
    },
    played,
    kinds: Object.keys(createFaults(service, draw)),
  };
}
