import type { Label, User } from "../../contract/shapes.js";
import { type Cell, jsonObject, type View } from "../view.js";

/** The labels of a calendar. */
export const labelView: View<Label> = {
  noun: "label",
  keys: {
    id: {},
    number: {},
    name: { shrinkTo: 8, cell: ({ name, color }) => ({ text: name ?? "", dot: color }) },
    color: { shrinkTo: 7 },
  },
  tsv: ["id", "number", "name", "color"],
  table: ["number", "name", "color", "id"],
  layout: "rows",
};

/** A label inside another object. */
export function labelJson(label: Label | null): unknown {
  return label === null ? null : jsonObject(labelView, label);
}

/** A label inside another object as text: the name or, if that is empty, the number. */
export function labelText(label: Label | null): string {
  return label?.name || String(label?.number ?? "");
}

/** A label inside another object for eyes: with its colour. */
export function labelCell(label: Label | null): Cell {
  return { text: labelText(label), dot: label?.color ?? null };
}

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
