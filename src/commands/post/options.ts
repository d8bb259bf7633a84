import type { Context } from "../../context.js";
import type { SelectionFlags } from "../events/event-selection.js";
import type { FilterFlags, ListingContext } from "../events/listing.js";
import type { TargetFlags } from "./target.js";

/** The flags of `post`, as typed. */
export interface PostOptions extends Omit<SelectionFlags, "to">, FilterFlags, TargetFlags {
  /** A saved webhook, or addresses of mail. */
  readonly to?: string;
  readonly ifEmpty?: "skip" | "say";
  readonly title?: string;
  readonly once?: boolean;
  readonly again?: boolean;
  /** Name of `events changes --since-last`. */
  readonly changes?: string;
}

export type PostContext = ListingContext & Pick<Context, "messages" | "flags" | "terminal" | "output">;
