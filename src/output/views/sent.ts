import { describeInstant } from "../event-when.js";
import type { View } from "../view.js";
import { INSTANT } from "./calendar.js";

/** A message as `sent` lists it. */
export interface SentMessage {
  readonly id: string;
  readonly command: "post" | "remind";
  readonly target: string | null;
  readonly what: string | null;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  readonly outcome: "sent" | "unknown" | "refused";
}

/** The messages of `sent`. */
export const sentView: View<SentMessage> = {
  noun: "message",
  shape: "message",
  keys: {
    id: { type: "string", minWidth: 12 },
    command: { type: "string", about: "post or remind" },
    target: { type: "string?", about: "where it went; null for what an older version has sent" },
    what: { type: "string?", about: "its first line; null likewise" },
    at: { type: "string", about: INSTANT, cell: ({ at }, zone) => ({ text: describeInstant(at, zone()) }) },
    outcome: { type: "string", about: "sent, unknown, or refused: it has certainly not arrived" },
  },
  tsv: ["id", "command", "target", "what", "at", "outcome"],
};
