import type { LocalizedEvent } from "../../calendar/event-view.js";
import type { Reminder, ReminderWindow } from "../../calendar/reminders.js";
import { CliError, isOutcomeUnknown, wrapError } from "../../errors.js";
import { describeWhen } from "../../output/event-when.js";
import { titleOf } from "../../output/table/day-entry.js";
import { ledgerKey } from "../post/ledger-key.js";
import { processEach } from "../process-each.js";
import type { Announcer } from "./announcer.js";
import type { RemindContext } from "./options.js";

/** A key is kept for longer than the window, since a clock may be wrong for a while. */
const KEEP_DAYS = 30;

export interface Announcing {
  readonly reminders: readonly Reminder<LocalizedEvent>[];
  readonly announcer: Announcer;
  readonly window: ReminderWindow;
  /** Whether there are several calendars, so that each event names its own. */
  readonly showCalendar: boolean;
}

/**
 * Announces reminders one after the other, by start, each once.
 * @throws CliError outcome_unknown if that is so of one of them, otherwise the failure, partial when others worked
 */
export async function announceAll(
  context: RemindContext,
  { reminders, announcer, window, showCalendar }: Announcing,
): Promise<void> {
  if (reminders.length === 0) return;
  const ledger = await context.messages.ledger();
  // An event that moves is announced anew.
  const keyOf = ({ event, start }: Reminder<LocalizedEvent>) =>
    ledgerKey(context, "reminder", {
      target: announcer.id,
      before: window.before,
      event: [event.calendar_id, event.id],
      start,
    });
  const unknown: string[] = [];
  const { reportFailures, results } = await processEach(reminders, {
    noun: "event",
    verb: "announced",
    name: nameOf,
    id: ({ event }) => event.id,
    warn: context.output.warn,
    concurrency: 1,
    // Of those that earlier runs announced, or another one does now, this run has nothing to report.
    counts: (result) => result === "sent",
    work: async (reminder) => {
      const key = keyOf(reminder);
      try {
        return await ledger.sendOnce(key, () => announcer.announce(reminder.event, { showCalendar }), {
          keepDays: KEEP_DAYS,
          reportUnknownOnce: true,
          skipBusy: true,
        });
      } catch (error) {
        if (error instanceof CliError && isOutcomeUnknown(error)) unknown.push(key);
        throw error;
      }
    },
  });
  if (context.terminal.isTerminal) {
    const sent = results.filter((result) => result === "sent").length;
    const others = results.length - sent;
    const before = others === 0 ? "" : `, ${others} before`;
    context.output.note(`announced ${sent} of ${reminders.length} events${before}`);
  }
  await ledger.acknowledge(unknown);
  try {
    reportFailures();
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    // An unknown outcome is reported only once, while other failures are tried again by themselves.
    const code = unknown.length > 0 ? "outcome_unknown" : error.code;
    const [only, another] = reminders;
    const event = only !== undefined && another === undefined ? `event ${nameOf(only)}: ` : "";
    throw wrapError(error, code, `${event}${error.message}`);
  }
}

/** `Dentist (Sat 21 Nov 15:40, ID)` */
function nameOf({ event }: Reminder<LocalizedEvent>): string {
  const start = describeWhen({ start_local: event.start_local, end_local: null }, { year: false });
  return `${titleOf(event)} (${start.replace("  ", " ")}, ${event.id})`;
}
