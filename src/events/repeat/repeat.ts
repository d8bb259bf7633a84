import type { Event, EventDraft } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import { CliError, usageError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import { parseRepeat } from "../../time/recurrence/input.js";
import { checkRecurrence } from "../../time/recurrence/recurrence.js";
import { dateLines, readRecurrence, readRule, recurrenceOf, writeRule } from "../../time/recurrence/rule.js";
import { describeRule } from "../../time/recurrence/words.js";
import { addDays, describeLocal, instantAt, localDate, wallClockAt } from "../../time/zoned-time.js";
import { readDayFlag } from "../input/date-flags.js";
import type { EventFlags } from "../input/event-flags.js";
import type { Named } from "../names.js";
import type { EventUpdate } from "../write-events.js";
import {
  type Beginning,
  beginningOf,
  type CopyTimes,
  checkRepeat,
  copiesOf,
  SHOWN_DAYS,
  seriesOf,
  untilDay,
} from "./recurrence-events.js";
import { fromFirstSlot, isSeries, shiftBetween, shiftedStart } from "./series.js";

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
    throw usageError(`${flag}: one event of a series has no rule`, "give --scope following or --scope all");
  }
  const api = await run.api();
  if (scope === undefined) await requireSeries(api, event.calendar_id);
  const series = fromFirstSlot(await readSeries(api, event));
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

/** @throws CliError rejected where the service stores no series */
export async function requireSeries(api: Api, calendarId: string): Promise<void> {
  if (await api.hasExtension("recurrences", calendarId)) return;
  throw new CliError("rejected", "this service does not store repeating events", {
    hint: "--copies makes single events, as many as --until or --count says",
  });
}
