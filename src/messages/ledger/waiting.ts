import { CliError } from "../../errors.js";
import type { Clock } from "../../system/clock.js";
import type { ProcessSource } from "../../system/process-identity.js";
import type { Owner } from "./owner.js";

/** What the parts of a ledger share. */
export interface LedgerDependencies {
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly process: ProcessSource;
  /** Ends the wait for another process. */
  readonly signal: () => AbortSignal;
}

/** How long to wait for what another process is doing (ms): as long as a message may take with its repetitions. */
const TIMEOUT = 180_000;
/** Pause between two looks (ms); it doubles up to the last one. */
const PAUSE = { first: 20, last: 500 };

/** Another process is doing it now. */
export interface Busy {
  readonly kind: "busy";
  readonly owner: Owner;
}

/**
 * Repeats an attempt until no other process is in the way.
 * @param doing what the other process does, as messages name it
 * @throws CliError unavailable when that takes too long; the reason of an interruption
 */
export async function waitForOthers<T extends { readonly kind: string }>(
  attempt: () => Promise<T | Busy>,
  doing: string,
  { clock, signal }: LedgerDependencies,
): Promise<T> {
  let pause = PAUSE.first;
  for (let waited = 0; ; waited += pause, pause = Math.min(2 * pause, PAUSE.last)) {
    const result = await attempt();
    if (!isBusy(result)) return result;
    if (waited >= TIMEOUT) {
      throw new CliError("unavailable", `another calctl (process ${result.owner.pid}) is still ${doing}`, {
        hint: "this run did nothing; try again when the other has finished",
      });
    }
    await clock.sleep(pause, signal());
  }
}

function isBusy<T extends { readonly kind: string }>(result: T | Busy): result is Busy {
  return result.kind === "busy";
}
