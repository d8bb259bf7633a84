import { HOUR_MS, MINUTE_MS } from "../../../contract/date-time.js";
import type { CliError } from "../../errors.js";
import {
  checkSpoken,
  MINUTES,
  MONTH,
  NUMBER_NAMES,
  PARTS_OF_DAY,
  readPart,
  WEEKDAY,
  type Words,
} from "../../time/date-grammar.js";
import { AmbiguousTextError, DURATION_PATTERN, readDuration } from "../../time/dates.js";
import { REPEAT } from "../../time/recurrence/input.js";

/** The parts of a sentence about an event, without what they mean together: `sentence.ts` reads that. */

export type SentencePart =
  /** A word of the title or the place, or several in quotes. */
  | {
      readonly kind: "word";
      readonly text: string;
      readonly isQuoted: boolean;
      /** Whether a comma is between it and the next word, although not in its text. */
      readonly comma?: boolean;
    }
  /** A day, a time, or both. */
  | {
      readonly kind: "when";
      readonly text: string;
      readonly words: Words;
      /** Whether it may as well be a name, as `sat`, or a number of something, as `12-13`. */
      readonly doubt?: "name" | "number" | undefined;
      /** Of a range that begins here. */
      readonly range?: TimeRange;
    }
  /** `from` in front of a start, `to` between it and an end. */
  | {
      readonly kind: "from" | "to" | "length" | "each" | "label" | "all-day" | "repeat" | "count";
      readonly text: string;
    };

/** A part, with where it begins in the sentence. */
export type PlacedPart = SentencePart & { readonly index: number };

/** The minutes of the day of both ends. */
type Range = readonly [from: number, to: number];

/** What `9-11` may mean. */
interface TimeRange {
  /** The shortest first. */
  readonly ranges: readonly Range[];
  /** What it means where no part of the day is named; null where it may be either of the first two. */
  readonly plain: Range | null;
}

/** How messages name the sentence. */
export const SOURCE = "the text";

/** In front of a dash without spaces between two times or days. */
const MARK = "\u0001";
const TO = `(?:${MARK}?[-–—]|to|till|until|through|thru)`;
const YEAR = "(?:,?\\s+(?:19|20|21)\\d\\d)?";
const END = "(?=[\\s,]|$)";
const CLOCK = `\\d{1,2}${MINUTES}?(?:\\s?[ap](?:m|\\.\\s?m\\.))?|noon|midday|midnight`;
export const MONTH_NAME = MONTH.replace("?<month>", "?:");
const DAY_NAME = WEEKDAY.replace("?<weekday>", "?:");
const ITEM = `(?:${CLOCK}|\\d{1,2}(?:st|nd|rd|th)|today|tomorrow|${DAY_NAME}|\\d{1,2}\\s+${MONTH_NAME}|${MONTH_NAME}\\s+\\d{1,2})`;

const DASH = new RegExp(`(?<![\\w.:/-])(${ITEM})([-–—])(?=${ITEM}(?![\\w/-]|[.:]\\d))`, "gi");
const QUOTED = /^["“]([^"“”]*)["”](?=[\s,]|$)/;
const SIMPLE = [
  [/^#(?:"([^"]+)"|([^\s,]+))/, "label"],
  [
    new RegExp(
      `^(?:for\\s+)?(?:[1-9]\\d{0,2}|${NUMBER_NAMES})\\s+times(?!\\s+(?:an?|per|each|every|in|the)\\b)${END}`,
      "i",
    ),
    "count",
  ],
  [new RegExp(`^all[\\s-]?day${END}`, "i"), "all-day"],
  [new RegExp(`^for\\s+(${DURATION_PATTERN})${END}`, "i"), "length"],
] as const;
const LENGTH_AFTER_TIME = new RegExp(`^(?:${DURATION_PATTERN})${END}`, "i");
const EACH = new RegExp(`^each${END}`, "i");
const BETWEEN = new RegExp(`^(?:from|${TO})(?=\\s)`, "i");
const ORDINAL = "(\\d{1,2})(?:st|nd|rd|th)?";
const DAYS = new RegExp(
  `^(from\\s+)?(?:the\\s+)?${ORDINAL}\\s+${TO}\\s+(?:the\\s+)?${ORDINAL}((?:\\s+of)?\\s+${MONTH_NAME}${YEAR})${END}`,
  "i",
);
const MONTH_DAYS = new RegExp(
  `^(${MONTH_NAME})\\s+${ORDINAL}\\s+${TO}\\s+${ORDINAL}(?!:|\\s?[ap]\\.?\\s?m)(${YEAR})${END}`,
  "i",
);
const TIMES = new RegExp(
  `^(?:at\\s+|@\\s?)?(${CLOCK})\\s+${TO}\\s+(${CLOCK})(?!\\s+(?:of\\s+)?${MONTH_NAME})${END}`,
  "i",
);
const REPEATS = new RegExp(`^(?:on\\s+)?(${REPEAT})${END}`, "i");
/** May follow a word that is meant as a day, a time or a rule. */
export const PREPOSITION = /^(?:with|at|in|on|for|and|by|(?:un)?till?|w\/.*|@.*)$/i;
const NAMES = /^(?:sat|sun|weds?|noon|midday|midnight|now)$/i;
/** What numbers are of that are neither hours nor labels. */
export const NUMBERED =
  /^(?:pages?|pp?\.?|chapters?|ch\.?|rooms?|no\.?|nr\.?|numbers?|sprints?|weeks?|days?|lessons?|units?|parts?|acts?|levels?|grades?|class(?:es)?|years?|ages?|aged|gates?|platforms?|tracks?|lines?|bus|trams?|trains?|flights?|exercises?|questions?|tables?|seats?|rows?|floors?|buildings?|blocks?|issues?|bugs?|prs?|bills?|invoices?|orders?|tickets?|versions?|v|items?|steps?|phases?|rounds?|heats?|games?|episodes?|seasons?|vol\.?|volumes?|sections?|groups?|teams?|routes?|sizes?|scores?|pay|owe|costs?|price)$/i;
const IN_PARENTHESES = /^\(([^()]*)\)(?=[\s,]|$)/;

/**
 * Splits a sentence. @param text without spaces around it
 * @throws CliError usage for times and dates that do not exist or may be read in two ways
 */
export function splitSentence(text: string): readonly PlacedPart[] {
  const parts: PlacedPart[] = [];
  let rest = text
    .replace(DASH, `$1 ${MARK}$2 `)
    .replace(/(\d{4}-\d\d-\d\d)T(?=\d\d:\d\d(?::00)?(?:[Z+-][\d:]*)?(?:[\s,]|$))/g, "$1\v");
  while (rest !== "") {
    // 1-3 dec, dec 1-3
    rest = rest
      .replace(DAYS, "$1$2$4 to $3$4")
      .replace(MONTH_DAYS, "$1 $2$4 to $1 $3$4")
      .replace(IN_PARENTHESES, (whole, inner: string) =>
        [whenAt(inner), repeatAt(inner)].some((found) => found?.[0] === inner.length) ||
        /^all[\s-]?day$/i.test(inner)
          ? inner
          : whole,
      );
    const [length, ...found] = partsAt(rest, parts.at(-1));
    const index = text.length - unmarked(rest).length;
    parts.push(...found.map((part) => ({ ...part, index })));
    const [gap = ""] = /^[\s,]*/.exec(rest.slice(length)) ?? [];
    rest = rest.slice(length + gap.length);
    const last = parts.findLastIndex(({ kind }) => kind === "word");
    const word = parts[last];
    if (gap.includes(",") && word?.kind === "word") parts[last] = { ...word, comma: true };
  }
  // Beside another start, "now" is a word of the title.
  const starts = parts.filter((part, index) => part.kind === "when" && parts[index - 1]?.kind !== "to");
  const repeats = parts.some(({ kind }) => kind === "repeat");
  const isTitle = (part: PlacedPart): boolean =>
    (/^(?:count|each)$/.test(part.kind) && !repeats) ||
    (starts.length > 1 && starts.includes(part) && /^now$/i.test(part.text));
  return withRanges(parts).map((part) =>
    isTitle(part) ? { kind: "word", text: part.text, isQuoted: false, index: part.index } : part,
  );
}

/** Parts with the times of ranges: those of `9-11 tonight` are in the part of the day. @throws CliError usage */
function withRanges(parts: readonly PlacedPart[]): readonly PlacedPart[] {
  const [named] = parts.flatMap((part) => (part.kind === "when" ? (part.words.part ?? []) : []));
  const timesOf = (part: PlacedPart | undefined): Range | null =>
    part?.kind === "when" && part.range !== undefined ? meantRange(part.range, part.text, named) : null;
  return parts.map((part, index) => {
    const minutes = timesOf(part)?.[0] ?? timesOf(parts[index - 2])?.[1];
    if (part.kind !== "when" || minutes === undefined) return part;
    return { ...part, words: { clock: minutes === DAY ? "midnight" : minutes * MINUTE_MS } };
  });
}

function meantRange({ plain, ranges }: TimeRange, text: string, named: Words["part"]): Range {
  const [first, last] = named === undefined ? [0, 0] : PARTS_OF_DAY[named];
  const inPart = ranges.find(([from]) => from >= first * 60 && from < last * 60);
  const found = inPart ?? plain;
  if (found !== null) return found;
  const texts = ranges.map((range) => range.map(formatTime).join("-"));
  throw eitherReading(text, ...texts.slice(0, 2));
}

/** Text as it was written, without the marks of dashes and of the T between a day and a time. */
export function unmarked(text: string): string {
  return text.replaceAll(new RegExp(` ?${MARK}(.) ?`, "g"), "$1").replaceAll("\v", "T");
}

type Found = readonly [length: number, ...parts: SentencePart[]];

/** What the text begins with, and how long that is. */
function partsAt(text: string, before: SentencePart | undefined): Found {
  const simple = simplePartAt(text, before) ?? repeatAt(text, before) ?? eachAt(text, before);
  if (simple !== null) return simple;
  const isAfterTime = before?.kind === "when" && before.words.clock !== undefined;
  const length = isAfterTime ? LENGTH_AFTER_TIME.exec(text) : null;
  if (length !== null && readDuration(length[0])?.days === 0)
    return [length[0].length, { kind: "length", text: length[0] }];
  const joint = BETWEEN.exec(text)?.[0] ?? "";
  const kind = /^from$/i.test(joint) ? "from" : "to";
  const isUntil = /^(?:un)?till?$/i.test(joint) && before !== undefined && before.kind !== "word";
  const canJoin = joint !== "" && (kind === "from" || before?.kind === "when" || isUntil);
  if (canJoin && whenAt(text.slice(joint.length).trimStart()) !== null)
    return [joint.length, { kind, text: joint }];
  const when = whenAt(text);
  if (when !== null) return when;
  const [word = ""] = /^\S+/.exec(text) ?? [];
  return [word.length, { kind: "word", text: word, isQuoted: false }];
}

/** `for 3 days each`. */
function eachAt(text: string, before: SentencePart | undefined): Found | null {
  const [each] = before?.kind === "length" ? (EACH.exec(text) ?? []) : [];
  return each === undefined ? null : [each.length, { kind: "each", text: each }];
}

/** How often it takes place; `weekly` in front of another word of the title is one itself. */
function repeatAt(text: string, before?: SentencePart): Found | null {
  const [whole = "", written] = REPEATS.exec(text) ?? [];
  if (written === undefined) return null;
  const repeat: SentencePart = { kind: "repeat", text: written };
  const found: Found = [whole.length, repeat];
  const rest = text.slice(whole.length).replace(/^[\s,]+/, "");
  if (rest === "" || /\s/.test(written)) return found;
  const [, next] = partsAt(rest, repeat);
  const isTitle = isPlain(next);
  if (!isTitle || !PREPOSITION.test(next.text)) return isTitle ? null : found;
  if (before?.kind === "when") return found;
  throw new AmbiguousTextError(
    `${SOURCE}: "${written}" may be how often the event repeats or part of the title`,
    {
      hint: "write it beside the day or the time, or put the title in quotes",
      written,
      readings: [`every ${/^dai/i.test(written) ? "day" : written.replace(/ly$/i, "")}`, `"${written}"`],
    },
  );
}

function simplePartAt(text: string, before: SentencePart | undefined): Found | null {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return [quoted[0].length, { kind: "word", text: quoted[1] ?? "", isQuoted: true }];
  for (const [pattern, kind] of SIMPLE) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const isNumbered = before?.kind === "word" && !before.isQuoted && NUMBERED.test(before.text);
    const [written, quoted, plain = ""] = match;
    // No label has a number of three digits, and no label follows "ticket".
    if (kind === "label" && (/^\d{3,}$/.test(plain) || (isNumbered && /^\d+$/.test(plain))))
      throw new AmbiguousTextError(`${SOURCE}: "${written}" may be a label or part of the title`, {
        hint: `put it in quotes for the title, and those in quotes for the shell: '"${written}"'`,
        written,
        readings: [`#"${plain}"`, `"${written}"`],
      });
    return [written.length, { kind, text: quoted ?? (plain || written) }];
  }
  return null;
}

/** A day, a time, or a range of either; null where there is none. */
function whenAt(text: string): Found | null {
  const times = TIMES.exec(text);
  const clocks = times && timeRange(times[0], times[1], times[2]);
  if (times && clocks) return [times[0].length, ...clocks];
  const [length, words] = readPart(text, text, { source: SOURCE, inSentence: true }) ?? [];
  if (length === undefined || words === undefined) return null;
  const written = text.slice(0, length);
  const isNumber = words.bare !== undefined && !/past|to|clock|[:h]\d/i.test(written);
  const doubt = NAMES.test(written) ? "name" : isNumber ? "number" : undefined;
  return [length, { kind: "when", text: written, words, doubt }];
}

/** `12-13`, `3 to 4pm`, `15:00–16:30`. Null for numbers that are no hours. */
function timeRange(text: string, start = "", end = ""): SentencePart[] | null {
  if (Number.parseInt(start, 10) > 23 || Number.parseInt(end, 10) > 24) return null;
  // A meeting of two is a 1-1.
  if (start === end && /^\d+$/.test(start)) return null;
  const written = unmarked(text).trim();
  const doubt = /^[\d.]+ [\d.]+$/.test(`${start} ${end}`) ? ("number" as const) : undefined;
  const clocks = [start, end].map((text) => text.replace(/[.h](?=\d)/i, ":"));
  const when = (words: Words) => ({ kind: "when", text: written, words, doubt }) as const;
  const range = readRange(clocks[0] ?? "", clocks[1] ?? "");
  return [{ ...when({ clock: 0 }), range }, { kind: "to", text: "" }, when({ clock: 0 })];
}

/** Minutes of half a day. */
const HALF = 12 * 60;
const DAY = 2 * HALF;

/** A start of a range that is as usual in the afternoon. */
const EARLY_START = /^(?:[1-9]|[1-6]:\d\d)$/;

/** The minutes of the day that a time may mean, on the clock of 24 hours first. */
function minutesOf(written: string): readonly number[] {
  const text = /^\d+$/.test(written) ? `${written}:00` : written;
  const clock = text === "24:00" ? "midnight" : readPart(text, text, { source: SOURCE })?.[1].clock;
  const minutes = typeof clock === "number" ? clock / MINUTE_MS : DAY;
  return /^(?:[1-9]|1[0-2]):\d\d$/.test(text) ? [minutes, (minutes + HALF) % DAY] : [minutes];
}

/** What two times may mean, of which one may say in which half of the day the other is. */
function readRange(start: string, end: string): TimeRange {
  const [starts, ends] = [minutesOf(start), minutesOf(end)];
  const lengthOf = ([from, to]: Range): number => (to - from + DAY - 1) % DAY;
  const all = starts.flatMap((from) => ends.map((to): Range => [from, to]));
  const ranges = [...all].sort((a, b) => lengthOf(a) - lengthOf(b));
  const [[plain = null], [shortest = null]] = [all, ranges];
  if (/[a-z]/i.test(start + end)) return { ranges, plain: shortest };
  const isEarly = starts.length > 1 && ends.length > 1 && EARLY_START.test(start);
  // Of "9-21" the end says that the start is in the morning; "9-5" and "12-04" may be at night.
  const isNight = ends.length > 1 || (ranges.length > 1 && plain !== null && plain[1] < plain[0]);
  const isLong = isNight && !end.includes(":") && plain !== null && lengthOf(plain) >= HALF;
  return { ranges, plain: isEarly || isLong ? null : plain };
}

function formatTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Refuses a time that may be in the morning or in the afternoon, without more words: `3:30`, `at 8`. */
export function checkEarly({ text, words }: Extract<SentencePart, { readonly kind: "when" }>): void {
  checkSpoken(words, text, { source: SOURCE });
  const minutes = typeof words.clock === "number" ? words.clock / MINUTE_MS : 0;
  if (words.bare !== "digits" || minutes < 60 || minutes >= 7 * 60) return;
  throw eitherReading(text, formatTime(minutes), formatTime(minutes + HALF));
}

export function isPlain(part: SentencePart | undefined): part is SentencePart & { readonly kind: "word" } {
  return part?.kind === "word" && !part.isQuoted;
}

/** Refuses a part that may as well be a name or a number of something. @throws CliError usage */
export function checkDoubt(
  { text, words, doubt }: SentencePart & { readonly kind: "when" },
  before: SentencePart | undefined,
  after: SentencePart | undefined,
): void {
  const isBefore = isPlain(after) && !PREPOSITION.test(after.text);
  const isTitle =
    doubt === "name"
      ? isBefore && (before === undefined || before.kind === "word")
      : isBefore || (isPlain(before) && NUMBERED.test(before.text));
  // Of "sat 10" the number is in doubt, not the day.
  const isNumber = words.day !== undefined && isPlain(after) && /^\d{1,2}$/.test(after.text);
  if (doubt === undefined || !isTitle || isNumber) return;
  const [meant, hint, clear] =
    doubt === "name"
      ? ["a day or a time", "put the day or the time at the end", clearName(text)]
      : ["a time", "write it with minutes", clearTime(text, words)];
  const other = /^at /i.test(text) ? "place" : "title";
  throw new AmbiguousTextError(`${SOURCE}: "${text}" may be ${meant} or part of the ${other}`, {
    hint: `${hint}, or put the ${other} in quotes`,
    written: text,
    readings: [clear, `"${text}"`],
  });
}

/** `sat` and `noon` as what is a day or a time. */
function clearName(text: string): string {
  return /^(?:s|w)/i.test(text) ? `on ${text}` : `at ${text}`;
}

/** `at 11`, `at eleven` and `12-13` with minutes. */
function clearTime(text: string, { clock }: Words): string {
  return /\d/.test(text) ? text.replace(/\d+(?!:)/g, "$&:00") : `at ${Number(clock) / HOUR_MS}:00`;
}

function eitherReading(written: string, ...readings: readonly string[]): CliError {
  return new AmbiguousTextError(`${SOURCE}: "${written}" may be ${readings.join(" or ")}`, {
    written,
    readings,
  });
}

/**
 * The text with the place at its end, and with quotes around each "at" of the title.
 * @param place which of `ats` is in front of the place; null of none
 */
export function placedText(
  text: string,
  parts: readonly PlacedPart[],
  { ats, place }: { readonly ats: readonly number[]; readonly place: number | null },
): string {
  const indexOf = (part: number) => parts[part]?.index ?? text.length;
  const quoted = (from: number, to: number): string =>
    ats
      .filter((at) => at !== place && at > 0 && indexOf(at) >= from && indexOf(at) < to)
      .reduceRight(
        (rest, at) => {
          const [start, end] = [indexOf(at) - from, indexOf(at) - from + "at".length];
          return `${rest.slice(0, start)}"${rest.slice(start, end)}"${rest.slice(end)}`;
        },
        text.slice(from, to),
      );
  if (place === null) return quoted(0, text.length);
  const stop = parts.findIndex(({ kind }, index) => index > place && kind !== "word");
  const hasMore = stop !== -1 && parts.slice(stop).some(({ kind }) => kind === "word");
  const [from, to] = [indexOf(place), hasMore ? indexOf(stop) : text.length];
  const [before, named, after] = [quoted(0, from), quoted(from, to), quoted(to, text.length)];
  return hasMore ? `${before}${after} ${named.trim()}` : before + named;
}
