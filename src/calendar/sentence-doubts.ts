import { readTimeZoneName, timeZoneHint } from "../../contract/time-zone-names.js";
import { type CliError, usageError } from "../errors.js";
import { editDistance } from "./nearest.js";
import { MONTH_NAME, PREPOSITION, type SentencePart, SOURCE, unmarked } from "./sentence-parts.js";

/** What a sentence may say in two ways, or says in words of days and times that the grammar does not know. */

/** @param problem follows "the text" @throws CliError usage where it is wrong */
export function refuseIf(isWrong: boolean, problem: string, hint = "write one of the two"): void {
  if (isWrong) throw usageError(SOURCE + problem, hint);
}

/** Words that change what day or time follows. */
const BEFORE =
  /^(?:by|before|after|since|until|till|to|at|from|around|about|approx\.?|ca\.?|circa|except|not|every|each|either|or|and|between|on|in|for|with|of|the|next|last|past|this|start(?:s|ing)?|begin(?:s|ning)?|end(?:s|ing)?)$/i;
/** Beside a day or a time. */
const REPEATED = /^(?:(?:dai|night|(?:bi-?)?week|fortnight|month|year|annual)ly)$/i;
/** Which weekday of a month: `first monday`. */
const ORDINAL = /^(?:first|second|third|fourth|fifth|[1-5](?:st|nd|rd|th))$/i;
/** What numbers are of that are no hours. */
const NUMBERED =
  /^(?:pages?|pp?\.?|chapters?|ch\.?|rooms?|no\.?|nr\.?|numbers?|sprints?|weeks?|days?|lessons?|units?|parts?|acts?|levels?|grades?|class(?:es)?|years?|ages?|aged|gates?|platforms?|tracks?|lines?|bus|trams?|trains?|flights?|exercises?|questions?|tables?|seats?|rows?|floors?|buildings?|blocks?|issues?|tickets?|versions?|v|items?|steps?|phases?|rounds?|heats?|games?|episodes?|seasons?|vol\.?|volumes?|sections?|groups?|teams?|routes?|sizes?|scores?)$/i;
const ZONE =
  /^(?:(?:utc|gmt|we?s?t|ce?s?t|ee?s?t|bst|[ecmp][sd]?t|jst|kst|ist|msk|ae[sd]t|z)(?:[+-]\d{1,2}(?::?\d\d)?)?|[a-z]+\/[a-z_]+|[+-]\d\d:?\d\d)$/i;
const TIME_LIKE =
  /\d{1,2}[:.h]\d\d(?!\d)|\b\d{1,2}\s?[ap]\.?m\b|o['’]clock|\bmidday\b|\b(?:half|quarter) (?:past|to)\b|\b(?:morning|afternoon|evening|tonight|night)\b/i;
/** Beside a time that was read: `9:30 evening`, `from 12`, `12:00 to`. */
const HALF_READ =
  /\| (?:(?:at )?(?:morning|afternoon|evening|night|tonight)\b|(?:to|till|until|[-–—])(?= [|"]|$)|for \d+(?= [|"]|$))|\b(?:between|from) \d{1,2}(?= (?:and|to|\|)|$)/i;
/** What is never a title, and what to write instead; the first only beside words that say how often. */
const PHRASES = [
  [
    /\b(?:until|till|except|(?:start|begin|end)(?:s|ing)?|\d+ times|(?:for|in) (?:an?|the|\d+) \w+)\b/i,
    "events create --repeat has --until, --count and --except",
    "repeat",
  ],
  [/\bevery\b(?: [^|\s]+)?/i, "write every mon, daily or monthly on the 2nd mon", "any"],
  [
    /\| (?:of (?:the|each|every) (?:month|year)|the \d{1,2}(?:st|nd|rd|th))\b/i,
    "write a date, or monthly on the last fri",
    "any",
  ],
  [HALF_READ, "write 9:30pm, 12-13 or for 30m", "any"],
] as const;
/** Where no day is read: weekdays with signs, days of a month without a space, digits. */
const ALMOST_DAY = new RegExp(
  `(?<!\\w)(?:(?!ma[ry])${MONTH_NAME}(?![\\w-])|(?:sun|mon|tues?|wed|thu(?:rs?)?|fri|sat)(?![\\w'’-])|(?:mo|tu|we|th|fr|sa|su)-(?:mo|tu|we|th|fr|sa|su)(?!\\w)|\\d{1,2}[-./]?${MONTH_NAME}(?!\\w)|${MONTH_NAME}[-./]?\\d{1,2}(?!\\w)|(?:19|20|21)\\d{6}(?!\\d)|(?:weeks?|cw|kw|wk)\\s?\\d|(?:end|beginning|start|middle) of (?:the )?(?:week|month|year)|eo[dwmy]\\b)`,
  "i",
);
const DAY_NAMES =
  "today tomorrow yesterday sunday monday tuesday wednesday thursday friday saturday january february april august september october november december".split(
    " ",
  );
const DAY_LIKE =
  /\b(?:tmrw?|tmw|t(?:o)?mozz?|2mor\w*|2(?:day|nite)|toni(?:ght|te)|weekends?|weekdays?|fortnight|(?:dai|week|month|year)ly|every|each|january|february|april|june|july|september|october|november|december|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec|(?:sun|mon|tues|wednes|thurs|fri|satur)days|christmas|xmas|easter|halloween|thanksgiving|new year|(?:next|this|last|coming) (?:days?|weeks?|months?|years?|quarter|spring|summer|autumn|fall|winter|march|may)|\d{1,2}(?:st|nd|rd|th)|\d{1,2}\.\d{1,2}\.?|\d{4}-\d\d)(?![\w-])/i;
const LENGTH_LIKE =
  /\b(?:\d+(?:[.,]\d+)?\s?(?:h|hrs?|hours?|m|mins?|minutes?|days?|weeks?)|(?:half an|an) hour)(?!\w)/i;

/** @throws CliError usage that names both readings, or what was not understood */
export function checkWords(parts: readonly SentencePart[]): void {
  const whens = parts.flatMap((part) => (part.kind === "when" ? [part.words] : []));
  const hasTime = whens.some(({ clock, hour, elapsed }) => (clock ?? hour ?? elapsed) !== undefined);
  const repeats = parts.some(({ kind }) => kind === "repeat");
  const hasDay = !repeats && whens.some(({ day, elapsed }) => (day ?? elapsed) !== undefined);
  const hasLength = parts.some(({ kind }) => kind === "length" || kind === "to");
  for (const [index, part] of parts.entries()) {
    const [before, after] = [parts[index - 1], parts[index + 1]];
    if (part.kind === "when") checkDoubt(part, before, after);
    else if (isPlain(part)) checkBeside(part.text, { before, after, earlier: parts[index - 2], hasTime });
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
  if (like !== undefined) throw notUnderstood(like);
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

function isPlain(part: SentencePart | undefined): part is SentencePart & { readonly kind: "word" } {
  return part?.kind === "word" && !part.isQuoted;
}

function checkDoubt(
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
  const meant = doubt === "name" ? "a day or a time" : "a time";
  const hint = doubt === "name" ? "write it last" : "write it with minutes";
  const other = /^at /i.test(text) ? "place" : "title";
  throw usageError(
    `${SOURCE}: "${text}" may be ${meant} or part of the ${other}`,
    `${hint}, or put the ${other} in quotes`,
  );
}

interface Beside {
  readonly before: SentencePart | undefined;
  /** In front of `before`. */
  readonly earlier: SentencePart | undefined;
  readonly after: SentencePart | undefined;
  readonly hasTime: boolean;
}

/** Checks a word beside a day or a time. */
function checkBeside(text: string, { before, earlier, after, hasTime }: Beside): void {
  const isWhen = (part: SentencePart | undefined): boolean => /^(?:when|from|repeat)$/.test(part?.kind ?? "");
  const isWeekday = (part: SentencePart | undefined): boolean =>
    part?.kind === "when" && part.words.day?.kind === "weekday";
  if (isWhen(after) && (BEFORE.test(text) || REPEATED.test(text)))
    throw notUnderstood(
      `${text} ${after?.text}`,
      /^and$/i.test(text) && isWeekday(before) && isWeekday(after)
        ? "add each by itself, write every mon and wed for a series"
        : undefined,
    );
  if (isWeekday(after) && ORDINAL.test(text))
    throw notUnderstood(`${text} ${after?.text}`, "write a date, or monthly on the 1st mon");
  if (before?.kind === "when") checkAfter(text, before, after);
  const isNumbered = isPlain(before) && NUMBERED.test(before.text) && earlier?.kind !== "when";
  if (!hasTime && isWhen(after) && /^\d{1,2}$/.test(text) && !isNumbered)
    throw eitherNumber(text, `${text} ${after?.text}`);
}

/** Checks a word after a day or a time. */
function checkAfter(
  text: string,
  { text: written, words }: SentencePart & { readonly kind: "when" },
  after: SentencePart | undefined,
): void {
  const both = `${written} ${text}`;
  if (ZONE.test(text)) throw zoneError(text);
  if (isPlain(after) && /^time$/i.test(after.text) && words.clock !== undefined)
    throw zoneError(`${text} time`);
  const isTitle = isPlain(after) && !PREPOSITION.test(after.text);
  const isMonth = words.day !== undefined && new RegExp(`^${MONTH_NAME}$`, "i").test(text);
  if (isMonth || (REPEATED.test(text) && !isTitle)) throw notUnderstood(both);
  if (words.day !== undefined && /^\d{1,4}(?:st|nd|rd|th)?$/i.test(text)) throw eitherNumber(text, both);
}

function zoneError(text: string): CliError {
  const instead = readTimeZoneName(text) ?? `ZONE: ${timeZoneHint(text.replace(/ time$/i, ""))}`;
  return usageError(`${SOURCE}: "${text}" may be a time zone`, `give it as --timezone ${instead}`);
}

function eitherNumber(number: string, text: string): CliError {
  const problem = `${SOURCE}: "${number}" in "${text}" may be a time, a day of a month or part of the title`;
  return usageError(problem, "write 15:00 or 24 dec, or put the title in quotes");
}

function notUnderstood(text: string, instead = "write a day or a time, as in calctl help dates"): CliError {
  const problem = `${SOURCE}: "${text.replace(/^\|/, "").trim()}" is not understood as a day or a time`;
  return usageError(problem, `${instead}, or put the title in quotes`);
}
