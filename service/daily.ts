import { DAY_MS } from "../contract/date-time.js";
import { sleepFor } from "../src/system/clock.js";
import type { Service } from "./service.js";

interface DailyOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called when it failed: it is done on the next day, or by a write. */
  readonly debug: (error: unknown) => void;
}

/** Continues the series of a service now and then once a day. */
export async function continueDaily(service: Service, { signal, debug }: DailyOptions): Promise<void> {
  while (!signal.aborted) {
    await service.continueSeries(signal).catch(debug);
    await sleepFor(DAY_MS, signal).catch(() => undefined);
  }
}
