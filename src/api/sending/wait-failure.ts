import { CliError } from "../../errors.js";
import type { HttpResponse } from "../transport/transport.js";
import { answerOptions, type Call, requestOf } from "./call.js";
import { readServerTime } from "./http-date.js";
import { readRetryAfter, saysWhen } from "./rate-limit-wait.js";

export interface RateLimitReached {
  /** Milliseconds still to wait. */
  readonly wait: number;
  /** Milliseconds that the command has waited before: they count against `--max-wait` as well. */
  readonly waited: number;
  /** The 429; null when an earlier answer said that nothing is left, and nothing was sent. */
  readonly refusal: HttpResponse | null;
}

/** The rate limit is used up for longer than the command may wait. */
export function rateLimited(call: Call, reached: RateLimitReached): CliError {
  const { refusal } = reached;
  const options = {
    ...(refusal === null ? requestOf(call) : answerOptions(call, refusal)),
    hint: waitHint(reached),
  };
  const spent = "the service's rate limit is used up";
  return new CliError(
    "rate_limited",
    refusal === null ? `${spent}, as an earlier answer said` : spent,
    options,
  );
}

/** The hint of an answer that says when to come back; undefined when it does not. */
export function askedToWait({ headers }: HttpResponse): string | undefined {
  const wait = readRetryAfter(headers, readServerTime(headers));
  if (wait === null || wait === 0) return undefined;
  return tooLong(wait) ?? `try again in ${inSeconds(wait)}, as the service asks; repeating this is safe`;
}

const DAY = 86_400_000;

/** What is said instead of a wait that no service means; undefined for one that it may. */
function tooLong(wait: number): string | undefined {
  if (wait <= DAY) return undefined;
  return `the service asks to wait ${Math.ceil(wait / DAY)} days, which may be a mistake of it`;
}

function inSeconds(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

function waitHint({ wait, waited, refusal }: RateLimitReached): string {
  if (refusal !== null && !saysWhen(refusal.headers)) return "try again later: the service does not say when";
  const maxWait = Math.ceil((waited + wait) / 1000);
  return tooLong(wait) ?? `try again in ${inSeconds(wait)}, or let it wait with --max-wait ${maxWait}`;
}
