import type { View } from "../../output/view.js";

export interface TargetRow {
  readonly name: string;
  readonly as: string;
}

/** The targets of `targets list`, without their URLs, which are secret. */
export const targetView: View<TargetRow> = {
  noun: "target",
  shape: "target",
  keys: {
    name: { type: "string", minWidth: 8 },
    as: { type: "string", about: "message format", header: "Format" },
  },
  tsv: ["name", "as"],
};
