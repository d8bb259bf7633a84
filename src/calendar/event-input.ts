import { isCalendarDate, parseWireDateTime } from "../contract/date-time.js";
import { plainId } from "../contract/ids.js";
import type { Category } from "../contract/shapes.js";
import { type CliError, usageError } from "../errors.js";
import { parseInstant, parseTimeZone } from "./dates.js";
import { checkText, parseCategory } from "./event-text.js";
import type { InputTimes } from "./event-times.js";
import type { LocalizedEvent } from "./event-view.js";
import { addDays, daySpan } from "./zoned-time.js";

/** What an input object says about an event. Undefined is what it does not name. */
export interface EventInput extends InputTimes {
  readonly category?: Category | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly location?: string | undefined;
  readonly url?: string | undefined;
  /** A number, id or name, as `--label` takes it: the command resolves it. */
  readonly label?: string | undefined;
  /** Ids or names, as `--attendee` takes them: the command resolves them. An empty list means nobody. */
  readonly attendees?: readonly string[] | undefined;
  /** What the user should know about fields that have no effect. */
  readonly notes: readonly string[];
}

/** Keys of the output's event shape; those that cannot be set are read over. */
const KEYS = [
  "id",
  "calendar_id",
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
] as const satisfies readonly (keyof LocalizedEvent)[];

/**
 * Reads one event in the output's shape. Null counts as absent; id, calendar_id, creator, created_at and
 * updated_at are ignored; start_local and end_local must agree with start_at and end_at.
 * @throws CliError usage for anything but an object, for unknown keys, wrong types and values beyond the limits
 */
export function readEventInput(value: unknown, source: string): EventInput {
  const fields = readFields(value, source);
  const category = readText(fields, "category");
  const input: EventInput = {
    category: category === undefined ? undefined : parseCategory(category, `${source}: category`),
    title: readText(fields, "title"),
    all_day: readBoolean(fields, "all_day"),
    start_at: readInstant(fields, "start_at"),
    start_timezone: readTimeZone(fields, "start_timezone"),
    end_at: readInstant(fields, "end_at"),
    end_timezone: readTimeZone(fields, "end_timezone"),
    description: readText(fields, "description"),
    location: readText(fields, "location"),
    url: readText(fields, "url"),
    label: readLabel(fields),
    attendees: readAttendees(fields),
    notes: recurrenceNotes(fields),
  };
  checkText(input, source);
  checkLocalTimes(fields, input);
  return input;
}

function readFields(value: unknown, source: string): Fields {
  if (!isObject(value)) {
    throw usageError(
      `${source}: ${describeType(value)} is no event`,
      "give one JSON object, as events get prints it",
    );
  }
  const entries = Object.entries(value);
  const known: readonly string[] = KEYS;
  const unknown = entries.map(([key]) => key).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    const names = unknown.map((key) => `"${key}"`).join(", ");
    throw usageError(`${source}: an event has no ${names}`, `the keys are ${KEYS.join(", ")}`);
  }
  return { values: new Map(entries.filter(([, field]) => field !== null)), source };
}

/** The text as written, of which it is sure that it is a time with an offset. */
function readInstant(fields: Fields, key: string): string | undefined {
  const text = readText(fields, key);
  if (text !== undefined) parseInstant(text, `${fields.source}: ${key}`);
  return text?.trim();
}

function readTimeZone(fields: Fields, key: string): string | undefined {
  const name = readText(fields, key);
  return name === undefined ? undefined : parseTimeZone(name, `${fields.source}: ${key}`);
}

/** A text, a number, or an object with a number, a name or an id: the first two fit another calendar, too. */
function readLabel({ values, source }: Fields): string | undefined {
  const value = values.get("label");
  if (value === undefined) return undefined;
  const name = `${source}: label`;
  const given = isObject(value) ? (value["number"] ?? (value["name"] || value["id"])) : value;
  if (typeof given === "string" && given !== "") return given;
  if (typeof given === "number") return String(given);
  throw wrongType(name, "a number, an id, a name, or an object with one of them", value);
}

function readAttendees({ values, source }: Fields): readonly string[] | undefined {
  const value = values.get("attendees");
  if (value === undefined) return undefined;
  const name = `${source}: attendees`;
  if (!Array.isArray(value)) throw wrongType(name, "a list", value);
  return value.map((attendee: unknown, index) => {
    if (typeof attendee === "string" && attendee !== "") return attendee;
    const id = isObject(attendee) ? attendee["id"] : undefined;
    // The plain part: the user may be a member of another calendar, too.
    if (typeof id === "string" && id !== "") return plainId(id);
    throw wrongType(`${name}[${index}]`, "an id, a name, or an object with an id", attendee);
  });
}

function recurrenceNotes({ values, source }: Fields): readonly string[] {
  const value = values.get("recurrences");
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongType(`${source}: recurrences`, "a list", value);
  return value.length === 0 ? [] : [`${source}: recurrences are left out, they cannot be set`];
}

function checkLocalTimes(fields: Fields, input: EventInput): void {
  const { start_at: start, end_at: end } = input;
  const days = start === undefined ? null : daySpan({ start_at: start, end_at: end ?? null });
  const lastDay = days === null ? dayBefore(end) : days.last;
  checkLocal(fields, { key: "start", at: start, day: days?.first ?? null, allDay: input.all_day });
  checkLocal(fields, { key: "end", at: end, day: lastDay, allDay: input.all_day });
}

function dayBefore(text: string | undefined): string | null {
  const time = text === undefined ? null : parseWireDateTime(text);
  return time === null ? null : addDays(time.date, -1);
}

interface LocalTime {
  readonly key: "start" | "end";
  readonly at: string | undefined;
  /** The day it is, should the event be all-day. */
  readonly day: string | null;
  readonly allDay: boolean | undefined;
}

function checkLocal(fields: Fields, { key, at, day, allDay }: LocalTime): void {
  const local = readText(fields, `${key}_local`);
  if (local === undefined) return;
  const name = `${fields.source}: ${key}_local`;
  if (at === undefined) {
    throw usageError(`${name} is given without ${key}_at`, `${key}_at is what counts: give that`);
  }
  const agrees = isCalendarDate(local)
    ? allDay !== false && local === day
    : allDay !== true && secondOf(parseInstant(local, name)) === secondOf(parseInstant(at, name));
  if (!agrees) {
    throw usageError(
      `${name} ${local} does not agree with ${key}_at ${at}`,
      `${key}_at is what counts: change that, and leave ${key}_local out`,
    );
  }
}

/** Local times are written without fractions. */
function secondOf(instant: number): number {
  return Math.floor(instant / 1000);
}

/** Fields of a JSON object a person gave, without those that are null. */
export interface Fields {
  readonly values: ReadonlyMap<string, unknown>;
  /** What messages call the object. */
  readonly source: string;
}

/** A text, undefined where there is none. @throws CliError usage for another type */
export function readText({ values, source }: Fields, key: string): string | undefined {
  const value = values.get(key);
  if (value === undefined || typeof value === "string") return value;
  throw wrongType(`${source}: ${key}`, "text", value);
}

/** True or false, undefined where there is none. @throws CliError usage for another type */
export function readBoolean({ values, source }: Fields, key: string): boolean | undefined {
  const value = values.get(key);
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongType(`${source}: ${key}`, "true or false", value);
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for a value of the wrong type: `name` must be `wanted`. */
export function wrongType(name: string, wanted: string, value: unknown): CliError {
  return usageError(`${name} must be ${wanted}, not ${describeType(value)}`);
}

/** A value's JSON type, as messages call it. */
export function describeType(value: unknown): string {
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
