import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { PAYLOAD_DOCUMENT } from "../../output/views/plain.js";
import { noteResult } from "./target.js";

export type ResendContext = Pick<Context, "messages" | "flags" | "terminal" | "output" | "now">;

/**
 * Sends a message again as it was made, to what its target's name stands for now.
 * @throws CliError not_found; usage where the target takes other messages by now; what `sendOnce` throws
 */
export async function resendMessage(context: ResendContext, id: string): Promise<void> {
  const ledger = await context.messages.ledger();
  const stored = await ledger.messages.load(id);
  const target = await (await context.messages.webhooks()).open(stored.request);
  if (context.flags.dryRun) return context.output.document(PAYLOAD_DOCUMENT, stored.payload);
  const { kind, name } = target;
  if (kind !== stored.target.kind)
    throw usageError(`message ${id} was made for ${stored.target.kind}, and ${name} is for ${kind} by now`);
  // A saved webhook may have got another URL, but the variable of another job has another one by mistake.
  if (target.id !== stored.target.id)
    throw usageError(`${name} is not where message ${id} was sent`, "set it as in the job that sent it");
  await ledger.messages.sendAgain(id, () => target.deliver(stored.payload));
  noteResult(context, `posted to ${target.name}`);
}
