import type { View } from "../view.js";

export interface ProfileRow {
  readonly name: string;
  /** Null for `local`, which has no address. */
  readonly base_url: string | null;
  readonly in_use: boolean;
}

/** The profiles of `profiles list`. */
export const profileView: View<ProfileRow> = {
  noun: "profile",
  keys: { name: { shrinkTo: 8 }, base_url: { header: "Service" }, in_use: {} },
  tsv: ["name", "base_url", "in_use"],
  layout: "rows",
};
