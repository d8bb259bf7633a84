import { readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Clock } from "../../system/clock.js";
import { makePrivateFolder } from "../../system/ownership.js";
import { writePrivateFile } from "../../system/private-file.js";
import type { RateLimitStore, SharedPause } from "./rate-limiter.js";

export interface RateLimitFileOptions {
  /** Folder for state that may be lost. @throws where there is none */
  readonly stateDirectory: () => string;
  readonly clock: Pick<Clock, "now">;
  /** What the service limits. Neither the file nor its name reveals it. */
  readonly token: string;
  /** `https://host[:port]` of the service. */
  readonly origin: string;
}

/** How long an expired pause is kept (ms): most are soon replaced by the next one. */
const KEEP_EXPIRED = 3_600_000;

/**
 * Shares a used-up rate limit between processes, in one file for each token and origin, so that the next process waits
 * instead of being refused. Its errors never fail a command: without the file, the service itself reports the limit.
 *
 * There is no lock. If several processes save at once, one of them wins; the worst case is one refused request.
 */
export function createRateLimitFile(options: RateLimitFileOptions): RateLimitStore {
  const { stateDirectory, clock } = options;
  const folderIn = () => join(stateDirectory(), "rate-limits");
  const pathIn = (folder: string) => join(folder, fileName(options));

  return {
    // Every online command starts with this. Synchronous, because the first use of fs promises takes ten times as long.
    async load() {
      try {
        const folder = folderIn();
        const pause = readPause(pathIn(folder), clock.now());
        if (pause === null || !isLongExpired(pause, clock.now())) return pause;
        removeExpired(folder, clock.now());
      } catch (_unavailable) {
        // The service itself will report the limit.
      }
      return null;
    },
    async save(pause) {
      try {
        const folder = folderIn();
        makePrivateFolder(folder);
        const path = pathIn(folder);
        if (!isNewer(pause, readPause(path, clock.now()))) return;
        await writePrivateFile(path, JSON.stringify({ until: pause.until, observedAt: pause.observedAt }));
        removeExpired(folder, clock.now());
      } catch (_unavailable) {
        // The service itself will report the limit.
      }
    },
  };
}

function fileName(options: RateLimitFileOptions): string {
  return `${hashAccount(options)}.json`;
}

/** Null if the file is missing, invalid, or from the future because the clock was set back. */
function readPause(path: string, now: number): SharedPause | null {
  try {
    const { until, observedAt }: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
    if (!isTime(until) || !isTime(observedAt) || observedAt > now) return null;
    return { until, observedAt };
  } catch (_missingOrInvalid) {
    return null;
  }
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isLongExpired({ until }: SharedPause, now: number): boolean {
  return until < now - KEEP_EXPIRED;
}

/** Of two observed in the same millisecond, the longer one counts. */
function isNewer(pause: SharedPause, saved: SharedPause | null): boolean {
  if (saved === null || pause.observedAt > saved.observedAt) return true;
  return pause.observedAt === saved.observedAt && pause.until > saved.until;
}

/** Removes the long expired and invalid files of all tokens. */
function removeExpired(folder: string, now: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isFile() || !/^[0-9a-f]{8}\.json$/.test(name)) continue;
    const pause = readPause(join(folder, name), now);
    if (pause === null || isLongExpired(pause, now)) unlinkSync(join(folder, name));
  }
}

/**
 * 8 hex digits for a token at an origin (`https://host[:port]`), to tell apart what was stored for different accounts. They
 * are of no help in finding a token, which has 128 and more random bits. Not a cryptographic hash: `node:crypto` takes 6 ms,
 * and two accounts of a user with the same checksum would only share a pause and some names.
 */
function hashAccount({ token, origin }: { readonly token: string; readonly origin: string }): string {
  return crc32(`${origin}\n${token}`).toString(16).padStart(8, "0");
}
