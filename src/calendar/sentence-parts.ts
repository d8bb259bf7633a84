import { MINUTE_MS } from "../../contract/date-time.js";
import { type CliError, usageError } from "../errors.js";
import { MONTH, readPart, WEEKDAY, type Words } from "./date-grammar.js";
import { DURATION_PATTERN } from "./dates.js";

/** The parts of a sentence about an event, without what they mean together: `sentence.ts` reads that. */

export type SentencePart =
  /** A word of the title or the place, or several in quotes. */
  | { readonly kind: "word"; readonly text: string; readonly isQuoted: boolean }
  /** A day, a time, or both. */
  | {
      readonly kind: "when";
      readonly text: string;
      readonly words: Words;
      /** Whether it may as well be a name, as `sat`, or a number of something, as `12-13`. */
      readonly doubt?: "name" | "number" | undefined;
    }
  /** `from` in front of a start, `to` between it and an end. */
  | { readonly kind: "from" | "to" | "length" | "label" | "all-day"; readonly text: string };

/** How messages name the sentence. */
export const SOURCE = "the text";

/** In front of a dash without spaces between two times or days. */
const MARK = "\u0001";
const TO = `(?:${MARK}?[-–—]|to|till|until)`;
const END = "(?=[\\s,]|$)";
const CLOCK = "\\d{1,2}(?::\\d\\d)?(?:\\s?[ap]m)?|noon|midnight";
const [DAY_NAME, MONTH_NAME] = [WEEKDAY, MONTH].map((source) => source.replace(/\?<\w+>/, "?:"));
const ITEM = `(?:${CLOCK}|\\d{1,2}(?:st|nd|rd|th)|today|tomorrow|${DAY_NAME}|\\d{1,2}\\s+${MONTH_NAME})`;

const DASH = new RegExp(`(?<![\\w.:/-])(${ITEM})([-–—])(?=${ITEM}(?![\\w/-]|[.:]\\d))`, "gi");
const QUOTED = /^["“]([^"“”]*)["”](?=[\s,]|$)/;
const LABEL = /^#(?:"([^"]+)"|([^\s,]+))/;
const ALL_DAY = new RegExp(`^all[\\s-]?day${END}`, "i");
const LENGTH = new RegExp(`^for\\s+(${DURATION_PATTERN})${END}`, "i");
const LENGTH_AFTER_TIME = new RegExp(`^(?:${DURATION_PATTERN})${END}`, "i");
const SIMPLE = [
  [LABEL, "label"],
  [ALL_DAY, "all-day"],
  [LENGTH, "length"],
] as const;
const FROM = /^from(?=\s)/i;
const BETWEEN = new RegExp(`^${TO}(?=\\s)`, "i");
const DAYS = new RegExp(
  `^(?:(?<one>\\d{1,2})(?:st|nd|rd|th)?\\s+${TO}\\s+(?<two>\\d{1,2}(?:st|nd|rd|th)?(?:\\s+of)?\\s+${MONTH_NAME})` +
    `|(?<month>${MONTH_NAME})\\s+(?<first>\\d{1,2})\\s+${TO}\\s+(?<last>\\d{1,2})(?!:|\\s?[ap]m))` +
    `(?<year>,?\\s+(?:19|20|21)\\d\\d)?${END}`,
  "i",
);
const TIMES = new RegExp(
  `^(?:at\\s+)?(?<start>${CLOCK})\\s+${TO}\\s+(?<end>${CLOCK})(?!\\s+(?:of\\s+)?${MONTH_NAME})${END}`,
  "i",
);
const WITH_OFFSET = /^(\d\d:\d\d)(Z|[+-]\d\d:\d\d)(?=[\s,]|$)/;
const NAMES = /^(?:sat|sun|wed|noon|midnight)$/i;

/** Splits a sentence. @throws CliError usage for times and dates that do not exist or may be read in two ways */
export function splitSentence(text: string): readonly SentencePart[] {
  const parts: SentencePart[] = [];
  let rest = text
    .trim()
    .replace(/(\d{4}-\d\d-\d\d)T(?=\d\d:\d\d(?:[Z+-][\d:]*)?(?:[\s,]|$))/g, "$1 ")
    .replace(DASH, `$1 ${MARK}$2 `);
  while (rest !== "") {
    const [length, ...found] = partsAt(rest, parts.at(-1));
    parts.push(...found);
    rest = rest.slice(length).replace(/^[\s,]+/, "");
  }
  return parts;
}

/** Text as it was written, without the marks of dashes. */
export function unmarked(text: string): string {
  return text.replaceAll(new RegExp(` ?${MARK}(.) ?`, "g"), "$1");
}

type Found = readonly [length: number, ...parts: SentencePart[]];

/** What the text begins with, and how long that is. */
function partsAt(text: string, before: SentencePart | undefined): Found {
  const simple = simplePartAt(text);
  if (simple !== null) return simple;
  const isAfterTime = before?.kind === "when" && before.words.clock !== undefined;
  const length = isAfterTime ? LENGTH_AFTER_TIME.exec(text) : null;
  if (length !== null) return [length[0].length, { kind: "length", text: length[0] }];
  const joint = FROM.exec(text)?.[0] ?? (before?.kind === "when" ? BETWEEN.exec(text)?.[0] : undefined);
  if (joint !== undefined && whenAt(text.slice(joint.length).trimStart()) !== null)
    return [joint.length, { kind: /^from$/i.test(joint) ? "from" : "to", text: joint }];
  const when = whenAt(text);
  if (when !== null) return when;
  const [word = ""] = /^\S+/.exec(text) ?? [];
  return [word.length, { kind: "word", text: word, isQuoted: false }];
}

function simplePartAt(text: string): Found | null {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return [quoted[0].length, { kind: "word", text: quoted[1] ?? "", isQuoted: true }];
  for (const [pattern, kind] of SIMPLE) {
    const match = pattern.exec(text);
    if (match !== null) return [match[0].length, { kind, text: match[1] ?? match[2] ?? match[0] }];
  }
  return null;
}

/** A day, a time, or a range of either; null where there is none. */
function whenAt(text: string): Found | null {
  const days = DAYS.exec(text);
  if (days !== null) return [days[0].length, ...dayRange(days[0], days.groups ?? {})];
  const times = TIMES.exec(text);
  const clocks = times && timeRange(times[0], times.groups ?? {});
  if (times && clocks) return [times[0].length, ...clocks];
  if (/^now\b/i.test(text)) return null;
  const [length, words] = offsetTimeAt(text) ?? readPart(text, text, { source: SOURCE }) ?? [];
  if (length === undefined || words === undefined) return null;
  const written = text.slice(0, length);
  if (EARLY_TIME.test(written) && typeof words.clock === "number") {
    const minutes = words.clock / MINUTE_MS;
    throw eitherReading(written, formatTime(minutes), formatTime(minutes + HALF));
  }
  const doubt = NAMES.test(written) ? "name" : words.hour === undefined ? undefined : "number";
  return [length, { kind: "when", text: written, words, doubt }];
}

/** `02:30+01:00`, as errors about clock changes offer it. */
function offsetTimeAt(text: string): readonly [number, Words] | null {
  const [, clock = "", offset] = WITH_OFFSET.exec(text) ?? [];
  if (offset === undefined) return null;
  return [clock.length + offset.length, { ...readPart(clock, clock, { source: SOURCE })?.[1], offset }];
}

type Groups = Readonly<Record<string, string | undefined>>;

/** `1-3 dec`, `dec 1-3`. */
function dayRange(text: string, { one, two = "", month, first, last, year = "" }: Groups): SentencePart[] {
  const [start = "", end = ""] =
    one === undefined ? [`${month} ${first}`, `${month} ${last}`] : [two.replace(/^\d+/, one), two];
  if (Number.parseInt(one ?? first ?? "", 10) >= Number.parseInt(last ?? two, 10)) {
    throw usageError(`${SOURCE}: "${unmarked(text)}" ends before it begins`, "write the first day first");
  }
  return rangeOf(
    text,
    [start + year, end + year].map((day) => readPart(day, day, { source: SOURCE })?.[1] ?? {}),
  );
}

/** `12-13`, `3 to 4pm`, `15:00–16:30`. Null for numbers that are no hours. */
function timeRange(text: string, { start = "", end = "" }: Groups): SentencePart[] | null {
  if (Number.parseInt(start, 10) > 23 || Number.parseInt(end, 10) > 24) return null;
  const clocks = readRange(readTime(start), readTime(end), unmarked(text).trim());
  const words = clocks.map(
    (minutes): Words => ({ clock: minutes === DAY ? "midnight" : minutes * MINUTE_MS }),
  );
  return rangeOf(text, words, /^\d+$/.test(start) && /^\d+$/.test(end) ? "number" : undefined);
}

function rangeOf(text: string, [start = {}, end = {}]: readonly Words[], doubt?: "number"): SentencePart[] {
  const when = (words: Words) => ({ kind: "when" as const, text: unmarked(text).trim(), words, doubt });
  return [when(start), { kind: "to", text: "" }, when(end)];
}

/** Minutes of half a day. */
const HALF = 12 * 60;
const DAY = 2 * HALF;

/** A time as it is written. */
interface WrittenTime {
  readonly text: string;
  /** Of the day, on the clock of 24 hours unless the half is written. */
  readonly minutes: number;
  readonly hasHalf: boolean;
  /** Whether it may be on a clock of 12 hours. */
  readonly isTwelve: boolean;
}

/** Minutes of the day of a start and an end. */
type Range = readonly [start: number, end: number];

function readTime(written: string): WrittenTime {
  const text = /^\d+$/.test(written) ? `${written}:00` : written;
  const hour = Number.parseInt(text, 10);
  const clock = text === "24:00" ? "midnight" : readPart(text, text, { source: SOURCE })?.[1].clock;
  const minutes = typeof clock === "number" ? clock / MINUTE_MS : DAY;
  const hasHalf = !/^\d+:\d\d$/.test(text);
  return { text: written, minutes, hasHalf, isTwelve: !hasHalf && hour >= 1 && hour <= 12 };
}

/** The minutes of both times, of which one may say in which half of the day the other is. */
function readRange(start: WrittenTime, end: WrittenTime, text: string): Range {
  const length = ([from, to]: Range): number => (to - from + DAY - 1) % DAY;
  const shortest = (froms: readonly number[], tos: readonly number[]): Range => {
    const ranges = froms.flatMap((from) => tos.map((to): Range => [from, to]));
    return ranges.reduce((best, range) => (length(range) < length(best) ? range : best));
  };
  const halvesOf = ({ minutes, isTwelve }: WrittenTime): readonly number[] =>
    isTwelve ? [minutes, (minutes + HALF) % DAY] : [minutes];
  const [starts, ends] = [halvesOf(start), halvesOf(end)];
  if (start.hasHalf || end.hasHalf) return shortest(starts, ends);
  const isEarly = start.isTwelve && end.isTwelve && EARLY_RANGE.test(start.text);
  const isLong = end.isTwelve && !end.text.includes(":") && length([start.minutes, end.minutes]) >= HALF;
  if (!isEarly && !isLong) return [start.minutes, end.minutes];
  const readings = isEarly || start.isTwelve ? starts.map((from) => shortest([from], ends)) : [];
  const [one = [], other = []] = readings.length > 1 ? readings : ends.map((to) => [start.minutes, to]);
  throw eitherReading(text, ...[one, other].map((pair) => pair.map(formatTime).join("-")));
}

/** Hours that are as usual in the afternoon: alone in a range, and with minutes. */
const EARLY_RANGE = /^(?:[1-9]|[1-6]:\d\d)$/;
const EARLY_TIME = /^(?:at\s+)?([1-6]:\d\d)$/i;

function formatTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

function eitherReading(text: string, one = "", other = ""): CliError {
  return usageError(`${SOURCE}: "${text}" may be ${one} or ${other}`, "write one of the two");
}
