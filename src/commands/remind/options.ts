import type { Context } from "../../context.js";
import type { FilterFlags, ListingContext } from "../events/listing.js";
import type { TargetFlags } from "../post/target.js";

/** The flags and the arguments of `remind`, as typed. */
export interface RemindOptions extends FilterFlags, TargetFlags {
  readonly before?: string;
  readonly grace?: string;
  readonly allDayAt?: string;
  readonly search?: string;
  /** A saved webhook, or addresses of mail. */
  readonly post?: string;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

export type RemindContext = ListingContext &
  Pick<Context, "messages" | "flags" | "terminal" | "output" | "machine">;
