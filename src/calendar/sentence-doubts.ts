import { dateToInstant } from "../../contract/date-time.js";
import { readTimeZoneName, timeZoneHint } from "../../contract/time-zone-names.js";
import { type CliError, usageError } from "../errors.js";
import { MONTHS, NUMBER_NAMES, WEEKDAYS, type Words } from "./date-grammar.js";
import { AmbiguousTextError, readDuration } from "./dates.js";
import { editDistance } from "./nearest.js";
import {
  checkDoubt,
  isPlain,
  MONTH_NAME,
  NUMBERED,
  PREPOSITION,
  type SentencePart,
  SOURCE,
  unmarked,
} from "./sentence-parts.js";
import { addDays, localDate } from "./zoned-time.js";

/** When and where a sentence is read. */
export interface SentenceMoment {
  /** An IANA name. */
  readonly zone: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What a sentence may say in two ways, or says in words of days and times that the grammar does not know. */

/** @param problem follows "the text" @throws CliError usage where it is wrong */
export function refuseIf(isWrong: boolean, problem: string, hint = "write one of the two"): void {
  if (isWrong) throw usageError(SOURCE + problem, hint);
}

/** Words that change what day or time follows. */
const BEFORE =
  /^(?:by|before|after|since|until|till|to|at|from|around|about|approx\.?|ca\.?|circa|except|not|every|each|either|or|and|between|on|in|for|with|of|than|the|next|last|past|this|early|late|mid|start(?:s|ing)?|begin(?:s|ning)?|end(?:s|ing)?)$/i;
/** Words for a frequency next to a day or a time. */
const REPEATED = /^(?:(?:dai|night|(?:bi-?)?week|fortnight|month|quarter|year|annual)ly)$/i;
/** Which weekday of a month: `first monday`. */
const ORDINAL = /^(?:first|second|third|fourth|fifth|[1-5](?:st|nd|rd|th))$/i;
const ZONE =
  /^(?:(?:utc|gmt|we?s?t|ce?s?t|ee?s?t|bst|[ecmp][sd]?t|jst|kst|ist|msk|ae[sd]t|z)(?:[+-]\d{1,2}(?::?\d\d)?)?|[a-z]+\/[a-z_]+|[+-]\d\d:?\d\d)$/i;
/** `1230`, `0900-1030`; not years such as 2027. */
const FOUR_DIGITS = /^(?!20[2-9][1-46-9]$)(?:[01]\d|2[0-3])[0-5]\d(?:z|[-–—](?:[01]\d|2[0-3])[0-5]\d)?$/i;
const NUMBER = new RegExp(`^(?:\\d{1,2}|${NUMBER_NAMES})$`, "i");
/** After a time of day, where no other word follows. */
const REGION = /^(?:eastern|central|mountain|pacific)$/i;
const TIME_LIKE = new RegExp(
  `\\d{1,2}[:.h]\\d\\d(?!\\d)|\\b\\d{1,4}(?:\\s?[ap]\\.?m|[anp]|-?ish)\\b|\\b(?:noon|midday|midnight)\\b|o['’]clock|\\b(?:${NUMBER_NAMES}) (?:oh )?(?:fifteen|thirty|forty[- ]five)\\b|\\b(?:half|quarter) (?:past|to|\\d|${NUMBER_NAMES})\\b` +
    "|\\b(?:morning|afternoon|evening|tonight|night|(?:this|same) time|later(?= \\|)|eod|cob|at (?:\\w+time|lunch|breakfast|dawn|dusk|sunrise|sunset))\\b",
  "i",
);
/** Beside a time that was read: `9:30 evening`, `from 12`, `12:00 to`. */
const HALF_READ =
  /\|[-–—]\S+|\| (?:(?:at )?(?:morning|afternoon|evening|night|tonight)\b|(?:to|till|until|[-–—])(?= [|"]|$)|(?:to|till|until|[-–—]) \d{1,2}(?= [|"]|$)|(?:morning|afternoon|evening|night)s\b|and an? half|(?:for )?\w+ times\b|['’]\d\d\b|for \d+(?= [|"]|$))|\b(?:between|from) \d{1,2}(?= (?:and|to|\|)|$)/i;
/** Dates with signs, or without a space, also beside another day. */
const SECOND_DATE = new RegExp(
  `(?<!\\w)(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}(?:st|nd|rd|th)?[\\s./-]*${MONTH_NAME}(?!\\w)|${MONTH_NAME}[\\s./-]*\\d{1,2}(?!\\w))`,
);
/** What is never a title, and what to write instead; the first only beside words that say how often. */
const PHRASES = [
  [
    /\b(?:until|till|except|(?:start|begin|end)(?:s|ing)?|\d+ (?:times|sessions?|classes|lessons|weeks|days|months)|x\s?\d+|(?:for|in) (?:an?|the|\d+) \w+)\b/i,
    "write until 18 dec or 10 times; events create --repeat also takes --except",
    "repeat",
  ],
  [/\b(?:once|twice)\b/i, "write daily or every 2 days", "repeat"],
  [
    /\b(?:once|twice|\w+ times) (?:an?|per|each) (?:hour|day|week|fortnight|month|year)\b/i,
    "write daily, weekly or every 2 weeks",
    "any",
  ],
  [SECOND_DATE, "write one day", "any"],
  [/\b(?:an?|\d+|two|three) weeks?(?= \|)/i, "write the date", "any"],
  [/\| after next\b/i, "write the date", "any"],
  [/\bevery\b(?: [^|\s]+)?/i, "write every mon, daily or monthly on the 2nd mon", "any"],
  [
    new RegExp(
      `\\| (?:of (?:(?:the|each|every|this|next|last) (?:month|year)|${MONTH_NAME})|the \\d{1,2}(?:st|nd|rd|th))(?!\\w)`,
    ),
    "write a date, or monthly on the last fri",
    "any",
  ],
  [HALF_READ, "write 9:30pm, 12-13 or for 30m", "any"],
] as const;
/** Where no day is read: weekdays with signs, days of a month without a space, digits. */
const ALMOST_DAY = new RegExp(
  `(?<!\\w)(?:(?!ma[ry])${MONTH_NAME}(?![\\w-])|(?:sun|mon|tues?|weds?|thu(?:rs?)?|fri|sat)(?![\\w'’-])|(?:mo|tu|we|th|fr|sa|su)-(?:mo|tu|we|th|fr|sa|su)(?!\\w)|[mtwf](?:[-/][mtwf])+(?!\\w)|(?:19|20|21)\\d{6}(?!\\d)|(?:weeks?|cw|kw|wk)\\s?\\d|in (?:an?|\\d+|${NUMBER_NAMES}) (?:month|year)s?|(?:end|beginning|start|middle|first|last) of (?:the )?(?:week|month|year)|eo[dwmy]\\b)`,
  "i",
);
const WEEKDAYS_NAME = new RegExp(`^(?:${WEEKDAYS.join("|")})s$`, "i");
const DAY_NAMES = [
  ..."today tomorrow yesterday january february april august september october november december".split(" "),
  ...WEEKDAYS.map((name) => name.toLowerCase()),
];
const DAY_LIKE =
  /\b(?:tmrw?|tmw|t(?:o)?mozz?|2mor\w*|2(?:day|nite)|toni(?:ght|te)|weekends?|wk(?:e)?nds?|weekdays?|fortnight|(?:dai|week|month|year)ly|every|each|(?:sun|mon|tues|wednes|thurs|fri|satur)days|christmas|xmas|easter|halloween|thanksgiving|new year|nye|(?:next|this|last|coming) (?:days?|weeks?|months?|years?|quarter|spring|summer|autumn|fall|winter|march|may)|\d{1,2}(?:st|nd|rd|th)|\d{1,2}\.\d{1,2}\.?|\d{4}-\d\d|(?:2[4-9]|3[01])-(?:0?[1-9]|1[0-2]))(?![\w-])/i;
const LENGTH_LIKE =
  /\b(?:\d+h\d\d|\d+(?:[.,]\d+)?\s?(?:h|hrs?|hours?|m|mins?|minutes?|days?|weeks?)|\d+ nights?|for (?:\d+|an?|one|two|three|four|five|six|seven|ten) (?:night|month|year)s?|(?:half an|an) hour)(?!\w)/i;

/** @throws CliError usage that names both readings, or what was not understood */
export function checkWords(parts: readonly SentencePart[], { zone, now }: SentenceMoment): void {
  const today = localDate(now, zone);
  const whens = parts.flatMap((part) => (part.kind === "when" ? [part.words] : []));
  const hasTime = whens.some(({ clock, elapsed }) => (clock ?? elapsed) !== undefined);
  const repeats = parts.some(({ kind }) => kind === "repeat");
  const hasDay = !repeats && whens.some(({ day, elapsed }) => (day ?? elapsed) !== undefined);
  const hasLength = parts.some(({ kind }) => kind === "length" || kind === "to");
  for (const [index, part] of parts.entries()) {
    const [before, after] = [parts[index - 1], parts[index + 1]];
    if (part.kind === "when") checkDoubt(part, before, after);
    else if (isPlain(part)) {
      const [earlier, following] = [parts[index - 2], parts.slice(index, index + 4)];
      checkBeside(part.text, { before, after, earlier, following, hasTime, today });
    }
  }
  const text = unmarked(parts.map(plainText).join(" "));
  const find = (pattern: RegExp) => new RegExp(`\\S*(?:${pattern.source})\\S*`, "i").exec(text)?.[0];
  const isFound = ([pattern, , kind]: (typeof PHRASES)[number]) =>
    (repeats || kind === "any") && find(pattern) !== undefined;
  const [phrase, hint] = PHRASES.find(isFound) ?? [];
  if (phrase !== undefined) throw notUnderstood(find(phrase) ?? "", hint);
  const like =
    (hasTime ? undefined : find(TIME_LIKE)) ??
    (hasDay
      ? undefined
      : (find(DAY_LIKE) ??
        find(ALMOST_DAY) ??
        text.split(/\s+/).find((word) => word.split(/[^a-z]+/i).some(isAlmostDay)))) ??
    (hasLength ? undefined : find(LENGTH_LIKE));
  if (like !== undefined) throw notUnderstood(like, insteadOfTime(like));
}

/** What to write instead of a word that is like a day or a length. */
function insteadOfTime(text: string): string | undefined {
  if (WEEKDAYS_NAME.test(text)) return `write every ${text.slice(0, -1)}`;
  return readDuration(text) === null ? undefined : `write for ${text}`;
}

/** The beginning of the name of a day or a month, or a name with a typing error. */
function isAlmostDay(word: string): boolean {
  const typed = word.toLowerCase();
  const limit = (name: string): number => (/(?:day|row)$/.test(name) && name.length > 7 ? 2 : 1);
  return DAY_NAMES.some(
    (name) =>
      (typed.length > 3 && name.startsWith(typed)) ||
      (typed.length > 4 && editDistance(typed, name) <= limit(name)),
  );
}

/** Words as they are, and marks for what was read. */
function plainText(part: SentencePart): string {
  if (isPlain(part)) return part.text;
  return part.kind === "when" || part.kind === "repeat" ? "|" : '""';
}

interface Beside {
  readonly before: SentencePart | undefined;
  /** In front of `before`. */
  readonly earlier: SentencePart | undefined;
  readonly after: SentencePart | undefined;
  /** The word, and those after it. */
  readonly following: readonly SentencePart[];
  readonly hasTime: boolean;
  readonly today: string;
}

/** Checks a word beside a day or a time. */
function checkBeside(text: string, { before, earlier, after, following, hasTime, today }: Beside): void {
  const isWeekday = (part: SentencePart | undefined): boolean =>
    part?.kind === "when" && part.words.day?.kind === "weekday";
  if (isWhen(after) && (BEFORE.test(text) || REPEATED.test(text)))
    throw notUnderstood(`${text} ${after?.text}`, insteadOf(text, isWeekday(before) && isWeekday(after)));
  if (isWeekday(after) && ORDINAL.test(text))
    throw notUnderstood(`${text} ${after?.text}`, "write a date, or monthly on the 1st mon");
  if (before?.kind === "when") checkAfter(text, before, { after, today });
  if (before?.kind === "when" && hasTime) checkZone(following);
  const isNumbered = isPlain(before) && NUMBERED.test(before.text) && earlier?.kind !== "when";
  if (!hasTime && !isNumbered) checkNumber(text, after, today);
}

/** What to write instead of a word in front of a day or a time. */
function insteadOf(word: string, isBetweenDays: boolean): string | undefined {
  if (/^(?:un)?till?$/i.test(word)) return "write both ends, as in mon until wed or 9:00 until 17:00";
  return isBetweenDays && /^and$/i.test(word)
    ? "add each by itself, write every mon and wed for a series"
    : undefined;
}

/** Whether a day, a time or a rule begins. */
function isWhen(part: SentencePart | undefined): boolean {
  return /^(?:when|from|repeat)$/.test(part?.kind ?? "");
}

/** Checks a word that may be a time of day where none is read. */
function checkNumber(text: string, after: SentencePart | undefined, today: string): void {
  if (FOUR_DIGITS.test(text))
    throw new AmbiguousTextError(`${SOURCE}: "${text}" may be a time or part of the title`, {
      hint: "write it with colons, or put the title in quotes",
      written: text,
      readings: [text.replace(/\d\d(?=\d\d)/g, "$&:"), `"${text}"`],
    });
  if (!isWhen(after) || !NUMBER.test(text)) return;
  const words = after?.kind === "when" ? after.words : {};
  const isClear = after?.kind === "from" || words.clock !== undefined;
  const time = isClear ? undefined : `at ${text} ${after?.text}`;
  const day = dayOfMonth(text, words, today);
  throw eitherNumber(text, `${text} ${after?.text}`, { time, day, title: `"${text}" ${after?.text}` });
}

/** Checks a word after a day or a time. */
function checkAfter(
  text: string,
  { text: written, words }: SentencePart & { readonly kind: "when" },
  { after, today }: Pick<Beside, "after" | "today">,
): void {
  const both = `${written} ${text}`;
  if (ZONE.test(text.replace(/^\(|\)$/g, ""))) throw zoneError(text);
  if (words.clock !== undefined && /^(?:h|hrs?|hours?|uhr|sharp)$/i.test(text)) throw notUnderstood(both);
  if (words.day !== undefined && /^weeks?$/i.test(text)) throw notUnderstood(both);
  const isTitle = isPlain(after) && !PREPOSITION.test(after.text);
  const isMonth = words.day !== undefined && new RegExp(`^${MONTH_NAME}$`, "i").test(text);
  if (isMonth || (REPEATED.test(text) && !isTitle)) throw notUnderstood(both);
  if (words.day === undefined || !isNumberAfter(text, isTitle)) return;
  const clock = words.clock === undefined ? timeOf(text) : undefined;
  throw eitherNumber(text, both, {
    time: clock && `${written} ${clock}`,
    day: dayOfMonth(text, words, today),
    title: `${written} "${text}"`,
  });
}

/** @param isTitle whether a word of the title follows: of "fri two adults" the number is one */
function isNumberAfter(text: string, isTitle: boolean): boolean {
  return /^\d{1,4}(?:st|nd|rd|th|z)?$/i.test(text) || (NUMBER.test(text) && !isTitle);
}

/** Refuses `London time`, `New York time` and `Eastern` after a time of day. */
function checkZone(parts: readonly SentencePart[]): void {
  const words = parts.map((part) => (isPlain(part) ? part.text.replace(/^\(|\)$/g, "") : ""));
  const time = words.findIndex((word) => /^time$/i.test(word));
  const [first = "", next = ""] = words;
  if (REGION.test(first) && next === "") throw zoneError(first);
  const names = words.slice(0, Math.max(0, time));
  if (names.length > 0 && !names.includes("") && !PREPOSITION.test(first))
    throw zoneError([...names, "time"].join(" "));
}

function zoneError(text: string): CliError {
  const name = text.replace(/ time$|[()]/gi, "");
  const instead = readTimeZoneName(name) ?? `ZONE: ${timeZoneHint(name)}`;
  return usageError(`${SOURCE}: "${text}" may be a time zone`, `use --timezone ${instead}`);
}

/** The time that digits may be: `at 3`, `11:00`, `15:00`. */
function timeOf(number: string): string | undefined {
  if (FOUR_DIGITS.test(number)) return /^\d+$/.test(number) ? number.replace(/\d\d$/, ":$&") : undefined;
  if (!NUMBER.test(number) || Number(number) > 23) return undefined;
  return /^(?:0|\d\d)$/.test(number) ? `${number}:00` : `at ${number}`;
}

/** The next day of that number on that weekday: `fri 11 dec`. */
function dayOfMonth(number: string, { day, part, clock }: Words, today: string): string | undefined {
  if (day?.kind !== "weekday" || day.which !== "this" || (part ?? clock) !== undefined) return undefined;
  for (let days = 0; days < 366; days++) {
    const date = new Date(dateToInstant(addDays(today, days)));
    if (date.getUTCDay() !== day.weekday || date.getUTCDate() !== Number.parseInt(number, 10)) continue;
    const month = MONTHS[date.getUTCMonth()];
    return `${WEEKDAYS[day.weekday]?.slice(0, 3).toLowerCase()} ${date.getUTCDate()} ${month}`;
  }
  return undefined;
}

interface NumberChoices {
  readonly time: string | undefined;
  readonly day: string | undefined;
  readonly title: string;
}

/** @param choices what can be written instead; the message names what a terminal offers */
function eitherNumber(number: string, text: string, { time, day, title }: NumberChoices): CliError {
  const readings = [time, day, title].flatMap((choice) => choice ?? []);
  const hasChoice = readings.length > 1;
  const kinds = [
    ...(time !== undefined || !hasChoice ? ["a time"] : []),
    ...(day !== undefined || !hasChoice ? ["a day of a month"] : []),
  ];
  const problem = `${SOURCE}: "${number}" in "${text}" may be ${kinds.join(", ")} or part of the title`;
  if (!hasChoice) return usageError(problem, "write 15:00 or 24 dec, or put the title in quotes");
  return new AmbiguousTextError(problem, {
    hint: `write ${readings.join(" or ")}`,
    written: text,
    readings,
  });
}

function notUnderstood(
  text: string,
  instead = "write a day or a time, such as tomorrow 3pm or 24 dec",
): CliError {
  const problem = `${SOURCE}: "${text.replace(/^\|/, "").trim()}" is not understood as a day or a time`;
  return usageError(problem, `${instead}, or put the title in quotes`);
}
