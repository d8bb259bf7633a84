import { MINUTE_MS } from "../../contract/date-time.js";
import { usageError } from "../errors.js";
import { combine, finishWords, type Words } from "./date-grammar.js";
import { resolveWords } from "./date-words.js";
import { type DateInput, readDuration } from "./dates.js";
import { checkWords } from "./sentence-doubts.js";
import { type SentencePart, SOURCE, splitSentence, unmarked } from "./sentence-parts.js";
import { addDays, formatLocal, formatTyped, localDate } from "./zoned-time.js";

/** Reads a sentence about a new event: `Lunch with Ana tomorrow 12-13 at Noodle bar`. */

/** An event as flags take it. */
export interface SentenceReading {
  readonly title: string;
  /** `YYYY-MM-DDTHH:MM`, or `YYYY-MM-DD` of an all-day event. */
  readonly start: string;
  /** The last day of an all-day event. */
  readonly end?: string;
  /** As written; never beside an end. */
  readonly duration?: string;
  readonly allDay?: true;
  readonly location?: string;
  /** As written after `#`. */
  readonly label?: string;
}

export interface SentenceOptions {
  /** An IANA name. */
  readonly zone: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

const ONE_OF_TWO = "write one of the two";

/**
 * Reads one sentence. Words of days and times, a length, a label and a place at the end are taken out of it, the rest
 * is the title. What is in quotes belongs to the title or the place.
 * @throws CliError usage that names what is missing, what was not understood, or both ways to read it
 */
export function readSentence(text: string, options: SentenceOptions): SentenceReading {
  const parts = splitSentence(text);
  checkWords(parts);
  const length = onlyOne(parts, "length");
  const label = onlyOne(parts, "label");
  const times = readTimes(parts, options, length);
  return { ...readTitle(parts), ...times, ...(label === undefined ? {} : { label }) };
}

function onlyOne(parts: readonly SentencePart[], kind: "length" | "label" | "all-day"): string | undefined {
  const [one, other] = parts.filter((part) => part.kind === kind);
  if (other === undefined) return one?.text;
  throw usageError(`${SOURCE} has "${one?.text}" and "${other.text}"`, ONE_OF_TWO);
}

type When = Extract<SentencePart, { readonly kind: "when" }>;
type Times = Pick<SentenceReading, "start" | "end" | "duration" | "allDay">;

function readTimes(
  parts: readonly SentencePart[],
  options: SentenceOptions,
  length: string | undefined,
): Times {
  const [starts, ends] = splitTimes(parts);
  const whole = writtenIn([...starts, ...ends]);
  const [written, ending] = [wordsOf(starts), wordsOf(ends)];
  if (written === null) {
    const hint = "add one, such as tomorrow, fri 9:30 or 24 dec 12-13";
    throw usageError(`${SOURCE} names no day and no time`, hint);
  }
  // The day of "12-13 tomorrow" is that of both.
  const isShared = written.day === undefined && written.clock !== undefined && ending?.day !== undefined;
  const [start, end] = isShared ? [{ ...ending, ...written }, withoutDay(ending)] : [written, ending];
  const isAllDay = start.clock === undefined && start.elapsed === undefined;
  checkKind(parts, { isAllDay, length, end });
  const read = createReader(whole, options);
  const first = read(start, null);
  if (start.day === undefined && start.clock !== undefined) checkAhead(first, options);
  // Several days, such as next week, have an end of their own.
  const last = end === null ? read(start, null, "last") : readEnd(first, end, { whole, read, ...options });
  const [startText, endText] = [first, last].map((input) => typed(input, options.zone));
  if (length !== undefined && endText !== startText)
    throw usageError(`${SOURCE} has an end and a length, "${length}"`, ONE_OF_TWO);
  return {
    start: startText ?? "",
    ...(endText !== undefined && endText !== startText && { end: endText }),
    ...(length !== undefined && { duration: length }),
    ...(isAllDay && { allDay: true }),
  };
}

function withoutDay({ day: _, ...words }: Words): Words {
  return words;
}

interface EndOptions extends SentenceOptions {
  readonly whole: string;
  readonly read: ReturnType<typeof createReader>;
}

/** An end counts from the day of the start; a time that is not after it is on the next day. */
function readEnd(start: DateInput, end: Words, { whole, read, zone }: EndOptions): DateInput {
  const from = dayOf(start, zone);
  const isAfter = (input: DateInput): boolean =>
    input.kind === "date" ? input.date > from : start.kind === "date" || input.instant > start.instant;
  const named = read(end, from);
  const last = isAfter(named) || end.day !== undefined ? named : read(end, addDays(from, 1));
  const until = dayOf(last, zone);
  // "24 dec - 20 dec" would be almost a year.
  const isYearLater = until.slice(0, 4) > from.slice(0, 4) && until.slice(4, 7) === from.slice(4, 7);
  if (!isAfter(last) || isYearLater) throw usageError(`${SOURCE}: "${whole}" ends before it begins`);
  return last;
}

/** What stands for the start, and what for the end. @throws CliError usage for more than one range */
function splitTimes(parts: readonly SentencePart[]): readonly [starts: When[], ends: When[]] {
  const [starts, ends]: [When[], When[]] = [[], []];
  let isEnd = false;
  for (const part of parts) {
    if (part.kind === "when") (isEnd ? ends : starts).push(part);
    else isEnd = part.kind === "to";
  }
  const ranges = parts.filter(({ kind }) => kind === "to").length;
  if (ranges > 1) {
    const hint = "add makes one event: write one range, or both ends as in fri 9:00 - sun 17:00";
    throw usageError(`${SOURCE} has more than one range of days or times`, hint);
  }
  if (ranges === 0 && parts.some(({ kind }) => kind === "from"))
    throw usageError(`${SOURCE} has a "from" without a "to"`, "write the end as well");
  return [starts, ends];
}

/** For messages. Both parts of a range have the text of it. */
function writtenIn(group: readonly When[]): string {
  return [...new Set(group.map(({ text }) => text))].join(" ");
}

/** What the parts say together; null without any. */
function wordsOf(group: readonly When[]): Words | null {
  if (group.length === 0) return null;
  const text = writtenIn(group);
  const what = `${SOURCE}: "${text}"`;
  let words: Words = {};
  for (const part of group) words = combine(words, part.words, what);
  return finishWords(words, text, { source: SOURCE });
}

/** @throws CliError usage for times, lengths and days that do not go together */
function checkKind(
  parts: readonly SentencePart[],
  options: { readonly isAllDay: boolean; readonly length: string | undefined; readonly end: Words | null },
): void {
  const { isAllDay, length, end } = options;
  if (!isAllDay && onlyOne(parts, "all-day") !== undefined)
    throw usageError(`${SOURCE} is about all day and names a time`, ONE_OF_TWO);
  if (end !== null && length !== undefined)
    throw usageError(`${SOURCE} has an end and a length, "${length}"`, ONE_OF_TWO);
  if (end !== null && isAllDay !== (end.clock === undefined))
    throw usageError(`${SOURCE} has a time at one end only`, "write both times, or only days");
  if (isAllDay && length !== undefined && readDuration(length)?.minutes !== 0)
    throw usageError(`${SOURCE} has a length, "${length}", but no time`, "add one, such as 9:30");
}

function createReader(whole: string, { zone, now }: SentenceOptions) {
  return (words: Words, from: string | null, edge: "first" | "last" = "first"): DateInput =>
    resolveWords(words, whole, { source: SOURCE, zone, now, from, edge }).input;
}

/** A time alone is today: not when it is over. */
function checkAhead(input: DateInput, { zone, now }: SentenceOptions): void {
  if (input.kind === "date" || input.instant >= now - MINUTE_MS) return;
  const clock = typed(input, zone).slice(11);
  throw usageError(`${SOURCE}: ${clock} is over today`, `write today ${clock} or tomorrow ${clock}`);
}

function dayOf(input: DateInput, zone: string): string {
  return input.kind === "date" ? input.date : localDate(input.instant, zone);
}

/** As a flag takes it. */
function typed(input: DateInput, zone: string): string {
  return input.kind === "date" ? input.date : formatTyped(formatLocal(input.instant, zone), zone);
}

/** Title and place: ` at PLACE` at the end. */
function readTitle(parts: readonly SentencePart[]): Pick<SentenceReading, "title" | "location"> {
  const last = parts.findLastIndex(({ kind }) => kind === "word");
  const isAt = (part: SentencePart): boolean =>
    part.kind === "word" && !part.isQuoted && /^at$/i.test(part.text);
  const first = parts.findIndex(({ kind }) => kind === "word");
  const [at = parts.length, another] = parts.flatMap((part, index) =>
    isAt(part) && index > first ? [index] : [],
  );
  const place = textOf(parts.slice(at + 1));
  if (another !== undefined) {
    const [one, two] = [place, textOf(parts.slice(another + 1))];
    throw usageError(
      `${SOURCE}: the place may be "${one}" or "${two}"`,
      `put the title or the place in quotes`,
    );
  }
  if (at < parts.length && parts.slice(at, last).some(({ kind }) => kind !== "word")) {
    const hint = "write the place last, or put the title in quotes";
    throw usageError(`${SOURCE}: "at ${place}" may be the place or part of the title`, hint);
  }
  if (at < parts.length && place === "") throw usageError(`${SOURCE} ends with "at"`, "add the place");
  const title = textOf(parts.slice(0, at));
  if (title === "") throw usageError(`${SOURCE} has no title`, "add what it is about");
  return at === parts.length ? { title } : { title, location: place };
}

function textOf(parts: readonly SentencePart[]): string {
  const words = parts.flatMap((part) => (part.kind === "word" ? [part.text] : []));
  return unmarked(words.join(" ")).replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/g, "");
}
