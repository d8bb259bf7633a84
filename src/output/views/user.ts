import type { User } from "../../contract/shapes.js";
import { jsonObject } from "../values.js";
import type { View } from "../view.js";

/** The current user and the members of a calendar. */
export const userView: View<User> = {
  noun: "user",
  keys: {
    id: {},
    type: {},
    name: { shrinkTo: 8 },
    description: { shrinkTo: 8, multiline: true },
    image_url: { header: "Image" },
  },
  tsv: ["id", "name", "description"],
  table: ["name", "description", "id"],
  listing: ["name", "type", "description", "image_url", "id"],
  layout: "rows",
};

/** A user inside another object. */
export function userJson(user: User | null): unknown {
  return user === null ? null : jsonObject(userView, user);
}

/** A user inside another object as text: the name, or where it is not known the id. */
export function userText(user: User | null): string {
  return user?.name || user?.id || "";
}
