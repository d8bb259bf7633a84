import { DAY_MS, formatWireDateTime } from "../../../contract/date-time.js";
import { originalStartText } from "../../../contract/extensions.js";
import type { Event, EventDraft } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import {
  exceptionsOf,
  fromRuleStart,
  linesFor,
  shiftBetween,
  shiftedStart,
  timesFrom,
} from "../../events/repeat/series.js";
import type { Starts } from "../../time/recurrence/recurrence.js";
import {
  dateLines,
  MAX_OCCURRENCES,
  readRecurrence,
  recurrenceOf,
  untilOf,
  writeRule,
} from "../../time/recurrence/rule.js";
import { instantAt, wallClockAt } from "../../time/zoned-time.js";
import type { ImportEntry } from "./entry.js";

/** Repeating events of a file as series of the service. */

/** The rule engine, which is loaded for repeating events alone. */
export type RuleEngine = typeof import("../../time/recurrence/recurrence.js");

/** What the exceptions of a series are. All are starts by its rule (ms). */
export interface SeriesExceptions {
  /** Those of the file. */
  readonly excepted: readonly number[];
  /** Whether an import has made one of the calendar; any other is of an event that somebody deleted or changed. */
  readonly isOurs: (start: number) => boolean;
  readonly isOriginalStart: (start: number) => boolean;
}

/** A rule that gives the start alone. */
const ONCE = "RRULE:FREQ=DAILY;COUNT=1";

const MAX_EXCEPTIONS = 500;

/** How far ahead of now a service counts the events of a series (ms). */
const HORIZON = 731 * DAY_MS;

/** In milliseconds. */
const SECOND = 1000;

interface SeriesOptions {
  readonly engine: RuleEngine;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Takes a remark on the repeating event, such as "imported without …". */
  readonly remark: (text: string) => void;
  /** When changes in the file would have started by the rule. */
  readonly changes: ReadonlySet<number>;
  /** The same of what is left out besides the exceptions of the file. */
  readonly gone: readonly number[];
}

/**
 * A repeating event as a series, which begins with the first start by its rule. Exceptions that are none are left out.
 * @throws CliError usage for what services do not store as one series
 */
export function readSeries(entry: ImportEntry, { engine, now, remark, changes, gone }: SeriesOptions) {
  const { recurrences: written } = entry;
  const content = withStartSince1900(entry, { engine, now, remark });
  const start = Date.parse(content.start_at ?? "");
  const recurrence = recurrenceOf(content, written);
  const isAllDay = recurrence.timezone === null;
  const read = readRecurrence(recurrence, "recurrences");
  if (start % SECOND !== 0) throw usageError("it starts at a fraction of a second");
  const lines = [ruleLine(read), ...dateLines("RDATE", read.extra, { isAllDay })];
  const every = { ...recurrence, lines };
  engine.checkRecurrence(every, "recurrences");
  if (engine.isFirstSkipped(every)) throw usageError("a clock change skips its first start");
  const excluded = [...read.excluded, ...gone];
  const asked = new Set([...excluded, ...changes]);
  const starts = engine.openRecurrence(every);
  const rule = engine.openRecurrence({ ...every, lines: lines.slice(0, 1) });
  const { first, isLater } = firstOf(rule, { start, now });
  const isWithin = (originalStart: number) => !isLater || originalStart >= first;
  const originalStarts = originalStartsAmong(starts, new Set([...asked].filter(isWithin)));
  if (isLater) remark(`imported without events before ${isoDate(first)}: ${TOO_MANY}`);
  const excepted = [...new Set(excluded)].filter(
    (originalStart) => originalStarts.has(originalStart) && !changes.has(originalStart),
  );
  const added = dateLines("RDATE", read.extra.filter(isWithin), { isAllDay });
  const recurrences = [...lines.slice(0, 1), ...added, ...dateLines("EXDATE", excepted, { isAllDay })];
  const whole = { ...content, ...timesFrom(content, first), recurrences };
  return {
    content: whole,
    excepted,
    isOriginalStart: (originalStart: number) => isWithin(originalStart) && starts.has(originalStart),
  };
}

/** A series of before 1900, which services refuse, such as a birthday without its year: it begins as `firstOf` says. */
function withStartSince1900(
  { content, recurrences }: ImportEntry,
  { engine, now, remark }: Pick<SeriesOptions, "engine" | "now" | "remark">,
): ImportEntry["content"] {
  const isCounted = recurrences.some((line) => line.includes("COUNT="));
  if (Date.parse(content.start_at ?? "") >= Date.UTC(1900, 0) || isCounted) return content;
  const lines = recurrences.filter((line) => line.startsWith("RRULE"));
  const starts = engine.openRecurrence(recurrenceOf(content, lines));
  const [later] = starts.between(decadeBefore(now), Number.POSITIVE_INFINITY);
  if (later === undefined) return content;
  remark(`imported without events before ${isoDate(later)}: a series may not begin before 1900`);
  return { ...content, ...timesFrom(content, later) };
}

function isoDate(instant: number): string {
  return formatWireDateTime(instant).slice(0, 10);
}

/** The begin of the decade before this one, so that a series begins with the same event in later runs. */
function decadeBefore(now: number): number {
  return Date.UTC(Math.floor(new Date(now).getUTCFullYear() / 10) * 10 - 10, 0);
}

/** The rule as services store it: with an UNTIL of the type of the start. Only dates are the start and these. */
function ruleLine(read: ReturnType<typeof readRecurrence>): string {
  const { rule, isAllDay } = read;
  if (rule === null) return ONCE;
  const until = Math.floor(untilOf(read) / SECOND) * SECOND;
  const end = rule.UNTIL === undefined ? {} : { UNTIL: originalStartText(until, isAllDay) };
  return `RRULE:${writeRule({ ...rule, ...end })}`;
}

const TOO_MANY = `a series may have at most ${MAX_OCCURRENCES} events until two years from now`;

/**
 * Where a series begins: with the first start of its rule, or, where services would refuse so many, with the first since the decade
 * before this one.
 */
function firstOf(rule: Starts, { start, now }: { readonly start: number; readonly now: number }) {
  let first: number | undefined;
  let count = 0;
  for (const each of rule.between(Number.NEGATIVE_INFINITY, now + HORIZON)) {
    first ??= each;
    count += 1;
    if (count > MAX_OCCURRENCES) break;
  }
  if (count <= MAX_OCCURRENCES) {
    const [next = start] = rule.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    return { first: first ?? next, isLater: false };
  }
  const [later = start] = rule.between(decadeBefore(now), Number.POSITIVE_INFINITY);
  return { first: later, isLater: true };
}

/**
 * @returns those of `asked` that are starts of the series
 * @throws CliError usage for more than `MAX_EXCEPTIONS` of them, and if the series has no other start
 */
function originalStartsAmong(starts: Starts, asked: ReadonlySet<number>): ReadonlySet<number> {
  const originalStarts = new Set<number>();
  for (const each of asked) {
    if (starts.has(each)) originalStarts.add(each);
    if (originalStarts.size > MAX_EXCEPTIONS)
      throw usageError(`it has more than ${MAX_EXCEPTIONS} exceptions`);
  }
  for (const start of starts.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY))
    if (!originalStarts.has(start)) return originalStarts;
  throw usageError("its exceptions cover every event of its rule");
}

/**
 * What replaces a series: it moves as the file's has, and what somebody deleted stays deleted.
 * @param exceptions undefined for an event of the file that does not repeat
 */
export function draftOfSeries(
  draft: EventDraft,
  current: Event,
  exceptions: SeriesExceptions | undefined,
): EventDraft {
  const zone = draft.start_timezone ?? "UTC";
  const shift = shiftBetween(fromRuleStart(current), draft);
  const times = timesFrom(draft, Date.parse(shiftedStart(current, shift, zone)));
  const moved = (originalStart: number) =>
    instantAt(wallClockAt(originalStart, current.start_timezone ?? "UTC") + shift.clock, zone);
  const { excepted = [], isOurs = () => true, isOriginalStart = () => false } = exceptions ?? {};
  const others = exceptionsOf(current.recurrences).filter((originalStart) => !isOurs(originalStart));
  const lines = (draft.recurrences ?? [ONCE]).filter((line) => !line.startsWith("EXDATE"));
  const all = [...excepted, ...others.map(moved).filter(isOriginalStart)];
  return {
    ...draft,
    ...times,
    recurrences: [
      ...linesFor(lines, current, { ...draft, ...times }),
      ...dateLines("EXDATE", all, { isAllDay: draft.all_day === true }),
    ],
  };
}

/** Whether an event repeats as a draft says, whatever the order of exceptions. */
export function repeatsAs(draft: EventDraft, current: Event): boolean {
  const partsOf = ({ recurrences = [] }: Pick<EventDraft, "recurrences">) =>
    recurrences.flatMap((line) => (line.startsWith("EXDATE") ? line.split(/[:,]/) : [line])).sort();
  return String(partsOf(draft)) === String(partsOf(current));
}
