import type { View } from "../view.js";

/**
 * The view of a command that gives one thing only, such as a token or a path: `{[key]: text}` in JSON, the text
 * alone elsewhere.
 */
export function createBareView(key: string): View<Readonly<Record<string, string | null>>> {
  return { noun: key, keys: { [key]: {} }, tsv: [key], layout: "bare" };
}

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
