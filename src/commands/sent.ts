import type { Command } from "commander";
import { checkId } from "../calendar/names.js";
import { addAction, addCommand, type ContextOf, describeCommand, forJobs } from "../cli/command.js";
import type { Context } from "../context.js";
import { dryRunError, usageError } from "../errors.js";
import { sentView } from "../output/views/sent.js";
import { completeValues, neededChoice } from "./missing-values.js";
import { type ResendContext, resendMessage } from "./post/resend.js";

const UNKNOWN_IDS = "calctl sent | sed -n 's/[[:space:]].*unknown$//p'";

export function registerSent(command: Command, contextOf: ContextOf): void {
  command.enablePositionalOptions().allowExcessArguments();
  describeCommand(command, {
    prints: { view: sentView, count: "list" },
    examples: () => [
      ["What was sent, and what is not known to have arrived", "calctl sent"],
      ["The ids of what is unknown", UNKNOWN_IDS],
    ],
  });
  addAction(command, contextOf, runSent);
  const resend = addCommand(command, "resend [id]", "send a message again, as it was");
  describeCommand(resend, {
    examples: () => [["All that is unknown", `${UNKNOWN_IDS} | xargs -rn1 calctl sent resend`]],
  });
  addAction(resend, forJobs(contextOf), runSentResend);
  const done = addCommand(command, "done [id]", "take a message as arrived");
  describeCommand(done, {
    examples: () => [["All has arrived", `${UNKNOWN_IDS} | xargs -rn1 calctl sent done`]],
  });
  addAction(done, contextOf, runSentDone);
}

/** Lists what went out in the last 30 days. */
export async function runSent(
  context: Pick<Context, "messages" | "output" | "terminal">,
  _options: object,
  command: Command,
): Promise<void> {
  const [word] = command.args;
  if (word !== undefined) throw usageError(`calctl sent has no command "${word}"`, "commands: resend, done");
  const output = context.output.of(sentView);
  const ledger = await context.messages.ledger();
  const messages = await ledger.messages.list();
  await output.print(messages);
  if (!context.terminal.isTerminal) return;
  const { note } = context.output;
  if (messages.length === 0) note("nothing was sent in the last 30 days");
  if (!messages.some(({ outcome }) => outcome === "unknown")) return;
  note("look whether unknown ones have arrived:");
  note("calctl sent resend ID, or sent done ID");
}

interface IdArgument {
  readonly id: string;
}

/** Sends a message again, and reports its outcome if that is unknown. */
export async function runSentResend(
  context: ResendContext,
  options: Partial<IdArgument>,
  command: Command,
): Promise<void> {
  const ledger = await context.messages.ledger();
  try {
    await resendMessage(context, await chooseMessage(context, options, command));
  } finally {
    await ledger.acknowledge();
  }
}

/** Takes a message as arrived. */
export async function runSentDone(
  context: ResendContext,
  options: Partial<IdArgument>,
  command: Command,
): Promise<void> {
  if (context.flags.dryRun) throw dryRunError();
  const id = await chooseMessage(context, options, command);
  await (await context.messages.ledger()).messages.markArrived(id);
}

/** The id of the argument, or of the message that is picked among those that may not have arrived. */
async function chooseMessage(
  context: Pick<Context, "messages" | "terminal">,
  { id: given }: Partial<IdArgument>,
  command: Command,
): Promise<string> {
  const list = async () =>
    (await (await context.messages.ledger()).messages.list())
      .filter(({ outcome }) => outcome !== "sent")
      .map(({ id, what, target }) => ({ value: id, name: what ?? id, description: target ?? "" }));
  if (given !== undefined) checkId(given, "ID");
  const needed = { id: neededChoice(context, { name: "ID", given, noun: "Message", list }) };
  return (await completeValues(context.terminal.prompt, needed, { command })).id;
}
