import * as v from "valibot";
import { EVENT_RULES, type EventBody, eventBodySchema, URL_RULES } from "../../contract/bodies.js";
import { dateToInstant, parseWireDateTime } from "../../contract/date-time.js";
import { calendarOfId, plainId } from "../../contract/ids.js";
import { isJsonObject } from "../../contract/json.js";
import { MAX_ATTENDEES } from "../../contract/limits.js";
import { badRequest, excerpt } from "../http/response.js";
import type { EventContent } from "../store/schema.js";

/** What an event of a calendar may refer to. */
export interface AllowedReferences {
  readonly calendarId: string;
  readonly labelNumbers: ReadonlySet<number>;
  /** Plain ids of the members, who may attend. */
  readonly userIds: ReadonlySet<string>;
  /** What the event had before an update, which may stay: attendees who left the calendar, a URL from before a limit. */
  readonly stored?: { readonly url: string; readonly attendeeIds: ReadonlySet<string> };
}

/** The writable columns of an event. */
export type EventColumns = Omit<
  EventContent,
  "id" | "calendar_id" | "creator_id" | "created_at" | "updated_at" | "series_id" | "slot" | "recurrences"
>;

export interface ParsedEvent {
  readonly content: EventColumns;
  /** Plain ids in the order given, without duplicates. */
  readonly attendeeIds: readonly string[];
  /** Lines that were not read yet; null where there are none, so that a series stays as it is. */
  readonly recurrences: readonly string[] | null;
}

/**
 * Parses the body of a create or an update. Optional fields that are missing are cleared.
 * @throws ProblemError 400 with every invalid field
 */
export function parseEventBody(body: unknown, references: AllowedReferences): ParsedEvent {
  if (countListedAttendees(body) > Math.max(MAX_LISTED_ATTENDEES, references.stored?.attendeeIds.size ?? 0)) {
    throw badRequest({ attendees: [TOO_MANY_ATTENDEES] });
  }
  const { output, issues, success } = v.safeParse(eventBodySchema, body);
  const errors = collectFieldErrors(issues);
  const { attributes, relationships } = validFields(output, errors);
  checkRules(errors, attributes, EVENT_RULES);
  if (attributes.url !== references.stored?.url) checkRules(errors, attributes, URL_RULES);
  checkText(errors, attributes);
  checkReferences(errors, relationships, references);
  if (!success || errors.size > 0) throw badRequest(toFieldErrors(errors));
  const { label, attendees } = output.data.relationships;
  return {
    content: { label_number: Number(plainId(label.data.id)), ...eventContent(output.data.attributes) },
    attendeeIds: [...new Set(attendees?.data.map(({ id }) => plainId(id)))],
    recurrences: output.data.attributes.recurrences ?? null,
  };
}

const TOO_MANY_ATTENDEES = `must be at most ${MAX_ATTENDEES} users`;

/** Attendees that are checked one by one. Some may be listed more than once. */
const MAX_LISTED_ATTENDEES = 5 * MAX_ATTENDEES;

function countListedAttendees(body: unknown): number {
  const list = ["data", "relationships", "attendees", "data"].reduce<unknown>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    body,
  );
  return Array.isArray(list) ? list.length : 0;
}

interface ValidFields {
  readonly attributes: Partial<EventBody["data"]["attributes"]>;
  readonly relationships: Partial<EventBody["data"]["relationships"]>;
}

/** The fields without errors, whose rules and references can be checked as well. */
function validFields(output: unknown, errors: FieldErrorMap): ValidFields {
  if (errors.has("data")) return { attributes: {}, relationships: {} };
  // What valibot reports no error for has the type that the schema declares.
  const { data } = output as EventBody;
  const select = (part: keyof ValidFields) => {
    const fields: object = errors.has(part) ? {} : data[part];
    return Object.fromEntries(Object.entries(fields).filter(([field]) => !errors.has(field)));
  };
  return { attributes: select("attributes"), relationships: select("relationships") };
}

function checkRules(
  errors: FieldErrorMap,
  attributes: ValidFields["attributes"],
  rules: typeof EVENT_RULES,
): void {
  const invalid = new Set(errors.keys());
  for (const { field, problem, broken } of rules) {
    if (!invalid.has(field) && broken(attributes)) addFieldError(errors, field, problem);
  }
}

function checkText(errors: FieldErrorMap, attributes: ValidFields["attributes"]): void {
  for (const field of ["title", "description", "location", "url"] as const) {
    const problem = textProblem(attributes[field] ?? "");
    if (problem !== null) addFieldError(errors, field, problem);
  }
}

function checkReferences(
  errors: FieldErrorMap,
  { label, attendees }: ValidFields["relationships"],
  { calendarId, labelNumbers, userIds, stored }: AllowedReferences,
): void {
  const isOfCalendar = (id: string) => [null, calendarId].includes(calendarOfId(id));
  const isLabel = (id: string) =>
    isOfCalendar(id) && /^[1-9]\d*$/.test(plainId(id)) && labelNumbers.has(Number(plainId(id)));
  if (label !== undefined && !isLabel(label.data.id)) {
    addFieldError(errors, "label", `"${excerpt(label.data.id)}" is not a label of this calendar`);
  }
  const ids = attendees?.data.map(({ id }) => id) ?? [];
  const joining = ids.filter((id) => !isOfCalendar(id) || stored?.attendeeIds.has(plainId(id)) !== true);
  if (joining.length > 0 && new Set(ids.map(plainId)).size > MAX_ATTENDEES) {
    addFieldError(errors, "attendees", TOO_MANY_ATTENDEES);
    return;
  }
  for (const id of joining) {
    if (!isOfCalendar(id) || !userIds.has(plainId(id))) {
      addFieldError(errors, "attendees", `"${excerpt(id)}" is not a member of this calendar`);
    }
  }
}

type EventTimes = Pick<EventColumns, "start_at" | "start_timezone" | "end_at" | "end_timezone">;

function eventContent(event: EventBody["data"]["attributes"]): Omit<EventColumns, "label_number"> {
  return {
    category: event.category,
    title: event.title,
    all_day: event.all_day === true ? 1 : 0,
    ...eventTimes(event),
    description: event.description ?? "",
    location: event.location ?? "",
    url: event.url ?? "",
  };
}

/** All-day events are dates: the date is taken as written, whatever the offset. */
function eventTimes(event: EventBody["data"]["attributes"]): EventTimes {
  const start = parseWireDateTime(event.start_at ?? "");
  const end = parseWireDateTime(event.end_at ?? "");
  if (start === null || end === null) {
    return { start_at: null, start_timezone: null, end_at: null, end_timezone: null };
  }
  return {
    start_at: event.all_day === true ? dateToInstant(start.date) : start.instant,
    start_timezone: event.start_timezone ?? "UTC",
    end_at: event.all_day === true ? dateToInstant(end.date) : end.instant,
    end_timezone: event.end_timezone ?? "UTC",
  };
}

/** Field -> messages. */
export type FieldErrorMap = Map<string, Set<string>>;

function addFieldError(errors: FieldErrorMap, field: string, message: string): void {
  errors.set(field, (errors.get(field) ?? new Set()).add(message));
}

/** How many messages problem details list for a field. */
const MAX_MESSAGES = 5;

/** The errors as problem details list them: the first of each field, and how many more there are. */
export function toFieldErrors(errors: FieldErrorMap): Record<string, string[]> {
  const limited = [...errors].map(([field, messages]) => {
    const more = messages.size - MAX_MESSAGES;
    return [field, [...[...messages].slice(0, MAX_MESSAGES), ...(more > 0 ? [`and ${more} more`] : [])]];
  });
  return Object.fromEntries(limited);
}

/** The errors of a body `{data: {attributes, relationships}}` by field, such as `title`. */
export function collectFieldErrors(issues: readonly v.BaseIssue<unknown>[] = []): FieldErrorMap {
  const errors: FieldErrorMap = new Map();
  for (const issue of issues) {
    const path = issue.path ?? [];
    const list = path.findIndex(({ type, input }) => type === "object" && Array.isArray(input));
    const keys = path.slice(0, list === -1 ? undefined : list).map(({ key }) => String(key));
    // data.attributes.title is `title`, and so is everything below it.
    const field = keys.slice(0, 3).at(-1) ?? "data";
    addFieldError(errors, field, list === -1 ? fieldMessage(issue, keys.length) : issue.message);
  }
  return errors;
}

/** valibot reports a missing member with the message of its parent, and accepts an array as an object without members. */
function fieldMessage(issue: v.BaseIssue<unknown>, depth: number): string {
  const missing = issue.type === "object" && issue.input === undefined && depth <= 3;
  return missing ? "is required" : issue.message;
}

const NUL_OR_SURROGATE = /[\0\p{Surrogate}]/u;

/** Why text cannot be stored, null if it can: databases end text at NUL and cannot encode an unpaired surrogate. */
export function textProblem(text: string): string | null {
  return NUL_OR_SURROGATE.test(text) ? "must not contain NUL or unpaired surrogates" : null;
}
