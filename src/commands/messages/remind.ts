import type { Command } from "commander";
import { addAction, describeCommand, forJobs, type RunOf, requireChosenService } from "../../cli/command.js";
import { processEach } from "../../cli/items.js";
import { createProgramRunner, eventVariables } from "../../cli/run-program.js";
import { addTargetFlags, type Payload, type Target, type TargetFlags } from "../../delivery/target.js";
import { CliError, emptyValueError, missingFlagsError, usageError, wrapError } from "../../errors.js";
import { nameEvent } from "../../events/find/event-ids.js";
import {
  addCalendarFlag,
  addFilterFlags,
  type EventQuery,
  type FilterFlags,
  rememberedNames,
} from "../../events/find/event-query.js";
import { nameSingle, readEvents } from "../../events/find/event-reader.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import {
  checkWindow,
  findLate,
  findReminders,
  parseLead,
  parseTimeOfDay,
  type Reminder,
  type ReminderWindow,
  reminderQueries,
} from "../../events/reminders.js";
import { parseSearch } from "../../events/search.js";
import { eventView } from "../../events/views/event.js";
import { jsonObject } from "../../output/view.js";
import { JSON_DOCUMENT, PAYLOAD_DOCUMENT } from "../../output/views/plain.js";
import { firstNames } from "../../output/words.js";
import type { Run } from "../../run/run.js";
import { messageKey, type OutgoingMessage, type SendResult, type Sent } from "../../state/sent.js";
import { createReminder, type ReminderOptions } from "./message.js";
import {
  addMessageFlags,
  attachSeries,
  type MessageFlags,
  noteResult,
  reportSending,
  targetRequest,
} from "./post-target.js";
import { composeOutgoing } from "./render.js";

export function registerRemind(command: Command, runOf: RunOf): void {
  command
    .argument("[program...]", "after --: program to run for each event, and its arguments (no shell)")
    .optionsGroup("When")
    .option("--before <duration>", "how long before the start, such as 15m")
    .option("--grace <duration>", "also remind of starts missed within this time (default: 1h)")
    .option("--all-day-at <HH:MM>", "include all-day events, as if they started at this time")
    .optionsGroup("Where to")
    .option("--post <name>", "saved target, or with --as mail an email address, instead of a program");
  addTargetFlags(command);
  addCalendarFlag(command);
  command.option("--search <text>", "only events with this text in title, description or location");
  addFilterFlags(command);
  addMessageFlags(command);
  command
    .optionsGroup("Repeated runs")
    .option("--again", "repeat reminders that may not have arrived")
    .option("--at-least-once", "always repeat such reminders, instead of exit 9");
  describeCommand(command, {
    examples: () => [
      [
        "From cron every five minutes: a desktop notification before each event",
        `calctl remind --before 15m --dry-run -- sh -c 'notify-send "$CALCTL_EVENT_TITLE"'`,
      ],
      [
        "All-day events at eight in the morning, by email",
        "calctl remind --before 1m --all-day-at 08:00 --as mail --post ana@example.org --dry-run",
      ],
    ],
  });
  addAction(command, forJobs(runOf), runRemind);
}

/** Announces each start of an event once: to a program, or to the target of messages. */
async function runRemind(run: Run, options: RemindOptions): Promise<void> {
  const before = requireFlags(options);
  requireChosenService(run.config.settings(), { sends: !run.flags.dryRun });
  const window = readWindow(run, options, before);
  const search = options.search === undefined ? null : parseSearch(options.search, "--search");
  const sink = await createReminderSink(run, options);
  const query: EventQuery = {
    days: { first: null, last: null },
    upcoming: reminderQueries(window),
    search,
    filters: options,
  };
  const { failure, ...found } = await readReminders(run, window, query);
  if (!run.flags.dryRun) await announceAll(run, { ...found, sink, window, options });
  else if (failure === null || failure.code === "partial") await showAll(run, { ...found, sink });
  if (failure !== null) throw failure;
}

const DEFAULT_GRACE = "1h";

/** @returns `--before`. @throws CliError usage that names all that is missing */
function requireFlags({ before, program, post, as }: RemindOptions): string {
  const hasSink = program.length > 0 || post !== undefined || as !== undefined;
  const missing = hasSink ? [] : ["--post (or a program after --)"];
  if (before === undefined)
    throw missingFlagsError(["--before", ...missing], "--before is how long before its start, such as 15m");
  if (!hasSink) throw missingFlagsError(missing);
  return before;
}

/** @throws CliError usage */
function readWindow(
  { now, config }: Run,
  { grace = DEFAULT_GRACE, allDayAt }: RemindOptions,
  before: string,
): ReminderWindow {
  const window = {
    now: now(),
    before: parseLead(before, "--before"),
    grace: parseLead(grace, "--grace"),
    allDayAt: allDayAt === undefined ? null : parseTimeOfDay(allDayAt, "--all-day-at"),
    zone: config.settings().timezone,
  };
  checkWindow(window);
  return window;
}

interface FoundReminders extends Pick<Announcing, "reminders" | "late" | "showCalendar"> {
  /** Of calendars that could not be read; null without one. Each was named on stderr. */
  readonly failure: CliError | null;
}

/** Reads the events that are to be announced. Those of a calendar that cannot be read are left for the next run. */
async function readReminders(run: Run, window: ReminderWindow, query: EventQuery): Promise<FoundReminders> {
  const { calendars, events, reportFailures } = await readEvents(run, query);
  let failure: CliError | null = null;
  reportFailures((error) => {
    failure = wrapError(error, error.code, `${nameSingle(calendars)}${error.message}`);
    return null;
  });
  const [reminders, late] = [findReminders(events, window), findLate(events, window)];
  return { reminders, late, showCalendar: calendars.length > 1, failure };
}

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
  if (known === null) return seen.saveSnapshot({ name, seen: { since: window.now } });
  const { since } = known.seen as { readonly since: number };
  const byKey = new Map(late.filter(({ start }) => start > since).map((each) => [keyOf(each), each.event]));
  if (byKey.size === 0) return;
  const missed = await sent.noteMissed([...byKey.keys()], KEEP_DAYS);
  if (missed.length === 0) return;
  const names = missed.flatMap((key) => byKey.get(key) ?? []).map(nameEvent);
  const starts = names.length === 1 ? "1 start was" : `${names.length} starts were`;
  run.output.warn(`${starts} missed, and not announced within --grace: ${firstNames(names, MAX_NAMED)}`);
}

/** The flags and the arguments of `remind`, as typed. */
export interface RemindOptions extends FilterFlags, TargetFlags, MessageFlags {
  readonly before?: string;
  readonly grace?: string;
  readonly allDayAt?: string;
  readonly search?: string;
  /** A saved target, or addresses of mail. */
  readonly post?: string;
  readonly again?: boolean;
  readonly atLeastOnce?: boolean;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

/** What an event is announced to. */
export interface ReminderSink {
  /** The same in every run. */
  readonly id: string;
  /** Whether events that start at the same time are announced together. */
  readonly groupsByStart: boolean;
  /** Makes the announcement; a certain failure of its `send` is tried again at the next run. */
  compose(
    events: readonly LocalizedEvent[],
    options: Pick<ReminderOptions, "showCalendar">,
  ): Promise<Announcement>;
}

interface Announcement extends OutgoingMessage {
  /** What is posted; null for a program. */
  readonly payload: Pick<Payload, "contentType" | "body"> | null;
}

/** The program, or the target of messages. @throws CliError usage, not_found, configuration */
export async function createReminderSink(run: Run, options: RemindOptions): Promise<ReminderSink> {
  const { program: words, post, as } = options;
  const [program, ...args] = words;
  if (program === undefined) {
    const targets = await run.targets();
    return targetSink(run, await targets.open({ ...targetRequest(options), to: post, flag: "--post" }));
  }
  if (post !== undefined || as !== undefined)
    throw usageError("use either a program or a target of messages, not both");
  const flag = MESSAGE_FLAGS.find(([, name]) => options[name] !== undefined)?.[0];
  if (flag !== undefined) throw usageError(`${flag}: only messages support this flag`);
  if (program === "") throw emptyValueError("the program");
  const again = "check what it did";
  const runProgram = createProgramRunner(run.machine, { warn: run.output.warn, again });
  return {
    id: `run ${JSON.stringify(words)}`,
    groupsByStart: false,
    compose: async (events) => ({
      command: "remind",
      target: program,
      what: events.map(nameEvent).join(", "),
      payload: null,
      async send() {
        for (const event of events) {
          const input = `${JSON.stringify(jsonObject(eventView, event))}\n`;
          await runProgram({ program, args, input, variables: eventVariables(event) });
        }
      },
    }),
  };
}

const MESSAGE_FLAGS = [
  ["--chat", "chat"],
  ["--topic", "topic"],
  ["--mention", "mention"],
  ["--ics", "ics"],
] as const;

function targetSink(run: Run, target: Target): ReminderSink {
  return {
    id: `post ${target.id}`,
    groupsByStart: true,
    async compose(events, { showCalendar }) {
      const { config, now } = run;
      const message = createReminder(events, { zone: config.settings().timezone, now: now(), showCalendar });
      const complete = await attachSeries(run, message, target);
      return composeOutgoing(complete, target, { command: "remind", now: now() });
    },
  };
}
