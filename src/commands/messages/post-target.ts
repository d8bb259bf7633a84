import type { Command } from "commander";
import { collect } from "../../cli/global-flags.js";
import { processEach, type ReportFailures } from "../../cli/items.js";
import type { Target, TargetFlags, TargetRequest } from "../../delivery/target.js";
import { wrapError } from "../../errors.js";
import { PAYLOAD_DOCUMENT } from "../../output/views/plain.js";
import type { Run } from "../../run/run.js";
import { AGAIN_HINT, type OutgoingMessage, type SendResult, type Sent } from "../../state/sent.js";
import type { Message } from "./message.js";
import { composeOutgoing } from "./render.js";

/** The flags of what a message has beside its events, as typed. */
export interface MessageFlags {
  readonly mention?: readonly string[];
  readonly ics?: boolean;
}

/** Adds `--mention` and `--ics`. */
export function addMessageFlags(command: Command): void {
  command
    .optionsGroup("Message")
    .option(
      "--mention <who>",
      "notify @here, @channel or a person, by the target's name for them; repeatable",
      collect,
    )
    .option("--ics", "for mail: attach the events as iCalendar");
}

/** Where messages go, and what they have beside their events. */
export function targetRequest({ as, chat, topic, mention, ics }: TargetFlags & MessageFlags): TargetRequest {
  return { as, chat, topic, mentions: mention && [...new Set(mention)], ics };
}

/** The targets of `--to`, each once, or that of the environment. @throws CliError usage, not_found, configuration */
export async function openTargets(
  run: Run,
  { to, ...flags }: TargetFlags & MessageFlags & { readonly to?: readonly string[] },
): Promise<readonly Target[]> {
  const saved = await run.targets();
  const targets = new Map<string, Target>();
  for (const name of to ?? [undefined]) {
    const target = await saved.open({ ...targetRequest(flags), to: name });
    targets.set(target.id, target);
  }
  return [...targets.values()];
}

/** How a message is sent: at once, or once under a key. */
export type SendMessage = (message: OutgoingMessage) => Promise<SendResult>;

interface Posting {
  readonly target: Target;
  readonly sendMessage?: SendMessage;
}

/** Sends a message, or prints it with `--dry-run`. @returns whether something was posted or printed */
export async function postMessage(
  run: Run,
  message: Message,
  { target, sendMessage = sendAtOnce }: Posting,
): Promise<boolean> {
  const complete = await attachSeries(run, message, target);
  const outgoing = await composeOutgoing(complete, target, { command: "post", now: run.now() });
  if (run.flags.dryRun) {
    await run.output.document(PAYLOAD_DOCUMENT, outgoing.payload);
    return true;
  }
  const result = await sendMessage(outgoing);
  noteResult(run, `${RESULTS[result]} ${target.name}`);
  return result === "sent";
}

/** The message with the whole series of its events, if iCalendar is attached to it. */
export async function attachSeries(
  { api }: Run,
  message: Message,
  { ics }: Pick<Target, "ics">,
): Promise<Message> {
  if (ics !== true) return message;
  const { withSeries } = await import("../../events/repeat/with-series.js");
  const events = await withSeries(message.events, async (address) => (await api()).getEvent(address));
  return { ...message, events };
}

async function sendAtOnce({ send }: OutgoingMessage): Promise<SendResult> {
  await send();
  return "sent";
}

const RESULTS: Readonly<Record<SendResult, string>> = {
  sent: "posted to",
  already_sent: "already posted to",
  being_sent: "being posted by another calctl to",
  unknown_before: "may have been posted before (see calctl sent) to",
};

interface ResultRun extends Pick<Run, "now"> {
  readonly flags: Pick<Run["flags"], "verbose">;
  readonly terminal: Pick<Run["terminal"], "isTerminal">;
  readonly output: Pick<Run["output"], "note">;
}

/** Says what was done, to a person at a terminal or to who asks for it with `--verbose`, then with the time. */
export function noteResult({ flags, terminal, output, now }: ResultRun, text: string): void {
  if (flags.verbose) output.note(`${new Date(now()).toISOString()} ${text}`);
  else if (terminal.isTerminal) output.note(text);
}

/**
 * Posts to one target after the other. What fails for one says nothing about the others.
 * @param sent null where nothing is noted
 * @param post tells whether it has posted something
 * @throws CliError outcome_unknown if that is so of one of them, otherwise the failure, partial when others worked
 */
export async function postToEach(
  { output }: Run,
  { targets, sent }: { readonly targets: readonly Target[]; readonly sent: Sent | null },
  post: (target: Target) => Promise<boolean>,
): Promise<void> {
  const { reportFailures } = await processEach(targets, {
    noun: "message",
    verb: "posted",
    name: ({ name }) => `to ${name}`,
    id: ({ name }) => name,
    warn: output.warn,
    concurrency: 1,
    isSeparate: true,
    onUnexpected: "fail",
    counts: (isPosted) => isPosted,
    work: post,
  });
  reportSending(reportFailures, { isUnknown: (await sent?.acknowledge()) === true });
}

const CHECK_HINT = `check whether it arrived; ${AGAIN_HINT}`;

/** One of several outcomes that is unknown is reported only once, while other failures are tried again by themselves. */
export function reportSending(
  reportFailures: ReportFailures,
  { isUnknown, prefix = "" }: { readonly isUnknown: boolean; readonly prefix?: string },
): void {
  reportFailures((failure) => {
    const message = `${prefix}${failure.message}`;
    if (!isUnknown) return wrapError(failure, failure.code, message);
    return wrapError(failure, "outcome_unknown", message, { hint: failure.hint ?? CHECK_HINT });
  });
}
