/** A date-time as written, and its instant. */
export interface WireDateTime {
  /** Milliseconds since the Unix epoch. */
  readonly instant: number;
  /** `YYYY-MM-DD` as written, whatever the offset. */
  readonly date: string;
  /** Whether the clock as written reads 00:00:00. */
  readonly midnight: boolean;
}

const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** Also accepts the basic format (without separators), a date without a time, and an hour without minutes. */
const LENIENT_PATTERN =
  /^(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<day>\d{2})(?:[Tt ](?<hour>\d{2})(?::?(?<minute>\d{2})(?::?(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?)?(?<offset>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Instants from here to before YEAR_10000 have a four-digit year in UTC. */
const YEAR_0 = Date.parse("0000-01-01T00:00:00.000Z");
const YEAR_10000 = Date.UTC(10_000, 0);

/**
 * Reads an ISO 8601 date-time of any offset and precision; without an offset it is taken as UTC.
 * Null for anything else, and for a date or time that does not exist.
 */
export function parseWireDateTime(text: string): WireDateTime | null {
  return parseCanonical(text) ?? parseAnyOffset(text);
}

/**
 * The contract's form of what `parseLenientDateTime` reads: the text itself where it has that form, as most have.
 * Null for anything else.
 */
export function normalizeDateTime(text: string): string | null {
  if (isWireDateTime(text)) return text;
  const time = parseLenientDateTime(text);
  return time === null ? null : formatWireDateTime(time.instant);
}

/**
 * Reads every ISO 8601 time that a service may send. In addition to `parseWireDateTime` it accepts the basic format
 * (`20261121T150000Z`), a date without a time (its midnight), an hour without minutes (`T15Z`) and the end of a day
 * (`T24:00:00`).
 */
export function parseLenientDateTime(text: string): WireDateTime | null {
  return parseWireDateTime(text) ?? parseLenient(text);
}

/** The contract's own form, of days that every month has. */
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Whether a text is a time in the contract's own form, of days that every month has. */
export function isWireDateTime(text: string): boolean {
  return CANONICAL.test(text);
}

/** Reads the contract's own form. Date.parse is several times as fast as the pattern of the others. */
function parseCanonical(text: string): WireDateTime | null {
  if (text.length !== "YYYY-MM-DDTHH:mm:ss.sssZ".length || !text.endsWith("Z")) return null;
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) return null;
  // Date.parse accepts the 30th of February, and other forms.
  if (!CANONICAL.test(text) && formatWireDateTime(instant) !== text) return null;
  return { instant, date: text.slice(0, 10), midnight: text.endsWith("T00:00:00.000Z") };
}

function parseAnyOffset(text: string): WireDateTime | null {
  const match = PATTERN.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = "0", fraction = "", sign, offsetHour, offsetMinute] =
    match;
  const date = `${year}-${month}-${day}`;
  if (!isCalendarDate(date)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return null;
  const clock = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === "-" ? -1 : 1);
  const instant = dateToInstant(date) + clock + milliseconds - offset * MINUTE_MS;
  // The offset may move the date out of the years 0000 to 9999.
  if (instant < YEAR_0 || instant >= YEAR_10000) return null;
  return { instant, date, midnight: clock === 0 && Number(fraction) === 0 };
}

function parseLenient(text: string): WireDateTime | null {
  const parts = LENIENT_PATTERN.exec(text)?.groups;
  if (parts === undefined) return null;
  const { year, month, day, hour = "00", minute = "00", second = "00", fraction = "0", offset = "Z" } = parts;
  const endsDay = hour === "24" && /^0+$/.test(minute + second + fraction);
  const clock = `${endsDay ? "00" : hour}:${minute}:${second}.${fraction}`;
  const time = parseWireDateTime(`${year}-${month}-${day}T${clock}${offset}`);
  return endsDay && time !== null ? nextDay(time) : time;
}

function nextDay({ instant, date, midnight }: WireDateTime): WireDateTime | null {
  const next = dateToInstant(date) + DAY_MS;
  if (next >= YEAR_10000 || instant + DAY_MS >= YEAR_10000) return null;
  return { instant: instant + DAY_MS, date: instantToDate(next), midnight };
}

/** Whether `YYYY-MM-DD` names a day that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = dateToInstant(text);
  return Number.isFinite(instant) && instantToDate(instant) === text;
}

/** Midnight UTC of `YYYY-MM-DD`, in milliseconds. */
export function dateToInstant(date: string): number {
  return Date.parse(`${date}T00:00:00.000Z`);
}

/** The UTC day of an instant as `YYYY-MM-DD`. */
export function instantToDate(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** The contract's form of an instant: UTC with milliseconds and `Z`. */
export function formatWireDateTime(instant: number): string {
  return new Date(instant).toISOString();
}

/**
 * Names that exist, in lower case, so that one spelled in 2^n ways (`eUrOpE/bErLiN`) is one entry. A remembered answer
 * only: asking Intl takes as long as a query of the database.
 */
const knownTimeZones = new Set<string>();

/** Whether this runtime knows the IANA timezone name, in upper or lower case. */
export function isTimeZone(name: string): boolean {
  if (name === "UTC") return true;
  // Newer runtimes also accept offsets, which are not names. Letters beyond ASCII may have one of ASCII in lower case. Intl
  // takes long to reject a long text; no name has half of this length.
  if (!/^[A-Za-z][\w+/-]{0,99}$/.test(name)) return false;
  const key = name.toLowerCase();
  if (knownTimeZones.has(key)) return true;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    knownTimeZones.add(key);
    return true;
  } catch {
    return false;
  }
}
