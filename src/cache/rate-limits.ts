import { crc32 } from "node:zlib";
import type { RateLimitStore, SharedPause } from "../api/sending/rate-limit.js";
import type { CacheFile } from "./cache-file.js";

/** What a service limits. */
export interface LimitedAccount {
  /** A secret: a token, or the URL of a webhook. */
  readonly token: string;
  /** `https://host[:port]` of the service. */
  readonly origin: string;
}

/**
 * What the file of an account is about: it says the origin, and does not reveal the token. Not a cryptographic hash: `node:crypto`
 * takes 6 ms, and two tokens of a user with the same checksum would only share a pause.
 */
export function limitName({ token, origin }: LimitedAccount): string {
  return `${crc32(`${origin}\n${token}`).toString(16).padStart(8, "0")} ${origin}`;
}

/**
 * Shares a used-up rate limit between processes, so that the next process waits instead of being refused. There is no lock: if
 * several save at once, one of them wins; the worst case is one refused request.
 * @param now milliseconds since the Unix epoch
 */
export function createRateLimitStore(file: CacheFile, now: () => number): RateLimitStore {
  const load = () => readPause(file.read(), now());
  return {
    load: async () => load(),
    async save({ until, observedAt }) {
      if (isNewer({ until, observedAt }, load())) await file.write({ until, observedAt });
    },
  };
}

/** Null for what is missing or invalid, or from the future because the clock was set back. */
function readPause({ until, observedAt }: ReturnType<CacheFile["read"]>, now: number): SharedPause | null {
  if (!isTime(until) || !isTime(observedAt) || observedAt > now) return null;
  return { until, observedAt };
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Of two observed in the same millisecond, the longer one counts. */
function isNewer(pause: SharedPause, saved: SharedPause | null): boolean {
  if (saved === null || pause.observedAt > saved.observedAt) return true;
  return pause.observedAt === saved.observedAt && pause.until > saved.until;
}
