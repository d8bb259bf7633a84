import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostParts } from "../../host/parts.js";
import type { Clock } from "../../system/clock.js";
import { makePrivateFolder } from "../../system/private-file.js";
import type { RateLimitMemory, RememberedPause } from "./rate-limiter.js";

export interface RateLimitFileOptions extends Pick<HostParts, "stateDirectory" | "processes"> {
  readonly clock: Pick<Clock, "now">;
  /** What the service limits; not found again in any file or its name. The profile `local` has none, and no limit. */
  readonly token: string;
  /** `https://host[:port]` of the service. */
  readonly origin: string;
  /** Longest wait for another process that writes, in milliseconds (1,000): what it writes is as good. */
  readonly patience?: number;
}

/** How long a pause that is over stays, in milliseconds: most are soon followed by the next. */
const KEPT = 3_600_000;
const PATIENCE = 1_000;

/**
 * Remembers a used-up rate limit in a file for each token and origin, so that the next process waits instead of asking
 * in vain. Nothing here fails or blocks a command: without a memory the service itself says what is used up.
 */
export function createRateLimitFile(options: RateLimitFileOptions): RateLimitMemory {
  const { stateDirectory, processes, clock, patience = PATIENCE } = options;
  const name = fileName(options);
  const folderOf = () => join(stateDirectory(), "rate-limits");

  async function change(folder: string, work: () => void): Promise<void> {
    const { withFileLock } = await import("../../system/file-lock.js");
    await withFileLock(join(folder, "lock"), work, { processes, patience });
  }

  return {
    // Every online command asks first. Without the promises of fs, whose first use takes ten times as long.
    async load() {
      return quietly(async () => {
        const folder = folderOf();
        const pause = readPause(join(folder, name), clock.now());
        if (pause === null || !isLongOver(pause, clock.now())) return pause;
        await change(folder, () => sweep(folder, clock.now()));
        return null;
      });
    },
    async save(pause) {
      await quietly(async () => {
        const folder = folderOf();
        makePrivateFolder(folder);
        await change(folder, () => {
          sweep(folder, clock.now());
          if (isNews(pause, readPause(join(folder, name), clock.now()))) writePause(folder, name, pause);
        });
      });
    },
  };
}

async function quietly<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (_unavailable) {
    return null;
  }
}

/** Tells nothing of the token, which is long and random. */
function fileName({ token, origin }: RateLimitFileOptions): string {
  return `${createHash("sha256").update(`${origin}\n${token}`).digest("hex").slice(0, 32)}.json`;
}

/** Null for what is not there, is not ours, or was learned in a future that the clock has since been set back from. */
function readPause(path: string, now: number): RememberedPause | null {
  try {
    const { until, learned }: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
    if (!isTime(until) || !isTime(learned) || learned > now) return null;
    return { until, learned };
  } catch (_nothing) {
    return null;
  }
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isLongOver({ until }: RememberedPause, now: number): boolean {
  return until < now - KEPT;
}

/** Of two learned in the same millisecond the longer one counts. */
function isNews(pause: RememberedPause, known: RememberedPause | null): boolean {
  if (known === null || pause.learned > known.learned) return true;
  return pause.learned === known.learned && pause.until > known.until;
}

/** Whole or not at all; the lock makes it the only draft. */
function writePause(folder: string, name: string, { until, learned }: RememberedPause): void {
  const draft = join(folder, "draft");
  writeFileSync(draft, JSON.stringify({ until, learned }), { mode: 0o600 });
  renameSync(draft, join(folder, name));
}

/** Removes what is long over, of any token, and what nobody can read. */
function sweep(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    if (!/^[0-9a-f]{32}\.json$/.test(name)) continue;
    const pause = readPause(join(folder, name), now);
    if (pause === null || isLongOver(pause, now)) unlinkSync(join(folder, name));
  }
}
