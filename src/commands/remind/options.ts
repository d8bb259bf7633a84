import type { Context } from "../../context.js";
import type { FilterFlags } from "../events/event-query.js";
import type { EventContext } from "../events/event-reader.js";
import type { MessageFlags, TargetFlags } from "../post/target.js";

/** The flags and the arguments of `remind`, as typed. */
export interface RemindOptions extends FilterFlags, TargetFlags, MessageFlags {
  readonly before?: string;
  readonly grace?: string;
  readonly allDayAt?: string;
  readonly search?: string;
  /** A saved target, or addresses of mail. */
  readonly post?: string;
  readonly again?: boolean;
  readonly atLeastOnce?: boolean;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

export type RemindContext = EventContext & Pick<Context, "messages" | "machine">;
