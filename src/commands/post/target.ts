import type { Command } from "commander";
import type { Context } from "../../context.js";
import type { Message } from "../../messages/message.js";
import { renderMessage } from "../../messages/render.js";
import type { Target } from "../../messages/target.js";
import { TARGET_KINDS, type TargetKind } from "../../messages/target-kinds.js";
import { PAYLOAD_DOCUMENT } from "../../output/views/plain.js";

/** The flags that choose where messages go, as typed. */
export interface TargetFlags {
  readonly as?: TargetKind;
  readonly chat?: string;
}

/** Adds `--as` and `--chat`. */
export function addTargetFlags(command: Command): void {
  command
    .addOption(
      command
        .createOption("--as <kind>", "message format of the webhook in the environment, or mail")
        .choices(TARGET_KINDS),
    )
    .option("--chat <id>", "chat of telegram, if it is not the saved one");
}

/** How a message is sent: at once, or through the ledger. */
export type SendMessage = (send: () => Promise<void>) => Promise<unknown>;

/** Sends a message, or prints it with `--dry-run`. On a terminal, says what was done. */
export async function postMessage(
  context: Pick<Context, "flags" | "terminal" | "output" | "now">,
  message: Message,
  { target, sendMessage }: { readonly target: Target; readonly sendMessage: SendMessage },
): Promise<void> {
  const payload = await renderMessage(target.kind, message, { ...target, now: context.now() });
  if (context.flags.dryRun) return context.output.document(PAYLOAD_DOCUMENT, payload);
  const result = await sendMessage(() => target.deliver(payload));
  if (!context.terminal.isTerminal) return;
  context.output.note(
    result === "already_sent" ? `already posted to ${target.name}` : `posted to ${target.name}`,
  );
}
