import { usageError } from "../../errors.js";
import type { Run } from "../../run/run.js";

/** Between two reads (ms): after a change the first, then twice as long each time, up to the longest. */
const PAUSES = { first: 2_000, longest: 30_000 };

/** The profile `local` has no limit, and no network. After a failure its pauses grow, too. */
const LOCAL_PAUSES = { first: 1_000, longest: 1_000 };

export type Outcome = "changed" | "quiet" | "failed";

/** Pauses between reads. @param interval what each takes instead (ms); null: they grow while nothing changes */
export function createPauses({ config, machine: { clock, signal } }: Run, interval: number | null) {
  const { first, longest } = config.settings().service.kind === "local" ? LOCAL_PAUSES : PAUSES;
  let pause = first;
  return {
    /** @param outcome of the last read @throws the reason of an interruption */
    async wait(outcome: Outcome): Promise<void> {
      if (interval !== null) return clock.sleep(interval, signal());
      pause =
        outcome === "changed" ? first : Math.min(pause, outcome === "failed" ? PAUSES.longest : longest);
      await clock.sleep(pause, signal());
      pause *= 2;
    },
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `10s`, `2m` or `1h`. @returns milliseconds @throws CliError usage */
export function parseInterval(text: string): number {
  const [, number, unit = ""] = /^(\d{1,4})\s*([smh])$/i.exec(text.trim()) ?? [];
  const interval = Number(number) * (UNITS[unit.toLowerCase()] ?? 0);
  if (interval > 0) return interval;
  throw usageError(`--interval: "${text}" is not an interval`, "write 10s, 2m or 1h");
}
