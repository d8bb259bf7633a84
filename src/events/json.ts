import { isCalendarDate, parseWireDateTime } from "../../contract/date-time.js";
import { plainId } from "../../contract/ids.js";
import { isJsonObject } from "../../contract/json.js";
import { type CliError, usageError } from "../errors.js";
import { parseInstant, parseTimeZone } from "../time/dates.js";
import { addDays, daySpan } from "../time/zoned-time.js";
import type { LocalizedEvent } from "./localized-event.js";
import { type Named, namedLabel } from "./names.js";
import { parseCategory, type ReadFields, type WrittenPatch, type WrittenTimes } from "./patch.js";

/** A JSON object as a patch. */
export interface EventInput {
  readonly patch: WrittenPatch;
  /** Notes for the user about fields that have no effect. */
  readonly notes: readonly string[];
}

/** Keys of an event in the output; those that cannot be set are ignored. */
const KEYS = [
  "id",
  "calendar_id",
  "calendar_name",
  "category",
  "title",
  "all_day",
  "start_at",
  "start_timezone",
  "end_at",
  "end_timezone",
  "start_local",
  "end_local",
  "recurrences",
  "description",
  "location",
  "url",
  "created_at",
  "updated_at",
  "creator",
  "label",
  "attendees",
  "series_id",
] as const satisfies readonly (keyof LocalizedEvent)[];

type Key = (typeof KEYS)[number];

/** An object of `events create --input`, without the key under which it is made once. */
interface KeyedInput {
  readonly fields: unknown;
  readonly key: string | undefined;
  /** Null where there is none. */
  readonly title: string | null;
}

/** @throws CliError usage for a key that is no text */
export function readKeyedInput(value: unknown, source: string): KeyedInput {
  if (!isJsonObject(value)) return { fields: value, key: undefined, title: null };
  const { key: _, ...fields } = value;
  const { title } = fields;
  return {
    fields,
    key: readText(readMembers(value, source), "key"),
    title: typeof title === "string" ? title : null,
  };
}

/**
 * Reads one event as the output prints it. Null counts as absent; id, calendar_id, calendar_name, creator,
 * created_at and updated_at are ignored; start_local and end_local must agree with start_at and end_at.
 * @param readZone reads the name of a zone; throws for a text that is none
 * @throws CliError usage for anything but an object, for unknown keys and for wrong types
 */
export function readEventInput(value: unknown, source: string, readZone = parseTimeZone): EventInput {
  const fields = readFields(value, source);
  const readTimeZone = (key: Key): string | undefined => {
    const name = readText(fields, key);
    return name === undefined ? undefined : readZone(name, `${source}: ${key}`);
  };
  const category = readText(fields, "category");
  const { notes, recurrences, isSeries } = readRecurrences(fields);
  const patch: ReadFields & Required<WrittenTimes> = {
    source,
    category: category === undefined ? undefined : parseCategory(category, `${source}: category`),
    title: readText(fields, "title"),
    allDay: readBoolean(fields, "all_day"),
    start: readInstant(fields, "start_at"),
    startTimezone: readTimeZone("start_timezone"),
    end: readInstant(fields, "end_at"),
    endTimezone: readTimeZone("end_timezone"),
    description: readText(fields, "description"),
    location: readText(fields, "location"),
    url: readText(fields, "url"),
    label: readLabel(fields),
    attendees: readAttendees(fields),
    recurrences,
    isSeries,
  };
  checkLocalTimes(fields, patch);
  return { patch, notes };
}

function readFields(value: unknown, source: string): Fields {
  if (!isJsonObject(value)) {
    throw usageError(
      `${source}: ${describeType(value)} is not an event`,
      "pass one JSON object, as events get prints it",
    );
  }
  const known: readonly string[] = KEYS;
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    const meant = (key: string) => (known.includes(`${key}_at`) ? ` (write "${key}_at")` : "");
    const names = unknown.map((key) => `"${key}"${meant(key)}`).join(", ");
    throw usageError(`${source}: an event has no ${names}`, `the keys are ${KEYS.join(", ")}`);
  }
  return readMembers(value, source);
}

function readMembers(value: object, source: string): Fields {
  return { values: new Map(Object.entries(value).filter(([, field]) => field !== null)), source };
}

/** The text of a date and time with an offset. */
function readInstant(fields: Fields, key: Key): string | undefined {
  const text = readText(fields, key);
  if (text !== undefined) parseInstant(text, `${fields.source}: ${key}`);
  return text?.trim();
}

/** A text, a number, or an object as the output has it, which may be of another calendar. */
function readLabel({ values, source }: Fields): Named | undefined {
  const value = values.get("label");
  if (value === undefined) return undefined;
  const name = `${source}: label`;
  if (isJsonObject(value) && typeof value["id"] === "string" && value["id"].includes(",")) {
    const { id, number } = value;
    const printed = {
      id,
      name: typeof value["name"] === "string" ? value["name"] : null,
      number: typeof number === "number" ? number : null,
    };
    return namedLabel(printed, name);
  }
  const given = isJsonObject(value) ? (value["number"] ?? (value["name"] || value["id"])) : value;
  if (typeof given === "string" && given !== "") return { value: given, source: name };
  if (typeof given === "number") return { value: String(given), source: name };
  throw wrongType(name, "a number, an id, a name, or an object with one of them", value);
}

function readAttendees({ values, source }: Fields): readonly Named[] | undefined {
  const value = values.get("attendees");
  if (value === undefined) return undefined;
  const name = `${source}: attendees`;
  if (!Array.isArray(value)) throw wrongType(name, "a list", value);
  return value.map((attendee: unknown, index) => {
    if (typeof attendee === "string" && attendee !== "") return { value: attendee, source: name };
    const id = isJsonObject(attendee) ? attendee["id"] : undefined;
    // The plain part, which works in other calendars too.
    if (typeof id === "string" && id !== "") return { value: plainId(id), source: name };
    throw wrongType(`${name}[${index}]`, "an id, a name, or an object with an id", attendee);
  });
}

/** Of one event of a series, which not every service says it is, they are those of the whole. */
function readRecurrences({ values, source }: Fields) {
  const value: unknown = values.get("recurrences") ?? [];
  if (!Array.isArray(value)) throw wrongType(`${source}: recurrences`, "a list", value);
  const lines = value.map((line: unknown, index) => {
    if (typeof line === "string") return line;
    throw wrongType(`${source}: recurrences[${index}]`, "text", line);
  });
  const [id, seriesId] = [values.get("id"), values.get("series_id")];
  if (lines.length === 0) return { recurrences: undefined, isSeries: undefined, notes: [] };
  if (id === seriesId) return { recurrences: lines, isSeries: id !== undefined, notes: [] };
  return {
    recurrences: undefined,
    isSeries: undefined,
    notes: [`${source}: it is one event of a series, whose recurrences are ignored`],
  };
}

function checkLocalTimes(fields: Fields, { start, end, allDay }: WrittenTimes): void {
  const days = start === undefined ? null : daySpan({ start_at: start, end_at: end ?? null });
  const lastDay = days === null ? dayBefore(end) : days.last;
  checkLocal(fields, { key: "start", at: start, day: days?.first ?? null, allDay });
  checkLocal(fields, { key: "end", at: end, day: lastDay, allDay });
}

function dayBefore(text: string | undefined): string | null {
  const time = text === undefined ? null : parseWireDateTime(text);
  return time === null ? null : addDays(time.date, -1);
}

interface LocalTime {
  readonly key: "start" | "end";
  readonly at: string | undefined;
  /** The day if the event is all-day. */
  readonly day: string | null;
  readonly allDay: boolean | undefined;
}

function checkLocal(fields: Fields, { key, at, day, allDay }: LocalTime): void {
  const local = readText(fields, `${key}_local`);
  if (local === undefined) return;
  const name = `${fields.source}: ${key}_local`;
  if (at === undefined) {
    throw usageError(`${name} is given without ${key}_at`, `write ${key}_at instead`);
  }
  const agrees = isCalendarDate(local)
    ? allDay !== false && local === day
    : allDay !== true && secondOf(parseInstant(local, name)) === secondOf(parseInstant(at, name));
  if (!agrees) {
    throw usageError(
      `${name} ${local} does not match ${key}_at ${at}`,
      `change ${key}_at, and remove ${key}_local`,
    );
  }
}

/** Local times have no fractions of a second. */
function secondOf(instant: number): number {
  return Math.floor(instant / 1000);
}

/** Fields of a JSON object, without those that are null. */
interface Fields {
  readonly values: ReadonlyMap<string, unknown>;
  /** How messages name the object. */
  readonly source: string;
}

/** A text, or undefined if absent. @throws CliError usage for another type */
function readText({ values, source }: Fields, key: Key | "key"): string | undefined {
  const value = values.get(key);
  if (value === undefined || typeof value === "string") return value;
  throw wrongType(`${source}: ${key}`, "text", value);
}

/** A boolean, or undefined if absent. @throws CliError usage for another type */
function readBoolean({ values, source }: Fields, key: Key): boolean | undefined {
  const value = values.get(key);
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongType(`${source}: ${key}`, "true or false", value);
}

/** The error for a value that does not have the expected type. */
function wrongType(name: string, expected: string, value: unknown): CliError {
  return usageError(`${name} must be ${expected}, not ${describeType(value)}`);
}

/** How messages name a value's JSON type. */
function describeType(value: unknown): string {
  if (value === null) return "null";
  if (value === "") return "an empty text";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a text";
    case "number":
      return "a number";
    case "boolean":
      return String(value);
    default:
      return "an object";
  }
}
