import { createHash } from "node:crypto";
import { DAY_MS, dateToInstant, formatWireDateTime } from "../../../contract/date-time.js";
import { codePointLength, MAX_URL, URL_SCHEMES } from "../../../contract/limits.js";
import type { Event, EventDraft, WritableField } from "../../../contract/shapes.js";
import { parseUrl } from "../../../contract/url.js";
import { asUsageError, describeWithoutFlags, usageError } from "../../errors.js";
import { contentKey, hashedFields } from "../../events/content.js";
import { draft } from "../../events/draft.js";
import type { Named } from "../../events/names.js";
import { type EventPatch, type LimitedTexts, TEXT_LIMITS, type WrittenPatch } from "../../events/patch.js";
import { fromRuleStart, isSeries } from "../../events/repeat/series.js";
import { firstNames } from "../../output/words.js";
import { readWallClock } from "../../time/zoned-time.js";
import type { Beginning } from "./ics-times.js";

/** Which occurrence of which series is changed. */
export interface ChangedOccurrence {
  readonly uid: string;
  /** When it would have started, as `occurrenceIdentity` takes it. */
  readonly originalStart: string;
  /** Where the file does not have the series: the original start if it begins so. @throws CliError usage as `wireTime` does */
  readonly originalStartIn?: (series: Beginning) => string;
}

/** One event of a file, as it would be written. */
export interface ImportEntry {
  readonly kind: "event";
  /** Line of the file where it begins, from 1. */
  readonly line: number;
  /** What later runs know it by: UID and RECURRENCE-ID, the id of NDJSON, otherwise a hash of its text. */
  readonly identity: string;
  readonly title: string;
  /** Within the limits. */
  readonly content: EventDraft<Named>;
  /** STATUS:CANCELLED, or an invitation withdrawn by METHOD:CANCEL. */
  readonly cancelled: boolean;
  /** One RRULE, and RDATE and EXDATE lines in UTC or as dates; empty for a single event. @see RFC 5545 */
  readonly recurrences: readonly string[];
  /** The starts of its EXDATE lines (ms), with their texts in the file. */
  readonly exclusions?: readonly (readonly [start: number, written: string])[];
  readonly occurrenceOf?: ChangedOccurrence | undefined;
  /** Its SEQUENCE; undefined where the file has none. */
  readonly sequence?: number | undefined;
  /** Which of several with one identity counts: the greater text is the newer. */
  readonly version?: string;
  /** Its text in the file, for `--rejects`. */
  readonly text: string;
}

/** What cannot become an event. */
export interface Rejection {
  readonly kind: "rejected";
  readonly line: number;
  /** As of an event; absent where it could not be read. What was imported before is not taken as missing then. */
  readonly identity?: string | undefined;
  /** Of a change to a series: the identity of the occurrence, or of the whole series, that is left as it was. */
  readonly affects?: string | undefined;
  readonly occurrenceOf?: ChangedOccurrence | undefined;
  readonly reason: string;
  readonly title: string | null;
  readonly text: string;
}

export type ImportItem = ImportEntry | Rejection;

/** What a reader found, in the order of the file. */
export interface ReadItems {
  readonly items: readonly ImportItem[];
  /** Sentences for the user about the file. */
  readonly notes?: readonly string[];
  /** False for a file that was cut short. */
  readonly isComplete: boolean;
  /** Whether it has nothing but mails about some events: it never has all of its source. @see RFC 5546 */
  readonly isMail?: boolean;
  /** What a file of rejected items has before and after their texts. */
  readonly header: string;
  readonly footer: string;
}

/** Half a character is a byte that is not of UTF-8; U+FFFD is what is not of UTF-16. */
export const DAMAGE = /[\ufffd\p{Surrogate}]/u;

/** What all readers need. */
export interface ReaderOptions {
  /** IANA name: the zone of times without one. */
  readonly zone: string;
  /** Whether texts beyond the limits are cut instead of rejected. */
  readonly truncate: boolean;
  /** Whether the file has bytes that are not UTF-8, which were read as `DAMAGE`. */
  readonly isDamaged: boolean;
  /** Counts an event for a note, such as `without an end: an hour long`. @param line where it begins */
  readonly count: Count;
}

type Count = (remark: string, line: number) => void;

/** Lines that a note names. */
const MAX_LINES = 5;

/** Counts remarks on events. @param noun what one is called: `event` */
export function createTally(noun: string) {
  const found = new Map<string, number[]>();
  const count: Count = (remark, line) => {
    const lines = found.get(remark) ?? [];
    found.set(remark, lines);
    lines.push(line);
  };
  const notes = (): readonly string[] =>
    [...found].map(([remark, lines]) => {
      const [title, place] = lines.length === 1 ? [noun, "line"] : [`${noun}s`, "lines"];
      return `${lines.length} ${title} ${remark} (${place} ${firstNames(lines.map(String), MAX_LINES)})`;
    });
  return { count, notes };
}

/** What a file says of an event, which is not checked. */
interface Said extends Omit<ImportEntry, "kind" | "line" | "text" | "title" | "content" | "recurrences"> {
  readonly patch: WrittenPatch;
}

/** What can be told before the rest is read. */
type Place = Omit<Rejection, "kind" | "reason">;

/** An hour. */
const LENGTH = { text: "1h", days: 0, minutes: 60 };

/** The entry that `read` gives; rejected where it throws a usage error or gives no event of the contract. */
export function readEntry(
  place: Place,
  { zone, truncate, isDamaged, count }: ReaderOptions,
  read: (count: (remark: string) => void) => Said,
): ImportItem {
  const remarks = new Set<string>();
  try {
    if (isDamaged && DAMAGE.test(place.text)) throw usageError("it is not UTF-8");
    const { patch: said, ...entry } = read((remark) => remarks.add(remark));
    if (place.text.includes("\ufffd")) remarks.add("with U+FFFD, which stands for a character that was lost");
    const stored = isStorableUrl(said.url) ? said : { ...said, url: undefined };
    if (stored !== said) remarks.add("with a URL that cannot be stored: left out");
    const patch = truncate ? truncateTexts(stored) : stored;
    if (patch !== stored) remarks.add("too long for the calendar: truncated");
    checkStorable(patch);
    const { recurrences = [], ...others } = draft([patch], { zone, length: LENGTH });
    const content = { ...others, recurrences: undefined };
    const isOpen = patch.start !== undefined && patch.end === undefined && content.all_day !== true;
    if (isOpen && !remarks.has(OF_NO_LENGTH)) remarks.add("without an end: an hour long");
    // Nothing of one that is cancelled is written.
    for (const remark of entry.cancelled ? [] : remarks) count(remark, place.line);
    const { line, text } = place;
    return { kind: "event", line, text, title: content.title, ...entry, content, recurrences };
  } catch (error) {
    const { message } = asUsageError(error);
    const reason = describeWithoutFlags(usageError(message)).replace(`${ENTRY}: `, "");
    return { ...place, kind: "rejected", reason };
  }
}

/** The rejection of an entry that could be read. */
export function rejectEntry(entry: ImportEntry, reason: string): Rejection {
  const { line, title, text, identity } = entry;
  return { kind: "rejected", line, title, text, identity, reason };
}

/**
 * Each identity once: the newest version, and of those that differ without being newer the first.
 * @returns also how many events are left out for another one
 */
export function newestOf(items: readonly ImportItem[], count: Count) {
  const newest = new Map<string, ImportEntry>();
  const rejected = items.filter((item) => item.kind === "rejected");
  let superseded = 0;
  for (const item of items.filter((each) => each.kind === "event")) {
    const known = newest.get(item.identity);
    if (known === undefined) newest.set(item.identity, item);
    else if (known.text !== item.text && known.version === item.version)
      rejected.push(rejectEntry(item, `it has the UID or id of line ${known.line}, and neither is newer`));
    else {
      superseded += 1;
      if (known.text === item.text) count("more than once in the file: read once", item.line);
      else count("in several versions: the newest is read", item.line);
      if ((item.version ?? "") > (known.version ?? "")) newest.set(item.identity, item);
    }
  }
  const all = [...newest.values(), ...rejected].sort((left, right) => left.line - right.line);
  return { items: all, superseded };
}

/** How messages name an entry; left out of reasons, which come with their line. */
export const ENTRY = "the event";

/** The remark on an event whose file does not say the zone of its times. @param unknown what it says instead */
export function withoutZone(zone: string, unknown?: string): string {
  const reason =
    unknown === undefined ? "" : `, since the zone "${unknown.slice(0, 40)}" of the calendar is not known`;
  return `with times without a zone: read in ${zone}${reason}`;
}

interface LocalTime {
  /** What the file has, as if it were UTC (ms). */
  readonly wallClock: number;
  /** As `instantAt` reads it. */
  readonly instant: number;
}

/** Whether no clock of the zone shows a time, since a clock change skips it. */
export function isSkipped({ wallClock }: Pick<LocalTime, "wallClock">, zone: string): boolean {
  return readWallClock(wallClock, zone).kind === "skipped";
}

/** The remark on an event with a time that a clock change skips or repeats. */
export function withChangedTime(kind: "skipped" | "twice", zone: string): string {
  const change = kind === "skipped" ? "skips" : "repeats";
  return `with a time that a clock change ${change} in ${zone}: read with the offset before the change`;
}

/** The instant of an end (ms). If its start is skipped and so read as no earlier, the event is as long as written. */
export function endAfter(start: LocalTime, end: LocalTime, zone: string): number {
  const length = end.wallClock - start.wallClock;
  const isOvertaken = isSkipped(start, zone) && end.instant <= start.instant && length > 0;
  return isOvertaken ? start.instant + length : end.instant;
}

/** The remark on a timed event that ends when it starts, which the calendar does not take. */
export const OF_NO_LENGTH = "without a length: an hour long";

/** The remark on an event whose file gives it more than one label. */
export const SEVERAL_LABELS = "with several categories: the first is its label";

/** How an occurrence is known. @param originalStart when it would have started by its rule: UTC, `YYYY-MM-DDTHH:mm:ss.sssZ` */
export function occurrenceIdentity(uid: string, originalStart: string): string {
  return `${uid} ${originalStart}`;
}

/** Checks what the service could not store, besides the contract's limits. @throws CliError usage */
function checkStorable(patch: EventPatch): void {
  for (const [name, text] of Object.entries(patch))
    if (typeof text === "string" && /[\0\p{Surrogate}]/u.test(text))
      throw usageError(`${name} has a NUL or half a character, which cannot be stored`);
}

/** The most dates that RDATE and EXDATE of an event may have together. */
const MAX_DATES = 10_000;

/** @param lines of iCalendar, of which those of RDATE and EXDATE count @throws CliError usage for more than `MAX_DATES` */
export function checkDates(lines: readonly string[]): void {
  let count = 0;
  for (const line of lines) {
    if (!/^(?:RDATE|EXDATE)[;:]/i.test(line)) continue;
    for (let index = 0; index !== -1; index = line.indexOf(",", index + 1)) count += 1;
    if (count > MAX_DATES) throw usageError(`it has more than ${MAX_DATES} dates in RDATE and EXDATE`);
  }
}

/** Whether a URL can be stored; true if there is none. A URL of another scheme could run a script or read a file. */
function isStorableUrl(url: string | null | undefined): boolean {
  if (!url) return true;
  if (codePointLength(url) > MAX_URL || /[\p{Cc}\p{Surrogate}]/u.test(url)) return false;
  const protocol = parseUrl(url)?.protocol;
  return URL_SCHEMES.some((scheme) => scheme === protocol);
}

const [FIRST, LAST] = [dateToInstant("0000-01-01"), dateToInstant("9999-12-31") + DAY_MS - 1];

/** An instant as the contract writes it. @throws CliError usage for a year that has no four digits */
export function wireTime(instant: number): string {
  if (instant >= FIRST && instant <= LAST) return formatWireDateTime(instant);
  throw usageError("its times are not in the years 0000 to 9999");
}

/** The same patch, texts beyond the limits cut at a character and ended with `…`; `patch` itself where none is. */
function truncateTexts(patch: WrittenPatch): WrittenPatch {
  const texts: LimitedTexts = patch;
  const long = TEXT_LIMITS.flatMap(({ field, max }) => {
    const text = texts[field] ?? "";
    return codePointLength(text) > max ? [[field, truncate(text, max)]] : [];
  });
  return long.length === 0 ? patch : { ...patch, ...Object.fromEntries(long) };
}

function truncate(text: string, max: number): string {
  // A character has at most two code units.
  const [...start] = text.slice(0, 2 * max);
  return `${start
    .slice(0, max - 1)
    .join("")
    .trimEnd()}…`;
}

/** The same for two versions of a file's event that say the same. Earlier imports have remembered it, so it must not change. */
export function hashContent(content: EventDraft<Named>): string {
  const fields = {
    category: content.category,
    title: content.title,
    all_day: content.all_day ?? false,
    start_at: content.start_at,
    start_timezone: content.start_timezone,
    end_at: content.end_at,
    end_timezone: content.end_timezone,
    description: content.description,
    location: content.location,
    url: content.url,
    label: content.label?.value,
    attendees: content.attendees?.map(({ value }) => value),
    recurrences: content.recurrences,
  } satisfies Record<WritableField, unknown>;
  return shortHash(hashedFields(fields));
}

/** The same for two versions of an event of the calendar that say the same; of a series, whatever its events say on their own. */
export function hashEvent(event: Event): string {
  const rule = event.recurrences.filter((line) => !line.startsWith("EXDATE"));
  return shortHash(contentKey(isSeries(event) ? { ...fromRuleStart(event), recurrences: rule } : event));
}

/** Long enough that nothing is taken for the same by chance. */
export function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}

/** The identity of an event that has none of its own, by its text. Earlier imports have remembered it, too. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
