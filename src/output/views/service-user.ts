import type { View } from "../view.js";

export interface ServiceUser {
  readonly id: string;
  readonly name: string;
  readonly login: string;
}

/** The users of the embedded service. */
export const serviceUserView: View<ServiceUser> = {
  noun: "user",
  keys: { id: {}, name: { shrinkTo: 8 }, login: {} },
  tsv: ["id", "name", "login"],
  table: ["name", "login", "id"],
  layout: "rows",
};
