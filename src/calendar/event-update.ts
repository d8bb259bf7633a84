import { DAY_MS, dateToInstant, instantToDate } from "../../contract/date-time.js";
import { compositeId, plainId } from "../../contract/ids.js";
import type { CalendarEvent, EventDraft, Label, User } from "../../contract/shapes.js";
import { missingFlagsError, usageError } from "../errors.js";
import { checkDate, type DateInput, type DurationInput } from "./dates.js";
import { checkFlagTexts, type EventFlags } from "./event-draft.js";
import type { EventInput } from "./event-input.js";
import {
  checkSpan,
  draftTimes,
  EMPTY_SPAN,
  type EventSpan,
  fillEnd,
  fillZones,
  knownZone,
  missingInSpan,
  readSpan,
} from "./event-span.js";
import { afterStart, applyInputTimes, applyTimeFlags, zonesOf } from "./event-times.js";
import { describeCandidates } from "./names.js";
import { addDuration, localDate } from "./zoned-time.js";

/** The fields that an update can clear. */
export const CLEARABLE = ["description", "location", "url", "attendees", "start", "end"] as const;

/** Values of `--clear`. */
export type ClearField = (typeof CLEARABLE)[number];

/** What `events update` changes. Undefined means no change. */
export interface EventChanges extends EventFlags {
  /** `--input`: its fields change, flags win over it. */
  readonly input?: EventInput | undefined;
  /** How far the event is moved, by the clock of its own zone; negative for earlier. */
  readonly by?: DurationInput | undefined;
  readonly clear?: readonly ClearField[] | undefined;
  /** From `--label` or the label of the input. */
  readonly labelId?: string | undefined;
  /** From `--attendee` or the attendees of the input. */
  readonly attendeeIds?: readonly string[] | undefined;
  /** Composite, from `--add-attendee`. */
  readonly addAttendeeIds?: readonly string[] | undefined;
  /** Composite, from `--remove-attendee`. */
  readonly removeAttendeeIds?: readonly string[] | undefined;
}

/** @throws CliError usage for a field that cannot be cleared */
export function parseClearField(text: string): ClearField {
  const field = CLEARABLE.find((name) => name === text);
  if (field === undefined) {
    throw usageError(`--clear: "${text}" cannot be cleared`, `fields: ${CLEARABLE.join(", ")}`);
  }
  return field;
}

/** Whether anything changes. */
export function hasChanges(changes: EventChanges): boolean {
  const { input, clear = [], addAttendeeIds = [], removeAttendeeIds = [], ...flags } = changes;
  if (clear.length + addAttendeeIds.length + removeAttendeeIds.length > 0) return true;
  const named = [flags, { ...input, notes: undefined }].flatMap((fields) => Object.values(fields));
  return named.some((value) => value !== undefined);
}

/**
 * The whole event with its changes, since a PUT replaces it; everything else keeps its meaning. Null fields are
 * omitted, ids are composite, and an all-day end that equals its start is sent as the next midnight. Cleared texts are
 * sent empty, cleared times are omitted. Flags change the times of the event as they change those of an input in
 * `draftForCreate`, but only a start moves the event, a day alone as the start of a timed event keeps its time of day, and
 * `--all-day` with only a start is one day; the event keeps its zones unless a zone is given or it had no times.
 * @param zone the chosen one
 * @throws CliError usage, naming all missing flags at once
 */
export function draftForUpdate(current: CalendarEvent, changes: EventChanges, zone: string): EventDraft {
  const { input } = changes;
  checkFlagTexts(changes);
  rejectClearedAndGiven(changes);
  const title = changes.title ?? input?.title ?? current.title;
  const category = changes.category ?? input?.category ?? current.category;
  const labelId = changes.labelId ?? current.label?.id ?? null;
  const span = updatedSpan(current, changes, { zone, category });
  const missing = missingInSpan(span, category);
  if (title === null || category === null || labelId === null || missing.length > 0) {
    const unnamed = Object.entries({ "--title": title, "--category": category, "--label": labelId });
    const flags = unnamed.flatMap(([flag, value]) => (value === null ? [flag] : []));
    throw missingFlagsError([...flags, ...missing], missingHint(changes, flags));
  }
  checkSpan(span, zonesOf(changes, zone));
  return {
    category,
    title,
    ...draftTimes(span),
    description: updatedText("description", current, changes),
    location: updatedText("location", current, changes),
    url: updatedText("url", current, changes),
    label_id: compositeId(current.calendar_id, labelId),
    attendee_ids: updatedAttendees(current, changes),
  };
}

/** The event as an update leaves it, with what is known of its label and attendees. */
export function eventOfDraft(
  current: CalendarEvent,
  draft: EventDraft,
  { labels, members }: { readonly labels: readonly Label[]; readonly members: readonly User[] },
): CalendarEvent {
  const { label_id: labelId, attendee_ids: attendeeIds, ...fields } = draft;
  const composite = (id: string): string => compositeId(current.calendar_id, id);
  const users = [...members, ...current.attendees];
  const label = [...labels, current.label].find((each) => each !== null && composite(each.id) === labelId);
  return {
    ...current,
    category: fields.category,
    title: fields.title,
    all_day: fields.all_day ?? null,
    start_at: fields.start_at ?? null,
    start_timezone: fields.start_timezone ?? null,
    end_at: fields.end_at ?? null,
    end_timezone: fields.end_timezone ?? null,
    recurrences: fields.recurrences ?? current.recurrences,
    description: fields.description ?? null,
    location: fields.location ?? null,
    url: fields.url ?? null,
    label: label ?? current.label,
    attendees:
      attendeeIds?.flatMap((id) => users.find((user) => composite(user.id) === id) ?? []) ??
      current.attendees,
  };
}

/** An event as one of another calendar, and who cannot attend it there. */
export function placeEvent(event: CalendarEvent, calendarId: string, members: readonly User[]) {
  const ids = members.map(({ id }) => id);
  const attendees = event.attendees
    .filter(({ id }) => hasUser(ids, id))
    .map((user) => ({ ...user, id: compositeId(calendarId, plainId(user.id)) }));
  const leftOut = event.attendees.filter(({ id }) => !hasUser(ids, id));
  return { placed: { ...event, calendar_id: calendarId, attendees }, leftOut };
}

const NEW_TIMES_HINT = "an event that is no longer all-day needs new times";

function missingHint(changes: EventChanges, unnamed: readonly string[]): string {
  if (unnamed.length > 0)
    return "the service did not send these fields of the event, and an update must include them";
  if (changes.allDay === false) return NEW_TIMES_HINT;
  return "a schedule has a start and an end, a keep both or neither";
}

function rejectClearedAndGiven(changes: EventChanges): void {
  const given: Readonly<Record<ClearField, unknown>> = {
    description: changes.description,
    location: changes.location,
    url: changes.url,
    attendees: changes.attendeeIds,
    start: changes.start,
    end: changes.end ?? changes.duration,
  };
  const field = changes.clear?.find((name) => given[name] !== undefined);
  if (field !== undefined)
    throw usageError(`--clear ${field}: a new value is given too`, "use only one of them");
}

function updatedSpan(
  current: CalendarEvent,
  given: EventChanges,
  { zone, category }: { readonly zone: string; readonly category: string | null },
): EventSpan {
  const own = readSpan(current);
  const changes = { ...given, start: movedStart(own, given, zone) };
  const base = clearsTimes(changes, category) ? EMPTY_SPAN : applyInputTimes(own, changes.input ?? {}, zone);
  const flagged = applyTimeFlags(base, changes, zone);
  const span = fillEnd({ ...flagged, end: updatedEnd(own, flagged, changes) });
  if (own.allDay === true && own.start !== null && span.start === null && !clearsTimes(changes, category)) {
    throw missingFlagsError(["--start", "--end or --duration"], NEW_TIMES_HINT);
  }
  return own.start === null && span.start !== null ? fillZones(span, zone) : span;
}

/** The start as given, of a day alone with the event's time of day, or by how far it is moved. */
function movedStart(own: EventSpan, changes: EventChanges, zone: string): DateInput | undefined {
  const { by, start, end, duration, allDay, startTimezone, input, clear = [] } = changes;
  const isAllDay = allDay ?? input?.all_day;
  if (by !== undefined) {
    const times = [start, end, duration, isAllDay, input?.start_at, input?.end_at];
    if (times.some((time) => time !== undefined) || clear.includes("start"))
      throw usageError("--by moves the event as it is", "give no other times and no --all-day beside it");
    if (own.start === null) throw usageError("--by: the event has no times to move");
    const instant = afterStart({ ...own, start: own.start }, by, { zone, flag: "--by" });
    if (own.allDay !== true) return { kind: "date-time", text: by.text, instant };
    const date = instantToDate(instant);
    checkDate(date, "--by");
    return { kind: "date", text: by.text, date };
  }
  if (start?.kind !== "date" || own.start === null || own.allDay === true || isAllDay === true) return start;
  // Days later by the clock of its own zone, where the day is that of the zone in which it was typed.
  const day = dateToInstant(localDate(own.start, startTimezone ?? zone));
  const days = (dateToInstant(start.date) - day) / DAY_MS;
  const instant = addDuration(own.start, { days, minutes: 0 }, knownZone(own.startTimezone, zone));
  return { kind: "date-time", text: start.text, instant };
}

/**
 * Whether the event moves and keeps its length: only its start is given, or how far it moves, and no flag or field of the
 * input makes it all-day or timed.
 */
export function movesEvent({ start, by, end, duration, allDay, input }: EventChanges): boolean {
  const others = [end, duration, allDay, input?.end_at, input?.all_day];
  return (start ?? by) !== undefined && others.every((other) => other === undefined);
}

/** The new end; null if it must be filled in. */
function updatedEnd(own: EventSpan, { start, end }: EventSpan, changes: EventChanges): number | null {
  const newDay = changes.allDay === true && changes.start !== undefined;
  if (newDay && changes.end === undefined && changes.duration === undefined) return null;
  if (!movesEvent(changes) || start === null || own.start === null || own.end === null) return end;
  return start + own.end - own.start;
}

function clearsTimes({ clear = [] }: EventChanges, category: string | null): boolean {
  const [field, other] = (["start", "end"] as const).filter((name) => clear.includes(name));
  if (field === undefined) return false;
  if (category === "schedule") {
    throw usageError(`--clear ${field}: a schedule needs its times`, "only a keep can have none");
  }
  if (other === undefined) {
    throw usageError(`--clear ${field}: a keep has both times or neither`, "give --clear start --clear end");
  }
  return true;
}

function updatedText(
  field: "description" | "location" | "url",
  current: CalendarEvent,
  changes: EventChanges,
): string | undefined {
  // Empty, not omitted: also clears it on a service that treats an omitted field as unchanged.
  if (changes.clear?.includes(field) === true) return "";
  return changes[field] ?? changes.input?.[field] ?? current[field] ?? undefined;
}

/** Composite ids; undefined when the event has no attendees and none are given. */
function updatedAttendees(current: CalendarEvent, changes: EventChanges): readonly string[] | undefined {
  const { attendeeIds, addAttendeeIds: added = [], removeAttendeeIds: removed = [], clear = [] } = changes;
  const own = current.attendees.map(({ id }) => id);
  const base = attendeeIds ?? (clear.includes("attendees") ? [] : own);
  const unknown = removed.find((id) => !hasUser(base, id));
  if (unknown !== undefined) {
    const attendees = describeCandidates(current.attendees);
    throw usageError(
      `--remove-attendee: ${unknown} is not an attendee of the event`,
      attendees === "" ? "it has no attendees" : `attendees: ${attendees}`,
    );
  }
  const kept = base.filter((id) => !hasUser(removed, id));
  const all = [...kept, ...added.filter((id) => !hasUser(kept, id))];
  if (all.length === 0 && base === own && removed.length === 0) return undefined;
  return all.map((id) => compositeId(current.calendar_id, id));
}

function hasUser(ids: readonly string[], user: string): boolean {
  return ids.some((id) => plainId(id) === plainId(user));
}
