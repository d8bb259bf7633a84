import { dateToInstant } from "../../../contract/date-time.js";
import { readTimeZoneName, timeZoneHint, zonesOfCity } from "../../../contract/time-zone-names.js";
import { type CliError, usageError } from "../../errors.js";
import { editDistance } from "../../output/words.js";
import { MONTHS, NUMBER_NAMES, WEEKDAYS, type Words } from "../../time/date-grammar.js";
import { AmbiguousTextError, readDuration } from "../../time/dates.js";
import { addDays, localDate } from "../../time/zoned-time.js";
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

/** When and where a sentence is read. */
export interface SentenceMoment {
  /** An IANA name. */
  readonly zone: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What a sentence may say in two ways, or says in words of days and times that the grammar does not know. */

/** @param problem follows "the text" @throws CliError usage where it is wrong */
export function refuseIf(isWrong: boolean, problem: string, hint = "use only one of them"): void {
  if (isWrong) throw usageError(SOURCE + problem, hint);
}

/** Words that change what day or time follows. */
const BEFORE =
  /^(?:by|before|after|since|until|till|to|at|from|around|about|approx\.?|ca\.?|circa|except|not|but|every|each|either|or|and|between|on|in|for|with|of|than|the|next|last|past|this|following|prev(?:ious)?|nxt|coming|all|entire|early|late|mid|start(?:s|ing)?|begin(?:s|ning)?|end(?:s|ing)?)$/i;
/** Words for a frequency next to a day or a time. */
const REPEATED =
  /^\(?(?:(?:(?:bi|tri|semi|half)-?)?(?:hour|dai|night|week|fortnight|month|quarter|year|annual)ly(?:-?ish)?|(?:wk|mth|yr)ly|recurring|repeat(?:s|ing|ed)?)\)?,?$/i;
/** Which weekday of a month: `first monday`. */
const ORDINAL = /^(?:first|second|third|fourth|fifth|[1-5](?:st|nd|rd|th))$/i;
const ZONE =
  /^(?:(?:utc|gmt|we?s?t|ce?s?t|ee?s?t|bst|[ecmp][sd]?t|jst|kst|ist|msk|ae[sd]t|z)(?:[+-]\d{1,2}(?::?\d\d)?)?|[a-z]+\/[a-z_]+|[+-]\d\d:?\d\d)$/i;
/** `1230`, `0900-1030`; not years such as 2027. */
const FOUR_DIGITS = /^(?!20[2-9][1-46-9]$)(?:[01]\d|2[0-3])[0-5]\d(?:z|[-–—](?:[01]\d|2[0-3])[0-5]\d)?$/i;
/** Transport that people call by its number or by its departure time. */
const DEPARTURE = /^(?:bus|trams?|trains?|flights?)$/i;
const NUMBER = new RegExp(`^(?:\\d{1,2}|${NUMBER_NAMES})$`, "i");
/** `4.12`, which may be 4 December or 12 April. */
const DOTTED_DATE =
  /^\(?(?:(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12]\d|3[01]))\)?$/;
/** After a time of day, where no other word follows. */
const REGION = /^(?:eastern|central|mountain|pacific)$/i;

/** Holidays, whose dates are not known. */
const HOLIDAY =
  "(?:\\w+s['’]|\\w+['’]s|mothers|fathers|valentines|patricks|presidents|kings|boxing|independence|labou?r|memorial|veterans|remembrance|columbus|australia|canada|bastille|groundhog|anzac|may|national) day|" +
  "christmas|xmas|easter|halloween|hallowe['’]en|thanksgiving|new years?|nye|hogmanay|pentecost|epiphany|mardi gras|ramadan|eid|diwali|holi|lent|c?hanuk(?:k?ah)|passover|purim|rosh hashanah|yom kippur|kwanzaa|juneteenth|advent|midsummer|solstice|guy fawkes|bonfire night|super bowl|valentines?|mayday";
const HOLIDAY_WEEKDAY = new RegExp(
  `\\b(?:(?:good|black) fri|(?:whit|cyber|blue|bank holiday) mon|(?:shrove|fat|super|giving) tue|ash wed|(?:maundy|holy) thu|holy sat|(?:palm|trinity|whit|mothering) sun|(?:${HOLIDAY}) (?:sun|mon|tue|wed|thu|fri|sat))`,
  "i",
);
/** Where the words before it are not part of a name, as in `bedtime story`. */
const NO_NOUN = '(?= [|"]| (?:with|at|in|on|for|and|by)(?!\\w)|$)';
const TIME_LIKE = new RegExp(
  `\\d{1,2}[:;.,h]\\d\\d(?!\\d)|\\b(?!1:1(?!\\d))\\d{1,2}:\\d(?!\\d)|\\b\\d{1,4}(?:\\s?[ap]\\.?m|[anp]|-?ish)\\b|\\b(?:noon|midday|midnight)(?:-?ish)?\\b|o['’]clock|\\b(?:${NUMBER_NAMES}) (?:oh )?(?:fifteen|thirty|forty[- ]five)\\b|\\b(?:half|quarter) (?:past|to|\\d|${NUMBER_NAMES})\\b` +
    "|\\b(?:(?:mid-?)?(?:morning|afternoon|evening|night)|tonight|(?:this|same) time|later(?= \\|)|eod|cob|at \\w+time|(?:at|after|before|around) (?:lunch|breakfast|brunch|dinner|supper|dawn|dusk|sunrise|sunset)|(?:close|end) of (?:business|day|the day))\\b" +
    `|\\b(?:${NUMBER_NAMES})(?:-?ish| (?:to|till|until|[-–—]) (?:${NUMBER_NAMES}))\\b|\\b(?:first thing|(?:lunch|tea|dinner|supper|bed|breakfast)[- ]?time|(?:after|before) (?:work|school)|(?:around|about|after|before|by) (?:${NUMBER_NAMES}))${NO_NOUN}` +
    `|\\| (?:early|late|dawn|dusk|sunrise|sunset|(?:in )?(?:the )?[ap]\\.?m\\.?(?: \\d+)?)${NO_NOUN}|\\b[ap]m(?= \\|)`,
);
/** Beside a time or a length that was read: `9:30 evening`, `from 12`, `12:00 to`, `2 hours 30`. */
const HALF_READ = new RegExp(
  `${/\|[-–—]\S+|\| (?:(?:at )?(?:morning|afternoon|evening|night|tonight)\b|(?:to|till|until|[-–—])(?: \||(?= "|$))|(?:to|till|until|[-–—]) \d{1,2}(?= [|"]|$)|(?:till|until)\b|(?:morning|afternoon|evening|night)s\b|and an? half|['’]\d\d\b|(?:[ap](?:m-?ish)?|long|later|earlier|ago|following|coming|or (?:so|two|three)|fifteen|thirty|forty[- ]five|(?:(?:for|all|the|whole|entire|full) )+(?:day|night|week|morning|afternoon|evening))(?= [|"]|$)|for [\d½¼¾]+(?: and an? half)?['’′]?(?= [|"]|$))|\b(?:between|from) \d{1,2}(?= (?:and|to|\|)|$)|\|(?: [^\sa-z|"$€£%]*\d[^\sa-z|"$€£%]*)+(?= [|"]|$)/.source}|\\| (?:to|till|until) (?:${NUMBER_NAMES})(?= [|"]|$)`,
);
/** Dates with signs, or without a space, also beside another day. */
const SECOND_DATE = new RegExp(
  `(?<!\\w)(?:\\d{4}-\\d\\d-\\d\\d|(?!24-7\\b)(?:2[4-9]|3[01])-(?:0?[1-9]|1[0-2])(?![\\w-])|\\d{1,2}(?:st|nd|rd|th)?[\\s./-]*${MONTH_NAME}(?!\\w)|${MONTH_NAME}[\\s./-]*\\d{1,2}(?!\\w))`,
);
/** Where no day is read: weekdays with signs, days of a month without a space, digits. */
const ALMOST_DAY = new RegExp(
  `(?<!\\w)(?:(?!ma[ry])${MONTH_NAME}(?![\\w-])|(?:sun|mon|tues?|weds?|thu(?:rs?)?|fri|sat)(?![\\w'’-])|(?:mo|tu|we|th|fr|sa|su)-(?:mo|tu|we|th|fr|sa|su)(?!\\w)|[mtwf](?:[-/,+&][mtwf])+(?!\\w)|(?:mwf?|wf|tth|(?=[a-z]{4})(?:mo)?(?:tu)?(?:we)?(?:th)?(?:fr)?(?:sa)?(?:su)?)(?!\\w)|(?:19|20|21)\\d{6}(?!\\d)|(?:weeks?|cw|kw|wk)\\s?\\d|in (?:an?|\\d+|${NUMBER_NAMES}) (?:month|year)s?|(?:end|beginning|start|middle|first|last) of (?:the )?(?:week|month|year)|eo[dwmy]\\b)` +
    `|\\b(?:mo|tu|we|th|thrs?|fr|sa|su|mar|march|may)(?= \\|)|\\| (?:(?:on|in) )?(?:mo|tu|we|th|thrs?|fr|sa|su|mar|march|may)${NO_NOUN}`,
);
const DAY_LIKE = new RegExp(
  `\\b(?:tmrw?|tmw|t(?:o)?mozz?|2mor\\w*|2(?:day|nite)|toni(?:ght|te)|weekends?|wk(?:e)?nds?|week(?:day|night)s?|work(?:ing)?[- ]?days?|(?:business|school) days?|school nights?|fortnight|(?:dai|we?e?k|mo?n?th|ye?a?r)ly|every|each|(?:sun|mon|tues|wednes|thurs|fri|satur)days|${HOLIDAY}|(?:next|this|last|coming) (?:days?|weeks?|months?|years?|quarter|spring|summer|autumn|fall|winter|march|may)|\\d{1,2}(?:st|nd|rd|th)|\\d{1,2}\\.\\d{1,2}\\.?|\\d{4}-\\d\\d|(?:2[4-9]|3[01])-(?:0?[1-9]|1[0-2]))(?![\\w-])`,
);
const COUNTED = `(?:\\d+(?:[.,]\\d+)?|${NUMBER_NAMES})`;
const LENGTH_LIKE = new RegExp(
  `\\b(?:\\d+h\\d\\d|\\d+(?:[.,]\\d+)?[\\s-]?(?:h|hrs?|hours?|m|mins?|minutes?|days?|weeks?)|${COUNTED}[\\s-](?:hours?|minutes?)|${COUNTED}-(?:day|week)|\\d+ nights?|for (?:\\d+|an?|one|two|three|four|five|six|seven|ten) (?:night|month|year)s?|an hour|half[\\s-](?:an? )?(?:hour|day))(?!\\w)`,
);
/** `for a couple of hours`, `for 2½ hours`. */
const FOR_LENGTH = new RegExp(
  `\\bfor(?: (?:[\\d½¼¾][\\d.,/½¼¾]*|${NUMBER_NAMES}|an?|and|of|half|quarters?|couple|few|several|some|about|almost|at|least|most|up|to|around))+[\\s-]?(?:h|hrs?|hours?|mins?|minutes?|days?|weeks?|fortnights?|nights?)(?!\\w)`,
);

/** Where words are looked at: everywhere, beside words that say how often, or where no time, day or length is read. */
type Where = "anywhere" | "repeat" | "no time" | "no day" | "no length";

/** Words that must not be left in a title, and what to write instead. Messages name the first that is found. */
const LEFTOVERS: readonly (readonly [Where, RegExp, hint?: string])[] = [
  [
    "repeat",
    /(?<!\w)(?:until|till|except|skipping|excluding|(?:start|begin|end)(?:s|ing)?|\d+ (?:times|sessions?|classes|lessons|weeks|days|months)|\d+\s?wks?|total|no (?:holidays?|class(?:es)?)|[x×]\s?\d+|\d+\s?[x×]|(?:for|in) (?:an?|the|\d+) \w+)(?!\w)/,
    "write until 18 dec or 10 times; events create --repeat also takes --except",
  ],
  ["repeat", /\|[-–—]\||\| [-–—] \|/, "write every tue, wed and thu"],
  ["repeat", /\b(?:once|twice|thrice)\b/, "write daily or every 2 days"],
  [
    "anywhere",
    /\b(?:once|twice|thrice|\w+ times) (?:an?|per|each) (?:hour|day|week|fortnight|month|year)\b|\b(?:each|per) (?:hour|day|week|fortnight|month|quarter|year|annum)\b|\d\s?x?\/(?:day|week|wk|month|year)\b|\b(?:alternat(?:e|ing)|odd|even|most) (?:days|weeks|months)\b/,
    "write daily, weekly or every 2 weeks",
  ],
  ["anywhere", SECOND_DATE, "write one day"],
  ["anywhere", /\b(?:an?|\d+|two|three) weeks?(?= \|)/, "write the date"],
  ["anywhere", /\| after next\b/, "write the date"],
  ["anywhere", /\bevery\b(?: [^|\s]+)?/, "write every mon and thu, daily or monthly on the 2nd mon"],
  [
    "anywhere",
    /\bon (?:(?:work|school|business|working)[- ]?days|week(?:ends|nights))\b/,
    "write weekdays, or every mon and thu",
  ],
  [
    "anywhere",
    new RegExp(
      `\\| (?:of (?:(?:the|each|every|this|next|last) (?:month|year)|${MONTH_NAME})|the \\d{1,2}(?:st|nd|rd|th)|(?:after|before) (?:next|${HOLIDAY})|(?:(?:in|from) )?(?:${MONTH_NAME}|(?:next|this|last) (?:month|quarter|year))${NO_NOUN})(?!\\w)|\\bin ${MONTH_NAME}(?= \\|)|\\bdays? of (?:the|this|next) (?:month|quarter|year)\\b`,
    ),
    "write a date, or monthly on the last fri",
  ],
  ["anywhere", FOR_LENGTH, "write for 90m, 1.5h or 2d"],
  [
    "anywhere",
    new RegExp(
      `\\| (?:\\d+[dw]|(?:an?|${COUNTED}) (?:day|week|month|year)s?|(?:in )?(?:an? )?fortnight)(?!\\w)`,
    ),
    "write for 2 days",
  ],
  [
    "anywhere",
    /\| \(?(?:(?:for )?\w+ (?:times|sessions?|classes|lessons)\b|(?:[x×]\s?\d+|\d+\s?[x×]|once|twice|thrice)\)?(?= [|"]|$))|\b(?:\d+|two|three|four|five|six) (?:sun|mon|tues|wednes|thurs|fri|satur)days(?= \||$)/,
    "write how often as well, as in daily 9:00 10 times",
  ],
  ["anywhere", HALF_READ, "write 9:30pm, 12-13 or for 30m"],
  ["no time", TIME_LIKE],
  ["no day", DAY_LIKE],
  ["no day", ALMOST_DAY],
  ["no length", LENGTH_LIKE],
];
const WEEKDAYS_NAME = new RegExp(`^(?:${WEEKDAYS.join("|")})s$`, "i");
const DAY_NAMES = [
  ..."today tomorrow yesterday january february april august september october november december".split(" "),
  ...WEEKDAYS.map((name) => name.toLowerCase()),
];

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
  checkLeftovers(parts, { repeat: repeats, "no time": !hasTime, "no day": !hasDay, "no length": !hasLength });
}

/** The one look at what is left in the title after everything was read. */
function checkLeftovers(
  parts: readonly SentencePart[],
  isLooked: Readonly<Record<Exclude<Where, "anywhere">, boolean>>,
): void {
  const text = unmarked(parts.map(plainText).join(" "));
  for (const [where, pattern, hint] of LEFTOVERS) {
    if (where !== "anywhere" && !isLooked[where]) continue;
    const found = new RegExp(`\\S*(?:${pattern.source})\\S*`, "i").exec(text);
    const words = found === null ? undefined : writtenAt(found, parts);
    const almost = pattern === ALMOST_DAY ? text.split(/\s+/).find(hasAlmostDay) : undefined;
    const like = words ?? almost;
    if (like !== undefined) throw notUnderstood(like, hint ?? insteadOfTime(like));
  }
}

/** What was found, with the words of what was read in place of their marks; without the first of them. */
function writtenAt({ 0: found, index, input }: RegExpExecArray, parts: readonly SentencePart[]): string {
  const marked = parts.flatMap((part) =>
    isPlain(part) ? (part.text.match(/\|/g) ?? []) : plainText(part) === "|" ? [unmarked(part.text)] : [],
  );
  const skipped = input.slice(0, index).split("|").length - 1 + (found.startsWith("| ") ? 1 : 0);
  const [first = "", ...rest] = found.replace(/^\| /, "").split("|");
  return rest.reduce((text, words, at) => text + (marked[skipped + at] ?? "|") + words, first);
}

/** What to write instead of a word that is like a day or a length. */
function insteadOfTime(text: string): string | undefined {
  if (WEEKDAYS_NAME.test(text)) return `write every ${text.slice(0, -1)}`;
  const length = text.replace(/(?<=\w)-/, " ");
  return readDuration(length) === null ? undefined : `write for ${length}`;
}

function hasAlmostDay(text: string): boolean {
  return text.split(/[^a-z]+/i).some(isAlmostDay);
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
  return /^(?:word|label)$/.test(part.kind) ? '""' : "|";
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
  if (isWeekday(after)) checkWeekday(text, isPlain(before) ? before.text : "", after?.text);
  if (before?.kind === "when") checkAfter(text, before, { after, today });
  if (before?.kind === "when" && hasTime) checkZone(following);
  const isNumbered = isPlain(before) && isNumberOf(text, before.text) && earlier?.kind !== "when";
  if (!isNumbered) checkDotted(text, before, after);
  if (!hasTime && !isNumbered) checkNumber(text, after, today);
}

/** Whether a number belongs to the word before it, as in `Room 1015`. In `Train 1730` it may be a time. */
function isNumberOf(text: string, word: string): boolean {
  const mayBeTime = FOUR_DIGITS.test(text) && (text.startsWith("0") || DEPARTURE.test(word));
  return NUMBERED.test(word) && !mayBeTime;
}

/** Refuses `first mon`, and `good friday`, which is not the coming Friday. */
function checkWeekday(text: string, before: string, weekday = ""): void {
  const named = `${text} ${weekday}`;
  if (ORDINAL.test(text)) throw notUnderstood(named, "write a date, or monthly on the 1st mon");
  const holiday = HOLIDAY_WEEKDAY.exec(`${before} ${named}`);
  if (holiday !== null) throw notUnderstood(holiday.input.slice(holiday.index), "write the date");
}

/** Refuses what may be a date, unless it is a number of a word of the title: `Run 10.5 km`. */
function checkDotted(text: string, before: SentencePart | undefined, after: SentencePart | undefined): void {
  const isOfTitle = before?.kind === "word" && isPlain(after) && !PREPOSITION.test(after.text);
  if (DOTTED_DATE.test(text) && !isOfTitle) throw notUnderstood(text);
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

/** Refuses `London time`, `New York time`, `Eastern` and `Tokyo` after a time of day. */
function checkZone(parts: readonly SentencePart[]): void {
  const words = parts.map((part) => (isPlain(part) ? part.text.replace(/^\(|\)$/g, "") : ""));
  const time = words.findIndex((word) => /^time$/i.test(word));
  const [first = "", next = ""] = words;
  if (REGION.test(first) && next === "") throw zoneError(first);
  const [zone] = /^\p{Lu}/u.test(first) && next === "" ? zonesOfCity(first) : [];
  if (zone !== undefined && !zone.startsWith("Antarctica"))
    throw usageError(
      `${SOURCE}: "${first}" may be a time zone`,
      `use --timezone ${zone}, or put the city in quotes`,
    );
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
    const name = WEEKDAYS[day.weekday]?.slice(0, 3).toLowerCase();
    const year = date.getUTCFullYear() === Number(today.slice(0, 4)) ? "" : ` ${date.getUTCFullYear()}`;
    return `${name} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${year}`;
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

/** The texts that say which reading of an ambiguous text is meant; none where its words are there twice. */
export function readingsOf(text: string, { written, readings }: AmbiguousTextError): readonly string[] {
  const words = written.replace(/[^\w\s]/g, "\\$&").replace(/\s+/g, "[\\s,]*");
  const [before, after, ...more] = text.split(new RegExp(words));
  return after === undefined || more.length > 0 ? [] : readings.map((reading) => before + reading + after);
}
