import { processEach } from "../../cli/items.js";
import { CliError } from "../../errors.js";
import { nameEvent } from "../../events/find/event-ids.js";
import { rememberedNames } from "../../events/find/event-query.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import type { Reminder, ReminderWindow } from "../../events/reminders.js";
import { eventView } from "../../events/views/event.js";
import { jsonObject } from "../../output/view.js";
import { JSON_DOCUMENT, PAYLOAD_DOCUMENT } from "../../output/views/plain.js";
import { firstNames } from "../../output/words.js";
import type { Run } from "../../run/run.js";
import { messageKey, type SendResult, type Sent } from "../../state/sent.js";
import { noteResult, reportSending } from "./post-target.js";
import type { ReminderSink, RemindOptions } from "./reminder-sink.js";

/** What announcing uses of a run. */
interface AnnounceRun extends Pick<Run, "now" | "state"> {
  readonly config: { readonly settings: () => Parameters<typeof messageKey>[0] };
  readonly output: Pick<Run["output"], "note" | "warn">;
  readonly flags: Pick<Run["flags"], "calendars" | "verbose">;
  readonly terminal: Pick<Run["terminal"], "isTerminal">;
}

type DueEvent = Reminder<LocalizedEvent>;

export interface Announcing {
  readonly reminders: readonly DueEvent[];
  /** Those that are too late, as far as no run has announced them. */
  readonly late: readonly DueEvent[];
  readonly sink: ReminderSink;
  readonly window: ReminderWindow;
  /** Whether there are several calendars, so that each event names its own. */
  readonly showCalendar: boolean;
  readonly options: RemindOptions;
}

/** A key is kept for longer than the window, since a clock may be wrong for a while. */
const KEEP_DAYS = 30;

/**
 * Announces reminders one after the other, by start, each once. An event that cannot be drawn holds up no other.
 * @throws CliError outcome_unknown if that is so of one of them, otherwise the failure, partial when others worked
 */
export async function announceAll(run: AnnounceRun, announcing: Announcing): Promise<void> {
  const { reminders, sink, window } = announcing;
  const sent = await run.state.sent();
  // An event that moves is announced anew.
  const keyOf = ({ event, start }: DueEvent) =>
    messageKey(run.config.settings(), "reminder", {
      target: sink.id,
      before: window.before,
      event: [event.calendar_id, event.id],
      start,
    });
  await reportMissed(run, sent, { ...announcing, keyOf });
  if (reminders.length === 0) return;
  const announce = await createAnnounce(sent, { ...announcing, keyOf });
  const { reportFailures, results } = await processEach(reminders, {
    noun: "event",
    verb: "announced",
    name: ({ event }) => nameEvent(event),
    id: ({ event }) => event.id,
    warn: run.output.warn,
    concurrency: 1,
    onUnexpected: "fail",
    // Of those that earlier runs announced, or another one does now, this run has nothing to report.
    counts: (result) => result === "sent",
    work: announce,
  });
  const announced = results.filter((result) => result === "sent").length;
  const others = results.length - announced;
  const before = others === 0 ? "" : `, ${others} already ${sink.groupsByStart ? "posted" : "announced"}`;
  noteResult(run, `announced ${announced} of ${reminders.length} events${before}`);
  const [only, another] = reminders;
  const prefix = only !== undefined && another === undefined ? `event ${nameEvent(only.event)}: ` : "";
  reportSending(reportFailures, { isUnknown: await sent.acknowledge(), prefix });
}

interface KeyedAnnouncing extends Announcing {
  readonly keyOf: (reminder: DueEvent) => string;
}

/**
 * Events that start at the same time are announced together, once, when the first of them is; each by itself if the target
 * refuses that or they cannot be drawn together.
 */
async function createAnnounce(
  sent: Sent,
  { reminders, sink, showCalendar, options, keyOf }: KeyedAnnouncing,
): Promise<(reminder: DueEvent) => Promise<SendResult>> {
  const { again = false, atLeastOnce = false } = options;
  const repeats = again || atLeastOnce ? "unknown" : undefined;
  const sendOptions = { keepDays: KEEP_DAYS, skipBusy: true, repeats, atLeastOnce } as const;
  const states = await sent.statesOf(reminders.map(keyOf), { repeats });
  const free = reminders.filter((_, index) => states[index] === "free");
  const groups = sink.groupsByStart ? groupByStart(free) : [];
  const send = (group: readonly DueEvent[]) => {
    const byKey = new Map(group.map((each) => [keyOf(each), each.event]));
    const eventsOf = (keys: readonly string[]) => keys.flatMap((key) => byKey.get(key) ?? []);
    const compose = (keys: readonly string[]) => sink.compose(eventsOf(keys), { showCalendar });
    return sent.sendOnce([...byKey.keys()], compose, sendOptions);
  };
  return eachOnce(groups, send);
}

/** Calls `send` for the group of an event, once; for the event alone if that fails for a reason of one of them. */
function eachOnce<R>(
  groups: readonly (readonly DueEvent[])[],
  send: (group: readonly DueEvent[]) => Promise<R>,
): (reminder: DueEvent) => Promise<R> {
  const sendings = new Map<readonly DueEvent[], Promise<R>>();
  return async (reminder) => {
    const group = groups.find((each) => each.includes(reminder)) ?? [reminder];
    const sending = sendings.get(group) ?? send(group);
    sendings.set(group, sending);
    try {
      return await sending;
    } catch (error) {
      const isForAll = error instanceof CliError && error.code !== "rejected";
      if (group.length === 1 || isForAll) throw error;
      return send([reminder]);
    }
  };
}

function groupByStart(reminders: readonly DueEvent[]): readonly (readonly DueEvent[])[] {
  const groups = new Map<string, DueEvent[]>();
  for (const reminder of reminders) {
    const key = `${reminder.start} ${reminder.event.all_day === true}`;
    groups.set(key, [...(groups.get(key) ?? []), reminder]);
  }
  return [...groups.values()];
}

/**
 * Prints what would be announced now, as far as it was not before: the messages, or the events that a program gets. An event
 * that cannot be drawn holds up no other.
 * @throws CliError as `announceAll`
 */
export async function showAll(
  { output }: { readonly output: Pick<Run["output"], "document" | "warn"> },
  { reminders, sink, showCalendar }: Pick<Announcing, "reminders" | "sink" | "showCalendar">,
): Promise<void> {
  if (!sink.groupsByStart) {
    const events = reminders.map(({ event }) => jsonObject(eventView, event));
    return output.document(JSON_DOCUMENT, events);
  }
  const show = async (group: readonly DueEvent[]): Promise<void> => {
    const events = group.map(({ event }) => event);
    const { payload } = await sink.compose(events, { showCalendar });
    if (payload !== null) await output.document(PAYLOAD_DOCUMENT, payload);
  };
  const { reportFailures } = await processEach(reminders, {
    ...{ noun: "event", verb: "shown", concurrency: 1, onUnexpected: "fail" },
    name: ({ event }) => nameEvent(event),
    id: ({ event }) => event.id,
    warn: output.warn,
    work: eachOnce(groupByStart(reminders), show),
  });
  reportFailures();
}

/** How many of them are named. */
const MAX_NAMED = 5;

/** Says once, in one line, which starts were announced by no run, of those since the job has run for the first time. */
async function reportMissed(
  run: AnnounceRun,
  sent: Sent,
  { late, sink, window, options, keyOf }: KeyedAnnouncing,
): Promise<void> {
  const { allDayAt, allCalendars, category, mine, search, remaining } = options;
  const { label, excludeLabel, attendee } = rememberedNames(options);
  // What was added since comes last, so that jobs without it are still the same.
  const filters = {
    ...{ allCalendars, category, label, mine, search, allDayAt },
    ...{ excludeLabel, attendee, remaining },
  };
  const job = { target: sink.id, before: window.before, calendars: run.flags.calendars, filters };
  const name = messageKey(run.config.settings(), "reminder", job);
  const seen = await run.state.seen();
  const known = await seen.read({ name });
  if (known === null) return seen.remember({ name, seen: { since: window.now } });
  const { since } = known.seen as { readonly since: number };
  const byKey = new Map(late.filter(({ start }) => start > since).map((each) => [keyOf(each), each.event]));
  if (byKey.size === 0) return;
  const missed = await sent.noteMissed([...byKey.keys()], KEEP_DAYS);
  if (missed.length === 0) return;
  const names = missed.flatMap((key) => byKey.get(key) ?? []).map(nameEvent);
  const starts = names.length === 1 ? "1 start was" : `${names.length} starts were`;
  run.output.warn(`${starts} missed, and not announced within --grace: ${firstNames(names, MAX_NAMED)}`);
}
