import type { Message } from "./message.js";
import type { Payload } from "./payload.js";
import type { TargetKind } from "./target-kinds.js";

/** Where one message goes, beyond what the target's URL says. */
export interface Destination {
  /** Of telegram: an id, or `@` and the name of a channel. */
  readonly chat?: string | undefined;
  /** Of mail: an address. */
  readonly to?: string | undefined;
}

/** The message as a target takes it, within its limits. Loads only what the target needs. */
export async function renderMessage(
  kind: TargetKind,
  message: Message,
  destination: Destination,
): Promise<Payload> {
  switch (kind) {
    case "slack":
      return (await import("./targets/slack.js")).renderSlack(message);
    case "json":
      return (await import("./targets/json.js")).renderJson(message);
    default:
      throw new Error(`not yet: ${kind} ${destination.chat}`);
  }
}
