import { DAY_MS, dateToInstant, MINUTE_MS } from "../../../contract/date-time.js";
import { codePointLength } from "../../../contract/limits.js";
import { CliError, usageError } from "../../errors.js";
import { combine, finishWords, readPart, WEEKDAY, type Words } from "../../time/date-grammar.js";
import { resolveWords } from "../../time/date-words.js";
import {
  AmbiguousTextError,
  type DateInput,
  dayOfInput,
  formatMinutes,
  numberOf,
  readDuration,
  typedInput,
} from "../../time/dates.js";
import { addDays } from "../../time/zoned-time.js";
import { checkWords, refuseIf, type SentenceMoment } from "./sentence-doubts.js";
import {
  checkEarly,
  type PlacedPart,
  placedText,
  type SentencePart,
  SOURCE,
  splitSentence,
  unmarked,
} from "./sentence-parts.js";

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
  /** How often it takes place, as written: `every monday`. */
  readonly repeat?: string;
  /** The last day of what repeats, as `YYYY-MM-DD`; never beside a count. */
  readonly until?: string;
  /** How many times it takes place: digits. */
  readonly count?: string;
}

/** Longer than any real sentence. Reading takes time that grows with the square of the length. */
const MAX_SENTENCE = 1_000;

/**
 * Reads one sentence. Words of days and times, a length, a label and a place at the end are taken out of it, the rest
 * is the title. What is in quotes belongs to the title or the place.
 * @throws CliError usage that names what is missing, what was not understood, or both ways to read it
 */
export function readSentence(text: string, options: SentenceMoment): SentenceReading {
  const length = codePointLength(text);
  if (length > MAX_SENTENCE)
    throw usageError(`${SOURCE} is ${length} characters long, at most ${MAX_SENTENCE} are allowed`);
  const written = text.trim();
  const parts = splitSentence(written);
  checkWords(parts, options);
  const label = onlyOne(parts, "label");
  const times = readTimes(parts, options);
  return { ...readTitle(parts, written), ...times, ...(label === undefined ? {} : { label }) };
}

function onlyOne(
  parts: readonly SentencePart[],
  kind: "label" | "length" | "each" | "all-day" | "repeat" | "count",
): string | undefined {
  const [one, other] = parts.filter((part) => part.kind === kind);
  const what = kind === "all-day" ? "" : `two ${kind}s, `;
  refuseIf(other !== undefined, ` has ${what}"${one?.text}" and "${other?.text}"`);
  return one?.text;
}

type When = Extract<SentencePart, { readonly kind: "when" }>;

function readTimes(
  parts: readonly SentencePart[],
  { zone, now }: SentenceMoment,
): Pick<SentenceReading, "start" | "end" | "duration" | "allDay" | "repeat" | "until" | "count"> {
  checkDays(parts);
  const repeat = onlyOne(parts, "repeat");
  const { said, end, untils, isAllDay } = readBothEnds(parts, repeat);
  const whole = writtenIn(parts);
  const length = readLength(parts, isAllDay);
  if (repeat !== undefined) checkRepeat(repeat, said, whole);
  const read: ReadWords = (words, from, edge = "first") => {
    try {
      return resolveWords(words, whole, { source: SOURCE, zone, now, from, edge }).input;
    } catch (cause) {
      // What is chosen would stand for the other end, too.
      if (end === null || !(cause instanceof AmbiguousTextError)) throw cause;
      throw new CliError("usage", cause.message, { cause });
    }
  };
  const isOver = (words: Words): boolean => {
    const input = read(words, null);
    return input.kind === "date-time" && words.elapsed === undefined && input.instant < now - MINUTE_MS;
  };
  const start = repeat === undefined ? said : withFirstDay(said, repeat, isOver);
  const first = read(start, null);
  const startText = typedInput(first, zone);
  const clock = startText.slice(11);
  // A time alone is today.
  if (!namesDay(start) && isOver(start)) {
    const readings = [`today ${whole}`, `tomorrow ${whole}`];
    const hint = `write today ${clock} or tomorrow ${clock}`;
    throw new AmbiguousTextError(`${SOURCE}: ${clock} is over today`, { hint, written: whole, readings });
  }
  // Several days, such as next week, have an end of their own.
  const last = end === null ? read(start, null, "last") : readEnd(first, end, { whole, read, zone });
  const endText = typedInput(last, zone);
  refuseIf(length !== undefined && endText !== startText, ` has an end and a length, "${length}"`);
  if (repeat !== undefined && end !== null && namesDay(end))
    throw eitherRange(whole, { first, last, zone, hasUntil: untils.length > 0 });
  if (repeat !== undefined && onlyOne(parts, "each") === undefined)
    checkLength(length, dayOfInput(first, zone));
  return {
    start: startText,
    ...(endText !== startText && { end: endText }),
    ...(length !== undefined && { duration: length }),
    ...(isAllDay && { allDay: true }),
    ...(repeat !== undefined && {
      repeat,
      ...readSeriesEnd(parts, untils, { first: dayOfInput(first, zone), read }),
    }),
  };
}

/** The words of the start, and of the end; null without one. */
function readBothEnds(parts: readonly SentencePart[], repeat: string | undefined) {
  const [starts, ends, untils] = splitTimes(parts, repeat);
  // In "fri 22:00 - sat 6:00", the start has 24 hours, so the end is in the morning.
  const is24Hour = starts.some(({ text }) => /(?<!\d)(?:1[3-9]|2[0-3]):\d\d/.test(text));
  const [written, ending] = [wordsOf(starts), wordsOf(ends, is24Hour)];
  // The day of "12-13 tomorrow" is that of both; that of "18:00 until tomorrow 9:00" is the last one.
  const isShared =
    written.day === undefined &&
    written.clock !== undefined &&
    ending.day !== undefined &&
    (ending.clock === undefined || ends[0]?.words.day === undefined);
  const { day: _, ...endTime } = ending;
  const [said, end] = isShared ? [{ ...ending, ...written }, endTime] : [written, ending];
  const isAllDay = said.clock === undefined && said.elapsed === undefined;
  const isMarked = onlyOne(parts, "all-day") !== undefined;
  refuseIf(isMarked && !isAllDay, " is all-day but names a time");
  refuseIf(
    ends.length > 0 && isAllDay === (end.clock !== undefined),
    " has a time at one end only",
    "write both times, only days, or a rule such as weekdays 9:00",
  );
  return { said, end: ends.length > 0 ? end : null, untils, isAllDay };
}

function readLength(parts: readonly SentencePart[], isAllDay: boolean): string | undefined {
  const length = onlyOne(parts, "length");
  const minutes = length === undefined ? 0 : readDuration(length)?.minutes;
  refuseIf(minutes === undefined, `: "for ${length}" is not a length`, "write 90m, 1.5h, 1h 30m, 2d or 1w");
  refuseIf(isAllDay && minutes !== 0, ` has a length, "${length}", but no time`, "add one, such as 9:30");
  return length;
}

/** When a repeating event ends: its last day, or how many times it takes place. */
function readSeriesEnd(
  parts: readonly SentencePart[],
  untils: readonly When[],
  { first, read }: { readonly first: string; readonly read: ReadWords },
): Pick<SentenceReading, "until" | "count"> {
  const count = onlyOne(parts, "count");
  const text = untils.length > 0 ? `until ${writtenIn(untils)}` : undefined;
  refuseIf(count !== undefined && text !== undefined, ` has two ends, "${count}" and "${text}"`);
  const next = parts[parts.findIndex(({ kind }) => kind === "count") + 1];
  refuseIf(
    count !== undefined && next?.kind === "repeat",
    `: "${count} ${next?.text}" may be how often it takes place in all or each time`,
    `write ${next?.text} ${count}`,
  );
  if (count !== undefined) return { count: numberOf(count.replace(/^for\s+|\s+times$/gi, "").toLowerCase()) };
  if (text === undefined) return {};
  const last = read(wordsOf(untils), first, "last");
  const until = last.kind === "date" ? last.date : first;
  refuseIf(until < first, `: "${text}" is before the first day, ${first}`, "write a later day");
  return { until };
}

/** @param from the day from which times alone and weekdays count; null for today */
type ReadWords = (words: Words, from: string | null, edge?: "first" | "last") => DateInput;

interface EndOptions extends Pick<SentenceMoment, "zone"> {
  /** For messages. */
  readonly whole: string;
  readonly read: ReadWords;
}

/** An end counts from the day of the start; a time that is not after it is on the next day. */
function readEnd(start: DateInput, end: Words, { whole, read, zone }: EndOptions): DateInput {
  const from = dayOfInput(start, zone);
  const isAfter = (input: DateInput): boolean =>
    input.kind === "date" ? input.date > from : start.kind === "date" || input.instant > start.instant;
  const named = read(end, from);
  const isSame = named.kind === "date-time" && start.kind === "date-time" && named.instant === start.instant;
  refuseIf(isSame, `: "${whole}" ends when it begins`, "write a later end");
  const last = isAfter(named) || end.day !== undefined ? named : read(end, addDays(from, 1));
  const until = dayOfInput(last, zone);
  // "24 dec - 20 dec" would be almost a year.
  const isYearLater = until.slice(0, 4) > from.slice(0, 4) && until.slice(4, 7) === from.slice(4, 7);
  refuseIf(!isAfter(last) || isYearLater, `: "${whole}" ends before it begins`, "write the start first");
  return last;
}

/** A weekday says which date is meant beside it, and may be named twice; with words between them they are two days. */
function checkDays(parts: readonly SentencePart[]): void {
  const dayIn = (part: SentencePart | undefined) => (part?.kind === "when" ? part.words.day : undefined);
  for (const [index, part] of parts.entries()) {
    const next = parts.findIndex(
      (other, at) => at > index && (dayIn(other) !== undefined || other.kind === "to"),
    );
    const [day, other] = [dayIn(part), dayIn(parts[next])];
    const isApart = parts.slice(index, next).some(({ kind }) => kind === "word");
    const isTwice = day?.kind === "weekday" && JSON.stringify(day) === JSON.stringify(other);
    refuseIf(
      isApart && day !== undefined && other !== undefined && !isTwice,
      `: "${part.text} ${parts[next]?.text}" names more than one day`,
      "write one of them, or put the title in quotes",
    );
  }
}

/** The texts of the start, the end, and the last day of a repeating event. */
function splitTimes(
  parts: readonly SentencePart[],
  repeat: string | undefined,
): readonly [starts: When[], ends: When[], untils: When[]] {
  const [starts, ends, untils]: [When[], When[], When[]] = [[], [], []];
  const lasts = repeat === undefined ? ends : untils;
  let group = starts;
  for (const [index, part] of parts.entries()) {
    if (part.kind === "when") group.push(part);
    else if (part.kind !== "to") group = starts;
    else group = isLastDay(part.text, parts[index + 1]) ? lasts : ends;
  }
  const isEmpty = starts.length === 0 && repeat === undefined;
  refuseIf(
    isEmpty,
    " names no day and no time",
    "add one, such as tomorrow, fri 9:30 or 24 dec 12-13; a shell ignores what follows # outside of quotes",
  );
  checkRanges(parts, untils.length > 0 ? 2 : 1);
  // In "until 18 dec 9:00" the time is that of the start.
  const times = untils.filter(({ words }) => words.day === undefined);
  return [[...starts, ...times], ends, untils.filter(({ words }) => words.day !== undefined)];
}

function checkRanges(parts: readonly SentencePart[], max: number): void {
  const ranges = parts.filter(({ kind }) => kind === "to").length;
  const hasFrom = parts.some(({ kind }) => kind === "from");
  const hint = "write one range, both ends as in fri 9:00 - sun 17:00, or a rule such as weekdays 9:00-9:15";
  refuseIf(ranges > max, " has more than one range of days or times", hint);
  refuseIf(hasFrom && ranges === 0, ' has a "from" without a "to"', "write the end as well");
}

/** Whether `until` is in front of a day. */
function isLastDay(joint: string, next: SentencePart | undefined): boolean {
  return /till?$/i.test(joint) && next?.kind === "when" && next.words.day !== undefined;
}

/** For messages. Both parts of a range have the text of it. */
function writtenIn(parts: readonly SentencePart[]): string {
  const texts = parts
    .filter(({ kind, text }) => (kind === "when" || kind === "to") && text !== "")
    .map(({ text }) => unmarked(text).trim());
  return texts.filter((text, index) => text !== texts[index - 1]).join(" ");
}

/** What the parts say together. @param is24Hour whether another time shows that theirs are of 24 hours */
function wordsOf(group: readonly When[], is24Hour = false): Words {
  const text = writtenIn(group);
  let words: Words = {};
  for (const part of group) words = combine(words, part.words, `${SOURCE}: "${text}"`);
  if (words.part === undefined && !is24Hour) for (const part of group) checkEarly(part);
  return finishWords(words, text, { source: SOURCE });
}

/** Title and place: ` at PLACE` at the end. */
function readTitle(parts: readonly PlacedPart[], text: string): Pick<SentenceReading, "title" | "location"> {
  const isWord = ({ kind }: SentencePart): boolean => kind === "word";
  const ats = parts.flatMap((part, index) =>
    part.kind === "word" && !part.isQuoted && /^at$/i.test(part.text) ? [index] : [],
  );
  const [at = parts.length, another = at] = ats.filter((index) => index > 0);
  const [title, ...places] = [parts.slice(0, at), parts.slice(at + 1), parts.slice(another + 1)].map(textOf);
  const [place = "", otherPlace] = places;
  const isSplit = parts.slice(at, parts.findLastIndex(isWord)).some((part) => !isWord(part));
  const hint = "put the title or the place in quotes";
  const withPlace = (place: number | null) => placedText(text, parts, { ats, place });
  const named = ats.filter((index) => index > 0);
  if (another !== at)
    throw new AmbiguousTextError(`${SOURCE}: the place may be "${place}" or "${otherPlace}"`, {
      hint,
      written: text,
      readings: named.map(withPlace),
    });
  if (isSplit && place !== "")
    throw new AmbiguousTextError(`${SOURCE}: "at ${place}" may be the place or part of the title`, {
      hint: `${hint}, or put the place at the end`,
      written: text,
      readings: [at, null].map(withPlace),
    });
  refuseIf(at < parts.length && place === "", ' ends with "at"', "add the place");
  const [name] = parts.filter(({ kind }) => kind === "repeat" && title === "");
  refuseIf(
    name !== undefined,
    `: "${name?.text}" may be the title or how often the event repeats`,
    "add the title, or put it in quotes",
  );
  if (title === undefined || title === "") throw usageError(`${SOURCE} has no title`, "add one");
  return at === parts.length ? { title } : { title, location: place };
}

function textOf(parts: readonly SentencePart[]): string {
  const words = parts.filter((part) => part.kind === "word");
  const isText = ({ text, isQuoted }: (typeof words)[number]) => isQuoted || !/^[,;:|–—-]+$/.test(text);
  const kept = words.slice(words.findIndex(isText), words.findLastIndex(isText) + 1);
  const withComma = ({ text, comma }: (typeof words)[number]) =>
    comma ? text.replace(/[,;:]*$/, ",") : text;
  const [last] = kept.slice(-1);
  const text = unmarked(kept.map((word) => (word === last ? word.text : withComma(word))).join(" ")).trim();
  return last?.isQuoted === true ? text : text.replace(/[,;:]+$/, "");
}

/** What a sentence says of an event that repeats: when it begins, and what may be read in two ways. */

/** Whether words say which day is meant. */
function namesDay({ day, elapsed }: Words): boolean {
  return (day ?? elapsed) !== undefined;
}

/** `every other tuesday`, `every 2 weeks on tue`: begins on the coming one. */
const ONE_WEEKDAY = new RegExp(`^every\\s+\\w+\\s+(?:weeks?\\s+on\\s+)?${WEEKDAY}$`, "i");

function firstWeekday(repeat: string): Words["day"] {
  const name = ONE_WEEKDAY.exec(repeat)?.groups?.["weekday"] ?? "";
  return readPart(name, name, { source: SOURCE })?.[1].day;
}

/** When what repeats begins; without a day that is today, or tomorrow where its time is over. */
function withFirstDay(start: Words, repeat: string, isOver: (words: Words) => boolean): Words {
  if (namesDay(start)) return start;
  const day = firstWeekday(repeat);
  if (day !== undefined) return { ...start, day };
  const today: Words = { ...start, day: { kind: "relative", days: 0 } };
  return isOver(today) ? { ...start, day: { kind: "relative", days: 1 } } : today;
}

/** A rule that names no days. */
const WITHOUT_DAYS = /^(?:\w+ly|every\s+(?:\w+\s+)?(?:day|week|month|year)s?)$/i;

/** Either the rule names the days, or the sentence the first one; what is daily may begin today. @throws CliError usage */
function checkRepeat(repeat: string, start: Words, whole: string): void {
  const isOnDays = !WITHOUT_DAYS.test(repeat);
  refuseIf(namesDay(start) && isOnDays, ` has two days, "${repeat}" and "${whole}"`);
  const isPast = start.day?.kind === "weekday" && start.day.which === "last";
  refuseIf(isPast, `: "${whole}" is before now, beside "${repeat}"`, "write monthly on the last fri");
  const isOneOfMonth = start.day?.kind === "weekday" && !isOnDays && /month|year/i.test(repeat);
  refuseIf(
    isOneOfMonth,
    `: "${repeat}" with "${whole}" may be a weekday or a date of each month`,
    "write monthly on the last fri, or the first date, as in 27 nov monthly",
  );
  // "every 2 weeks on mon,thu" does not say which day is the first.
  const isEvery =
    firstWeekday(repeat) !== undefined || !/^every\s+(?:other\s|\w+\s+\w+s?\s+on\b)/i.test(repeat);
  const isClear = isOnDays ? isEvery : /daily|days?$/i.test(repeat);
  const hint = "write it, as in mon 10:00 every 2 weeks";
  refuseIf(!namesDay(start) && !isClear, ` does not say when "${repeat}" begins`, hint);
}

/** Refuses `daily 9:00 for 3 days`. @param first the day from which it repeats @throws CliError usage */
function checkLength(length: string | undefined, first: string): void {
  const days = readDuration(length ?? "")?.days ?? 0;
  const written = `for ${length}`;
  if (days > 0) throw eitherRepeated(written, [`until ${addDays(first, days - 1)}`, `${written} each`]);
}

interface Ends {
  readonly first: DateInput;
  readonly last: DateInput;
  readonly zone: string;
  /** Whether the text says until when it repeats. */
  readonly hasUntil: boolean;
}

/** `daily mon-wed`, `fri 18:00 - sun 12:00 every week`. */
function eitherRange(written: string, { first, last, zone, hasUntil }: Ends): CliError {
  const [from, to] = [first, last].map((input) => typedInput(input, zone).replace("T", " "));
  const [start, end] = [first, last].map((input) =>
    input.kind === "date" ? dateToInstant(input.date) : input.instant,
  );
  const isTimed = last.kind === "date-time";
  const length = formatMinutes(((end ?? 0) - (start ?? 0) + (isTimed ? 0 : DAY_MS)) / MINUTE_MS);
  const each = `${from} for ${length} each`;
  if (hasUntil)
    return usageError(`${SOURCE}: "${written}" does not say how long each event is`, `write ${each}`);
  const times = isTimed ? `${from}-${to?.slice("YYYY-MM-DD ".length)}` : from;
  return eitherRepeated(written, [`${times} until ${dayOfInput(last, zone)}`, each]);
}

function eitherRepeated(written: string, readings: readonly string[]): CliError {
  const problem = `${SOURCE}: "${written}" may be how long it repeats or how long each event is`;
  return new AmbiguousTextError(problem, { hint: `write ${readings.join(" or ")}`, written, readings });
}
