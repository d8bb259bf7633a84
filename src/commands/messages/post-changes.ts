import type { Target } from "../../delivery/target.js";
import { hasCode } from "../../errors.js";
import { type Diff, separateReaders, withDiff } from "../../events/changes/diff.js";
import type { ChangesFlags } from "../../events/changes/read.js";
import { checkName } from "../../events/changes/scope.js";
import { changeView } from "../../events/views/change.js";
import type { Run } from "../../run/run.js";
import { messageKey } from "../../state/sent.js";
import { nameFilters, type PostOptions } from "./digest.js";
import {
  createChangesDigest,
  createTextMessage,
  describeChanges,
  type Message,
  presentEvents,
} from "./message.js";
import { noteResult, postMessage, postToEach, type SendMessage } from "./post-target.js";

/** A key is used until the next message under its name. */
const KEEP_DAYS = 400;

/**
 * Sends what changed since the last run under a name to each target, which has seen what it was sent. It is remembered in
 * the moment in which the message counts as sent. If that is unknown, this is reported once, and later runs go on from there,
 * but with `--at-least-once`.
 */
export async function postChanges(
  run: Run,
  options: PostOptions & ChangesFlags,
  targets: readonly Target[],
): Promise<void> {
  const readers = targets.map(({ id }) => id);
  if (readers.length > 1) await separateReaders(run, checkName(options), readers);
  const sent = await run.state.sent();
  await postToEach(run, { targets, sent }, (target) =>
    withDiff(run, { ...options, reader: target.id }, async (diff) => {
      let isPosted: boolean;
      try {
        isPosted = await deliver(run, { diff, options, target });
        await diff.rememberForNewReaders();
      } catch (error) {
        // It says more than what could not be read, which is still named on stderr.
        throw reportBeside(error, diff);
      }
      diff.reportFailures();
      return isPosted;
    }),
  );
}

function reportBeside(error: unknown, { reportFailures }: Diff): unknown {
  try {
    reportFailures();
  } catch (failure) {
    if (hasCode(failure, "interrupted")) return failure;
  }
  return error;
}

interface Delivery {
  readonly diff: Diff;
  readonly options: PostOptions;
  readonly target: Target;
}

/** @returns whether something was posted */
async function deliver(run: Run, { diff, options, target }: Delivery): Promise<boolean> {
  if (diff.changes.length === 0 && options.ifEmpty !== "say") {
    await diff.remember();
    noteResult(run, "nothing new: nothing was posted");
    return false;
  }
  const sent = await run.state.sent();
  const { remembered: remember, revision } = diff;
  const { name, reader } = remember;
  const { again = false, atLeastOnce = false } = options;
  // The same changes have the same key, until they are remembered.
  const key = messageKey(run.config.settings(), "changes", { name, reader, revision });
  const repeats = again || atLeastOnce ? "unknown" : undefined;
  const message = createMessage(run, diff, options);
  const sendMessage: SendMessage = (outgoing) =>
    sent.sendOnce([key], async () => outgoing, { keepDays: KEEP_DAYS, repeats, atLeastOnce, remember });
  return postMessage(run, message, { target, sendMessage });
}

function createMessage(run: Run, { changes, calendars, days }: Diff, options: PostOptions): Message {
  const { output } = run;
  const moment = { zone: run.config.settings().timezone, now: run.now(), range: days };
  const filters = nameFilters(run, options, calendars);
  const title = options.title ?? describeChanges(changes, { ...moment, filters });
  const listed = changes.map((change) => ({ ...change.event, ...change }));
  const text = changes.length === 0 ? null : output.template(changeView, listed);
  if (text !== null) return createTextMessage(title, text, presentEvents(changes));
  return createChangesDigest(changes, { ...moment, title, showCalendar: calendars.length > 1 });
}
