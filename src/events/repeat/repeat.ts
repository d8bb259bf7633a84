import { dateToInstant, instantToDate } from "../../../contract/date-time.js";
import { originalStartText } from "../../../contract/extensions.js";
import type { Event, EventDraft } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import { usageError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import { parseRepeat } from "../../time/recurrence/input.js";
import { checkRecurrence, expandRecurrence, isFirstSkipped } from "../../time/recurrence/recurrence.js";
import {
  dateLines,
  MAX_OCCURRENCES,
  type Recurrence,
  readRecurrence,
  readRule,
  recurrenceOf,
  writeRule,
} from "../../time/recurrence/rule.js";
import { describeRule } from "../../time/recurrence/words.js";
import { addDays, describeLocal, instantAt, localDate, wallClockAt } from "../../time/zoned-time.js";
import { readDayFlag } from "../input/date-flags.js";
import type { EventFlags } from "../input/event-flags.js";
import type { Named } from "../names.js";
import type { EventUpdate } from "../write-events.js";
import { fromRuleStart, isSeries, requireSeries, shiftBetween, shiftedStart, timesFrom } from "./series.js";

/**
 * Rules of events that repeat. `events create --repeat` makes a series, or with `--copies` single events by rule; `events
 * update` changes the rule, or its end. Load it by `import()`: few commands need the rule engine.
 */

/** What `--repeat` makes. */
export interface RepeatPlan {
  /** The series, or what all single events have but their times. */
  readonly content: EventDraft<Named>;
  /** When the single events of `--copies` are, in order. */
  readonly copies?: readonly CopyTimes[];
  /** How the rule was read, for people. */
  readonly reading: string;
}

/**
 * Reads the rule.
 * @param given the event as it would be without `--repeat`
 * @throws CliError usage for a rule or days that do not fit
 */
export async function planRepeat(run: Run, flags: EventFlags, given: EventDraft<Named>): Promise<RepeatPlan> {
  const content = { ...given, recurrences: undefined };
  const beginning = beginningOf(content);
  const { rule, excluded } = await readRepeat(run, flags, { beginning });
  if (flags.copies !== true) {
    const today = localDate(run.now(), beginning.zone);
    const series = seriesOf(content, rule, { excluded, today });
    return { content: series.content, reading: describeRepeat(rule, beginning, series.days) };
  }
  const { COUNT, UNTIL } = readRule(rule, "--repeat");
  if (COUNT === undefined && UNTIL === undefined)
    throw usageError("missing --until or --count: the rule of --repeat has no end");
  const copies = copiesOf(content, rule, excluded);
  const days = [...new Set(copies.map(({ day }) => day))];
  return {
    content,
    copies: copies.map(({ times }) => times),
    reading: describeRepeat(rule, beginning, days),
  };
}

/** Checks the recurrences of an input, as services do. @throws CliError usage */
export function checkLines(content: EventDraft<unknown>, lines: readonly string[]): void {
  const source = "--input: recurrences";
  if (content.start_at === undefined)
    throw usageError(
      `${source}: the event has no start`,
      "add start_at and end_at, or leave recurrences out",
    );
  checkRecurrence(recurrenceOf(content, lines), source);
}

/**
 * The lines of a series as the flags change it, and says on stderr how they were read.
 * @param update the event, and what is written to it
 * @throws CliError usage for a rule that does not fit, rejected where the service stores no series
 */
export async function planRule(
  run: Run,
  flags: EventFlags,
  { event, draft, scope }: Pick<EventUpdate, "event" | "draft" | "scope">,
): Promise<readonly string[]> {
  if (scope === "this") {
    const flag = flags.repeat === undefined ? "--until and --count" : "--repeat";
    throw usageError(`${flag}: one event of a series has no rule`, "use --scope following or --scope all");
  }
  const api = await run.api();
  if (scope === undefined) await requireSeries(api, event.calendar_id);
  const series = fromRuleStart(await readSeries(api, event));
  const shift = shiftBetween(event, draft);
  const start = scope === "all" ? shiftedStart(series, shift, draft.start_timezone ?? "UTC") : draft.start_at;
  const content = { ...draft, start_at: start };
  const beginning = beginningOf(content);
  const { rule: ownRule, excluded: exceptions, extra } = readLines(series);
  if (flags.repeat === undefined && ownRule === null)
    throw usageError("missing --repeat: --until and --count have no effect without it");
  const { COUNT, UNTIL, ...own } = ownRule ?? {};
  const { rule, excluded } = await readRepeat(run, flags, { beginning, own: writeRule(own) });
  const zone = series.start_timezone ?? "UTC";
  const kept = [...exceptions].map((instant) => addDays(localDate(instant, zone), shift.days));
  const today = localDate(run.now(), beginning.zone);
  const { content: planned, days } = seriesOf(content, rule, { excluded, kept, today });
  run.output.note(describeRepeat(rule, beginning, days));
  if (ownRule !== null && (COUNT ?? UNTIL) !== undefined && !/COUNT=|UNTIL=/.test(rule)) {
    const ended = describeRule(ownRule, zone);
    run.output.note(`the series had an end (${ended}) and now has none: add --until or --count to keep one`);
  }
  const moved = extra.map((instant) => instantAt(wallClockAt(instant, zone) + shift.clock, beginning.zone));
  const isKept = (instant: number) => flags.repeat === undefined && instant >= Date.parse(start ?? "");
  return [...planned.recurrences, ...dateLines("RDATE", moved.filter(isKept), beginning)];
}

/** The series of which an event is one; an event that does not repeat itself. */
async function readSeries(api: Api, event: Event): Promise<Event> {
  if (event.series_id === null || isSeries(event)) return event;
  return api.getEvent({ calendarId: event.calendar_id, eventId: event.series_id });
}

function readLines({ recurrences: lines, start_at: start, start_timezone: timezone, all_day }: Event) {
  return readRecurrence(
    { lines, start: start ?? "", timezone: all_day === true ? null : timezone },
    "recurrences",
  );
}

/** What the flags say of a rule. */
interface TypedRule {
  /** An RRULE. */
  readonly rule: string;
  /** The days of `--except`, as `YYYY-MM-DD`. */
  readonly excluded: readonly string[];
}

/**
 * Reads the rule of the flags, with its end.
 * @param place where the event begins, and the RRULE that `--until` and `--count` end without `--repeat`
 * @throws CliError usage for a rule or days that do not fit
 */
async function readRepeat(
  run: Run,
  flags: EventFlags,
  { beginning, own = "" }: { readonly beginning: Beginning; readonly own?: string },
): Promise<TypedRule> {
  const { repeat, until, count, except = [] } = flags;
  const dayOf = createDayReader(run, flags, beginning);
  const start = repeat === undefined ? own : parseRepeat(repeat, "--repeat");
  const rule = [start, ...(await readEnd({ until, count }, { beginning, dayOf }))].join(";");
  readRule(rule, until === undefined ? "--count" : "--until");
  checkRepeat(rule, beginning);
  const excluded: string[] = [];
  for (const day of except) excluded.push(await dayOf(day, "--except"));
  return { rule, excluded };
}

/** UNTIL or COUNT of an RRULE; none without the flags. @throws CliError usage */
async function readEnd(
  { until, count }: { readonly until: string | undefined; readonly count: string | undefined },
  { beginning, dayOf }: { readonly beginning: Beginning; readonly dayOf: DayReader },
): Promise<readonly string[]> {
  if (until !== undefined) {
    const [day, first] = [await dayOf(until, "--until"), beginning.start.slice(0, "YYYY-MM-DD".length)];
    if (day < first) throw usageError(`--until: ${day} is before the start, ${first}`, "write a later day");
    return [untilDay(day, beginning)];
  }
  if (count === undefined) return [];
  if (/^\d+$/.test(count)) return [`COUNT=${count}`];
  throw usageError(`--count: "${count}" is not a whole number`, "write a number such as 10");
}

/** How a rule was read, for people. @param days of its next occurrences */
function describeRepeat(rule: string, { zone }: Beginning, days: readonly string[]): string {
  const words = describeRule(readRule(rule, "--repeat"), zone);
  if (days.length === 0) return `repeat: ${words}`;
  const shown = days.slice(0, SHOWN_DAYS).map((day) => describeLocal(day, zone));
  return `repeat: ${words}: ${shown.join(", ")}${days.length > SHOWN_DAYS ? ", …" : ""}`;
}

type DayReader = (text: string, source: string) => Promise<string>;

/** Reads days in the zone of the event, as `YYYY-MM-DD`. */
function createDayReader(
  { now, output }: Run,
  { strictDates: strict = false }: EventFlags,
  { zone, start }: Beginning,
): DayReader {
  const from = () => start.slice(0, "YYYY-MM-DD".length);
  return (text, source) => readDayFlag(text, { source, zone, strict, now, echo: output.note, from });
}

/** An event that repeats, as a series or as single events. Load it by `import()`: few commands need the rule engine. */

/** What one run makes at most: a day each for a year. */
const MAX_COPIES = 366;

/** Where an event begins, on the clock of its zone. */
export interface Beginning extends Omit<Recurrence, "lines"> {
  /** IANA; `UTC` for all-day. */
  readonly zone: string;
  readonly isAllDay: boolean;
}

/** @throws CliError usage for an event without times */
export function beginningOf(content: EventDraft<unknown>): Beginning {
  if (content.start_at === undefined) throw usageError("missing --start: --repeat has no effect without it");
  const { start, timezone } = recurrenceOf(content, []);
  return { start, timezone, zone: timezone ?? "UTC", isAllDay: timezone === null };
}

/** An RRULE that has its last start on a day, as UNTIL. @param day `YYYY-MM-DD` */
export function untilDay(day: string, { zone, isAllDay }: Beginning): string {
  const last = isAllDay ? dateToInstant(day) : instantAt(dateToInstant(addDays(day, 1)), zone) - 1000;
  return `UNTIL=${originalStartText(last, isAllDay)}`;
}

/** @throws CliError usage for an RRULE that does not fit the event, and for one that ends before its first date */
export function checkRepeat(rule: string, beginning: Beginning): void {
  const open = rule.replace(/;UNTIL=\w+/, "");
  const [first] = open === rule ? [] : expandRecurrence({ ...beginning, lines: [`RRULE:${open}`] });
  const [found] = first === undefined ? [] : expandRecurrence({ ...beginning, lines: [`RRULE:${rule}`] });
  if (first !== undefined && found === undefined) {
    const day = describeLocal(instantToDate(wallClockAt(first, beginning.zone)), beginning.zone);
    throw usageError(`the event stops repeating before its first date, ${day}`, "write a later day");
  }
  checkRecurrence({ ...beginning, lines: [`RRULE:${rule}`] }, "--repeat");
}

/** When a single event by a rule is. */
export type CopyTimes = ReturnType<typeof timesFrom>;

/**
 * When an event is at each start of an RRULE, in order, with the length it has.
 * @param excluded days without one, as `YYYY-MM-DD`
 * @returns its times, and the days
 * @throws CliError usage for more than one run makes, for none, and for a day that has none anyway
 */
export function copiesOf(content: EventDraft<unknown>, rule: string, excluded: readonly string[]) {
  const beginning = beginningOf(content);
  const all: { readonly day: string; readonly times: CopyTimes }[] = [];
  for (const start of expandRecurrence({ ...beginning, lines: [`RRULE:${rule}`] })) {
    const day = instantToDate(wallClockAt(start, beginning.zone));
    if (all.push({ day, times: timesFrom(content, start) }) <= MAX_COPIES) continue;
    throw usageError(
      `--repeat has more than ${MAX_COPIES} events, the most that one command creates`,
      "end it earlier with --until or --count, and create the rest with another command",
    );
  }
  checkExcluded(
    excluded,
    all.map(({ day }) => day),
  );
  const copies = all.filter(({ day }) => !excluded.includes(day));
  if (copies.length === 0) throw usageError(NOTHING_LEFT);
  return copies;
}

const NOTHING_LEFT = "--except leaves no date of --repeat";

/** @param days of the rule */
function checkExcluded(excluded: readonly string[], days: readonly string[]): void {
  const useless = excluded.find((day) => !days.includes(day));
  if (useless !== undefined)
    throw usageError(`--except: ${useless} is not a date of --repeat`, "leave it out");
}

/** How many days a person is shown. */
export const SHOWN_DAYS = 3;

/** Days without an occurrence, as `YYYY-MM-DD`. */
interface ExceptedDays {
  /** Refused where the rule has no such day. */
  readonly excluded: readonly string[];
  /** Left out where the rule has no such day. */
  readonly kept?: readonly string[];
}

/**
 * The event as a series, which begins with the first start of an RRULE, or before one that a clock change skips.
 * @param today the first day that a person is shown
 * @returns the content, and days with occurrences, one more than is shown where there are more
 * @throws CliError usage for exceptions that leave nothing, and for a day that has no occurrence anyway
 */
export function seriesOf<Ref>(
  content: EventDraft<Ref>,
  rule: string,
  { excluded, kept = [], today }: ExceptedDays & { readonly today: string },
) {
  const beginning = beginningOf(content);
  const excepted = new Set([...excluded, ...kept]);
  const last = [...excepted].sort().at(-1) ?? "";
  const found: { readonly day: string; readonly start: number }[] = [];
  const days: string[] = [];
  const recurrence = { ...beginning, lines: [`RRULE:${rule}`] };
  for (const start of expandRecurrence(recurrence)) {
    const day = instantToDate(wallClockAt(start, beginning.zone));
    found.push({ day, start });
    if (!excepted.has(day) && day >= today && day !== days.at(-1)) days.push(day);
    if ((day > last && days.length > SHOWN_DAYS) || found.length === MAX_OCCURRENCES) break;
  }
  checkExcluded(
    excluded,
    found.map(({ day }) => day),
  );
  const [first] = found;
  if (first === undefined || found.every(({ day }) => excepted.has(day))) throw usageError(NOTHING_LEFT);
  const exceptions = found.filter(({ day }) => excepted.has(day)).map(({ start }) => start);
  const recurrences = [`RRULE:${rule}`, ...dateLines("EXDATE", exceptions, beginning)];
  checkRecurrence({ ...beginning, lines: recurrences }, "--repeat");
  const times = isFirstSkipped(recurrence) ? {} : timesFrom(content, first.start);
  return { content: { ...content, ...times, recurrences }, days };
}
