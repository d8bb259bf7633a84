import { parseWireDateTime } from "../contract/date-time.js";
import { compositeId, plainId } from "../contract/ids.js";
import type { CalendarEvent, EventDraft } from "../contract/shapes.js";
import { usageError } from "../errors.js";
import { checkFlagTexts, type EventFlags } from "./event-draft.js";
import type { EventInput } from "./event-input.js";
import {
  carryZones,
  checkSpan,
  closeSpan,
  draftTimes,
  EMPTY_SPAN,
  type EventSpan,
  missingInSpan,
  readSpan,
} from "./event-span.js";
import { missingFlags, parseCategory } from "./event-text.js";
import { applyInputTimes, applyTimeFlags } from "./event-times.js";
import { describeCandidates } from "./names.js";

const CLEARABLE = ["description", "location", "url", "attendees", "start", "end"] as const;

/** What `--clear` takes. */
export type ClearField = (typeof CLEARABLE)[number];

/** What `events update` changes. Undefined is what stays. */
export interface EventChanges extends EventFlags {
  /** `--input`: what it names changes, flags win over it. */
  readonly input?: EventInput | undefined;
  readonly clear?: readonly ClearField[] | undefined;
  /** Of `--label`, or of the label an input object names. */
  readonly labelId?: string | undefined;
  /** Of `--attendee`, or of the attendees an input object names. */
  readonly attendeeIds?: readonly string[] | undefined;
  /** Composite, of `--add-attendee`. */
  readonly addAttendeeIds?: readonly string[] | undefined;
  /** Composite, of `--remove-attendee`. */
  readonly removeAttendeeIds?: readonly string[] | undefined;
}

export interface UpdateOptions {
  /** The chosen zone, in which times without an offset are read. */
  readonly zone: string;
}

/** @throws CliError usage for what cannot be cleared */
export function parseClearField(text: string): ClearField {
  const field = CLEARABLE.find((name) => name === text);
  if (field === undefined) {
    throw usageError(`--clear: "${text}" cannot be cleared`, `what can: ${CLEARABLE.join(", ")}`);
  }
  return field;
}

/** Whether the changes name anything at all. */
export function hasChanges(changes: EventChanges): boolean {
  const { input, clear = [], addAttendeeIds = [], removeAttendeeIds = [], ...flags } = changes;
  if (clear.length + addAttendeeIds.length + removeAttendeeIds.length > 0) return true;
  const named = [flags, { ...input, notes: undefined }].flatMap((fields) => Object.values(fields));
  return named.some((value) => value !== undefined);
}

/**
 * The whole event as an update sends it, since a PUT replaces it: what is named changes, all else keeps its
 * meaning. Fields that are null are left out, ids are composite, and an all-day end that equals its start goes as
 * the next midnight. Cleared texts go empty, cleared times are left out. Times change as `draftForCreate` says,
 * with the event in the place of the input; its own zones stay unless a zone is named or it had no times.
 * @throws CliError usage, naming all missing flags at once
 */
export function draftForUpdate(
  current: CalendarEvent,
  changes: EventChanges,
  { zone }: UpdateOptions,
): EventDraft {
  const { input } = changes;
  checkFlagTexts(changes);
  refuseClearedAndGiven(changes);
  const title = changes.title ?? input?.title ?? current.title;
  const category = updatedCategory(current, changes);
  const labelId = changes.labelId ?? current.label?.id ?? null;
  const span = updatedSpan(current, changes, { zone, category });
  const missing = missingInSpan(span, category);
  if (title === null || category === null || labelId === null || missing.length > 0) {
    const unnamed = Object.entries({ "--title": title, "--category": category, "--label": labelId });
    const flags = unnamed.flatMap(([flag, value]) => (value === null ? [flag] : []));
    throw missingFlags([...flags, ...missing], missingHint(changes, flags));
  }
  checkSpan(span, zone);
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

function missingHint(changes: EventChanges, unnamed: readonly string[]): string {
  if (unnamed.length > 0)
    return "the service did not say what the event has, and an update sends the whole event";
  if (changes.allDay === false) return "an event that is all-day no more needs new times";
  return "a schedule has a start and an end, a keep both or none";
}

function refuseClearedAndGiven(changes: EventChanges): void {
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
    throw usageError(`--clear ${field}: a new value is given too`, "give one of the two");
}

function updatedCategory(current: CalendarEvent, { category, input }: EventChanges): string | null {
  if (category !== undefined) return parseCategory(category, "--category");
  return input?.category ?? current.category;
}

interface SpanOptions extends UpdateOptions {
  readonly category: string | null;
}

function updatedSpan(
  current: CalendarEvent,
  changes: EventChanges,
  { zone, category }: SpanOptions,
): EventSpan {
  const own = readSpan(current);
  const base = clearsTimes(changes, category) ? EMPTY_SPAN : applyInputTimes(own, changes.input ?? {}, zone);
  const span = closeSpan(applyTimeFlags(base, changes, zone));
  if (own.allDay === true && own.start !== null && span.start === null && !clearsTimes(changes, category)) {
    throw missingFlags(
      ["--start", "--end or --duration"],
      "an event that is all-day no more needs new times",
    );
  }
  return own.start === null && span.start !== null ? carryZones(span, zone) : span;
}

function clearsTimes({ clear = [] }: EventChanges, category: string | null): boolean {
  const [field, other] = (["start", "end"] as const).filter((name) => clear.includes(name));
  if (field === undefined) return false;
  if (category === "schedule") {
    throw usageError(`--clear ${field}: a schedule needs its times`, "only a keep can do without");
  }
  if (other === undefined) {
    throw usageError(`--clear ${field}: a keep has both times or none`, "give --clear start --clear end");
  }
  return true;
}

function updatedText(
  field: "description" | "location" | "url",
  current: CalendarEvent,
  changes: EventChanges,
): string | undefined {
  // Empty rather than absent: it clears on a service that takes a missing field for an unchanged one, too.
  if (changes.clear?.includes(field) === true) return "";
  return changes[field] ?? changes.input?.[field] ?? current[field] ?? undefined;
}

/** Composite ids; undefined when the event has no attendees and nothing is said of them. */
function updatedAttendees(current: CalendarEvent, changes: EventChanges): readonly string[] | undefined {
  const { attendeeIds, addAttendeeIds: added = [], removeAttendeeIds: removed = [], clear = [] } = changes;
  const own = current.attendees.map(({ id }) => id);
  const base = attendeeIds ?? (clear.includes("attendees") ? [] : own);
  const stranger = removed.find((id) => !hasUser(base, id));
  if (stranger !== undefined) {
    const attendees = describeCandidates(current.attendees);
    throw usageError(
      `--remove-attendee: ${stranger} is no attendee of the event`,
      attendees === "" ? "it has no attendees" : `attendees: ${attendees}`,
    );
  }
  const kept = base.filter((id) => !hasUser(removed, id));
  const all = [...kept, ...added.filter((id) => !hasUser(kept, id))];
  if (all.length === 0 && base === own && removed.length === 0) return undefined;
  return all.map((id) => compositeId(current.calendar_id, id));
}

function hasUser(ids: readonly string[], wanted: string): boolean {
  return ids.some((id) => plainId(id) === plainId(wanted));
}

/**
 * Whether an event was written since its caller saw it. One that does not say when it was written counts as
 * changed: nothing proves that it is not.
 */
export function changedSince(updatedAt: string | null, seenInstant: number): boolean {
  return updatedAt === null || parseWireDateTime(updatedAt)?.instant !== seenInstant;
}
