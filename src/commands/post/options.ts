import type { Context } from "../../context.js";
import type { DayFlags, FilterFlags } from "../events/event-query.js";
import type { EventContext } from "../events/event-reader.js";
import type { MessageFlags, TargetFlags } from "./target.js";

/** The flags of `post`, as typed. */
export interface PostOptions extends Omit<DayFlags, "to">, FilterFlags, TargetFlags, MessageFlags {
  /** Saved targets, or addresses of mail. */
  readonly to?: readonly string[];
  readonly ifEmpty?: "skip" | "say";
  readonly title?: string;
  readonly once?: boolean;
  readonly again?: boolean;
  readonly atLeastOnce?: boolean;
  /** Name of `events changes --since-last`. */
  readonly changes?: string;
}

export type PostContext = EventContext & Pick<Context, "messages">;
