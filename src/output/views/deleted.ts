import type { View } from "../view.js";

export interface Deleted {
  /** Ids of what is gone. */
  readonly deleted: readonly string[];
}

/** What `events delete` did: for programs alone, nothing in a table or tsv. */
export const deletedView: View<Deleted> = {
  noun: "deletion",
  keys: { deleted: {} },
  tsv: [],
  layout: "rows",
};
