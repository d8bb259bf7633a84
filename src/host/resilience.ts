import type { RateLimitMemory } from "../api/rate-limit-memory.js";
import type { SenderOptions } from "../api/sender.js";
import type { GlobalFlags } from "../context.js";
import type { HostParts } from "../host.js";
import { createPauseDisplay } from "./pause-display.js";
import { decideRequestLimits } from "./request-limits.js";

export interface ResilienceChoice {
  readonly parts: HostParts;
  readonly flags: GlobalFlags;
  /** Undefined where no other process has the same limit. */
  readonly memory: RateLimitMemory | undefined;
}

/** How a client of this run repeats and waits: everything of the sender but its transport. */
export type Resilience = Omit<SenderOptions, "transport" | "onAnswer">;

export async function createResilience({ parts, flags, memory }: ResilienceChoice): Promise<Resilience> {
  const [{ createRateLimitGate }, { DEFAULT_RETRY_POLICY }] = await Promise.all([
    import("../api/rate-limit-gate.js"),
    import("../api/retry.js"),
  ]);
  const { clock, stderr, process } = parts;
  const { retries, maxWait } = decideRequestLimits(flags, process.env);
  const { slice, onPause } = createPauseDisplay(stderr, flags.quiet === true);
  return {
    policy: { ...DEFAULT_RETRY_POLICY, retries },
    gate: createRateLimitGate({ maxWait, slice, clock, memory, onPause }),
    clock,
    onPause,
    signal: parts.signal(),
  };
}
