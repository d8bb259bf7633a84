import type { Ledger } from "../../messages/ledger/ledger.js";
import { drawnHash } from "../../messages/ledger/send-rows.js";
import type { OutgoingMessage, SendOptions } from "../../messages/ledger/sends.js";
import type { PostResult, SendMessage } from "./target.js";

interface DigestUpdate extends Pick<SendOptions, "keepDays" | "repeats"> {
  readonly ledger: Ledger;
  readonly key: string;
  /** Whether there are no events, so that nothing is posted unless there is a message that shows some. */
  readonly isSkipped: boolean;
}

/**
 * Sends the digest of a key, or changes the one that was sent in place. One process at a time does: a message that is gone is
 * posted anew by one of them. Nothing is noted before a change, since the same one may be made twice.
 */
export function sendOrUpdate(digest: DigestUpdate): SendMessage {
  const { ledger, key, keepDays, repeats } = digest;
  return (outgoing) =>
    ledger.exclusively(key, async () => {
      const planned = await foreseeUpdate(digest, outgoing);
      const result = planned === "updated" ? await update(digest, outgoing) : planned;
      if (result === "updated" || result === "unchanged" || result === "skipped") return result;
      const options = { keepDays, repeats: result === "gone" ? "all" : repeats } as const;
      return ledger.sendOnce([key], async () => outgoing, options);
    });
}

async function update(
  { ledger, key, isSkipped }: DigestUpdate,
  { what, stored, edit }: OutgoingMessage,
): Promise<"updated" | "gone" | "skipped"> {
  const posted = await ledger.messages.posted(key);
  // Another run sends it anew just now.
  if (posted === null) return "updated";
  if (!(await edit?.(posted.postedId))) return isSkipped ? "skipped" : "gone";
  await ledger.messages.noteUpdated(key, { ...posted, what, drawn: drawnHash(stored) });
  return "updated";
}

/** What `sendOrUpdate` would do, if the message is still there. */
export async function foreseeUpdate(
  { ledger, key, isSkipped, repeats }: DigestUpdate,
  { stored }: OutgoingMessage,
): Promise<PostResult> {
  const [state] = await ledger.messages.statesOf([key], { repeats });
  if (state === "free") return isSkipped ? "skipped" : "sent";
  if (state !== "already_sent") return "unknown_before";
  const posted = await ledger.messages.posted(key);
  if (posted === null) return "already_sent";
  return posted.drawn === drawnHash(stored) ? "unchanged" : "updated";
}
