import * as v from "valibot";
import { EVENT_RULES, type EventBody, eventBodySchema } from "../../contract/bodies.js";
import { dateToInstant, parseWireDateTime } from "../../contract/date-time.js";
import { calendarOfId, plainId } from "../../contract/ids.js";
import { badRequest } from "../http/reply.js";
import type { EventRow } from "../store/schema.js";

/** What an event of a calendar may refer to. */
export interface EventReferences {
  readonly calendarId: string;
  readonly labelNumbers: ReadonlySet<number>;
  /** Plain ids of who may attend. */
  readonly userIds: ReadonlySet<string>;
}

/** The writable columns of an event. */
export type EventContent = Omit<EventRow, "id" | "calendar_id" | "creator_id" | "created_at" | "updated_at">;

export interface EventInput {
  readonly content: EventContent;
  /** Plain ids, none twice, in the order given. */
  readonly attendeeIds: readonly string[];
}

/**
 * Reads the body of a create or an update. Optional fields that are left out are cleared.
 * @throws ProblemError 400 with every field that is wrong
 */
export function parseEventBody(body: unknown, references: EventReferences): EventInput {
  const { output, issues, success } = v.safeParse(eventBodySchema, body);
  const errors = collectFieldErrors(issues);
  const legible = v.parse(legibleBodySchema, body)?.data;
  checkRules(errors, legible?.attributes);
  checkText(errors, legible?.attributes);
  checkReferences(errors, legible?.relationships, references);
  if (!success || errors.size > 0) throw badRequest(listFieldErrors(errors));
  const { label, attendees } = output.data.relationships;
  return {
    content: { ...eventContent(output.data.attributes), label_number: Number(plainId(label.data.id)) },
    attendeeIds: [...new Set(attendees?.data.map(({ id }) => plainId(id)))],
  };
}

const { attributes, relationships } = eventBodySchema.entries.data.entries;

function whereLegible<S extends v.GenericSchema>(schema: S) {
  return v.fallback(v.optional(schema), undefined);
}

/** What of a body can be read although other parts of it are wrong. */
const legibleBodySchema = whereLegible(
  v.object({
    data: whereLegible(
      v.object({
        attributes: whereLegible(
          v.object({
            title: whereLegible(attributes.entries.title),
            category: whereLegible(attributes.entries.category),
            all_day: whereLegible(attributes.entries.all_day),
            start_at: whereLegible(attributes.entries.start_at),
            end_at: whereLegible(attributes.entries.end_at),
            description: whereLegible(attributes.entries.description),
            location: whereLegible(attributes.entries.location),
            url: whereLegible(attributes.entries.url),
          }),
        ),
        relationships: whereLegible(
          v.object({
            label: whereLegible(relationships.entries.label),
            attendees: whereLegible(relationships.entries.attendees),
          }),
        ),
      }),
    ),
  }),
);

type LegibleData = NonNullable<NonNullable<v.InferOutput<typeof legibleBodySchema>>["data"]>;

function checkRules(errors: FieldErrorMap, legible: LegibleData["attributes"]): void {
  if (legible === undefined) return;
  const { category, all_day, start_at, end_at } = legible;
  const judged = { all_day, start_at, end_at, ...(category !== undefined && { category }) };
  const illegible = new Set(errors.keys());
  for (const { field, problem, broken } of EVENT_RULES) {
    if (!illegible.has(field) && broken(judged)) addFieldError(errors, field, problem);
  }
}

function checkText(errors: FieldErrorMap, legible: LegibleData["attributes"]): void {
  for (const field of ["title", "description", "location", "url"] as const) {
    const problem = unstorableText(legible?.[field] ?? "");
    if (problem !== null) addFieldError(errors, field, problem);
  }
}

function checkReferences(
  errors: FieldErrorMap,
  legible: LegibleData["relationships"],
  { calendarId, labelNumbers, userIds }: EventReferences,
): void {
  const isOfCalendar = (id: string) => [null, calendarId].includes(calendarOfId(id));
  const label = legible?.label?.data.id;
  if (
    label !== undefined &&
    !(isOfCalendar(label) && /^[1-9]\d*$/.test(plainId(label)) && labelNumbers.has(Number(plainId(label))))
  ) {
    addFieldError(errors, "label", `"${label}" is no label of this calendar`);
  }
  for (const { id } of legible?.attendees?.data ?? []) {
    if (!isOfCalendar(id) || !userIds.has(plainId(id))) {
      addFieldError(errors, "attendees", `"${id}" is no member of this calendar`);
    }
  }
}

type EventTimes = Pick<EventContent, "start_at" | "start_timezone" | "end_at" | "end_timezone">;

function eventContent(event: EventBody["data"]["attributes"]): Omit<EventContent, "label_number"> {
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

/** An all-day event is a date: the date part as written counts, whatever the offset. */
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

/** Field -> what is wrong with it, as it is collected. */
export type FieldErrorMap = Map<string, Set<string>>;

export function addFieldError(errors: FieldErrorMap, field: string, message: string): void {
  errors.set(field, (errors.get(field) ?? new Set()).add(message));
}

/** The collected errors as problem details hold them. */
export function listFieldErrors(errors: FieldErrorMap): Record<string, string[]> {
  return Object.fromEntries([...errors].map(([field, messages]) => [field, [...messages]]));
}

/** The wrong fields of a body `{data: {attributes, relationships}}`, by their bare names. */
export function collectFieldErrors(issues: readonly v.BaseIssue<unknown>[] = []): FieldErrorMap {
  const errors: FieldErrorMap = new Map();
  for (const issue of issues) {
    const path = issue.path ?? [];
    const list = path.findIndex(({ type, input }) => type === "object" && Array.isArray(input));
    const keys = path.slice(0, list === -1 ? undefined : list).map(({ key }) => String(key));
    // data.attributes.title is title; of what lies deeper, the field it lies in.
    const field = keys.slice(0, 3).at(-1) ?? "data";
    addFieldError(errors, field, list === -1 ? fieldMessage(issue, keys.length) : issue.message);
  }
  return errors;
}

/** valibot words a missing member as if its parent were no object, and takes a list for an object without members. */
function fieldMessage(issue: v.BaseIssue<unknown>, depth: number): string {
  const missing = issue.type === "object" && issue.input === undefined && depth <= 3;
  return missing ? "is required" : issue.message;
}

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Null, or why text cannot be stored: databases end it at a NUL and have no place for half a surrogate pair. */
export function unstorableText(text: string): string | null {
  return UNSTORABLE.test(text) ? "must not contain NUL or unpaired surrogates" : null;
}
