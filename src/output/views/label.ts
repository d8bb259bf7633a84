import type { Label } from "../../contract/shapes.js";
import { jsonObject } from "../values.js";
import type { Cell, View } from "../view.js";

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
