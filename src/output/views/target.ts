import type { View } from "../view.js";

export interface WebhookRow {
  readonly name: string;
  readonly as: string;
}

/** The webhooks of `webhooks list`, without their URLs, which are secret. */
export const webhookView: View<WebhookRow> = {
  noun: "webhook",
  shape: "webhook",
  keys: {
    name: { type: "string", minWidth: 8 },
    as: { type: "string", about: "message format", header: "Format" },
  },
  tsv: ["name", "as"],
};
