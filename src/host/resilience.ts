import type { SenderOptions } from "../api/sending/sender.js";
import type { GlobalFlags } from "../context.js";
import type { HostParts } from "../host.js";
import { createPauseDisplay } from "./pause-display.js";
import { decideRequestLimits } from "./request-limits.js";

/** What a service limits. @see contract section 8 */
export interface LimitedAccount {
  readonly token: string;
  /** `https://host[:port]` of the service. */
  readonly origin: string;
}

export interface ResilienceChoice {
  readonly parts: HostParts;
  readonly flags: GlobalFlags;
  /** Null for the profile `local`, which is not limited. */
  readonly account: LimitedAccount | null;
}

/** How a client of this run repeats and waits: everything of the sender but its transport. */
export type Resilience = Omit<SenderOptions, "transport" | "onAnswer">;

/**
 * Puts together policy, rate limit and signal of a client, from flags, environment and what other processes left.
 * @throws CliError usage for a limit that is none
 */
export async function createResilience({ parts, flags, account }: ResilienceChoice): Promise<Resilience> {
  const [{ createRateLimitGate }, { DEFAULT_RETRY_POLICY }] = await Promise.all([
    import("../api/sending/rate-limit-gate.js"),
    import("../api/sending/retry.js"),
  ]);
  const { clock, stderr, process } = parts;
  const { retries, maxWait } = decideRequestLimits(flags, process.env);
  const memory = account === null ? undefined : await rememberPauses(parts, account);
  const { slice, onPause } = createPauseDisplay(stderr, flags.quiet === true);
  return {
    policy: { ...DEFAULT_RETRY_POLICY, retries },
    gate: createRateLimitGate({ maxWait, slice, clock, memory, onPause }),
    clock,
    onPause,
    signal: parts.signal(),
  };
}

async function rememberPauses(parts: HostParts, account: LimitedAccount) {
  const { createRateLimitFile } = await import("./rate-limit-file.js");
  return createRateLimitFile({ ...parts, ...account });
}
