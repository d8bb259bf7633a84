import { DAY_MS, dateToInstant, instantToDate } from "../../contract/date-time.js";
import { compositeId, plainId } from "../../contract/ids.js";
import type { Event, EventDraft } from "../../contract/shapes.js";
import { asUsageError, type CliError, joinUsageErrors, missingFlagsError, usageError } from "../errors.js";
import { checkDate, type DateInput, type DurationInput } from "../time/dates.js";
import { addDays, addDuration, formatLocal, formatTyped, localDate } from "../time/zoned-time.js";
import { describeCandidates } from "./names.js";
import { checkPatch, type EventPatch, isTyped, said, type TextField, type TypedPatch } from "./patch.js";
import { fromRuleStart } from "./repeat/series.js";
import {
  afterStart,
  applyTimes,
  draftTimes,
  EMPTY_SPAN,
  type EventSpan,
  fillEnd,
  fillZones,
  knownZone,
  namedTimes,
  readSpan,
} from "./times.js";

/**
 * From what inputs say of an event to what is sent: a new one (`draft`), or one that is there (`changes`). The rules of the
 * contract are checked here. Of several patches a later one wins over the same field of an earlier one; its times change
 * those of the earlier ones.
 */

/** What is not said about a new event. */
interface DraftDefaults {
  /** An IANA name. */
  readonly zone: string;
  /** How long a timed event is without an end. */
  readonly length: DurationInput;
}

const CREATE_HINT = 'for example: calctl events create --title Dentist --start "tomorrow 15:00"';

/**
 * A new event. `--start` and `--end` replace only that time of an input, `--duration` the end, `--all-day` takes the days of
 * the input's times (in the input's zones), and `--no-all-day` drops the days of an all-day input, so that new times are
 * needed. Only zone flags change the zones and keep the instants.
 * @throws CliError usage, naming all missing flags at once
 */
export function draft<Ref>(patches: readonly EventPatch<Ref>[], defaults: DraftDefaults): EventDraft<Ref> {
  patches.forEach(checkPatch);
  const category = said(patches, "category") ?? "schedule";
  const title = said(patches, "title");
  const missing = missingForDraft(patches);
  const timesOf = () => newTimes(patches.map(fromFirstStart), { ...defaults, category });
  if (title === undefined || missing.length > 0) {
    const wrong = missing.every((flag) => flag === "--title") ? problemsOf(timesOf) : [];
    throw joinUsageErrors([...wrong, missingFlagsError(missing, CREATE_HINT)]);
  }
  return {
    category,
    title,
    ...timesOf(),
    description: said(patches, "description") ?? undefined,
    location: said(patches, "location") ?? undefined,
    url: said(patches, "url") ?? undefined,
    recurrences: said(patches, "recurrences"),
    label: said(patches, "label"),
    attendees: said(patches, "attendees"),
  };
}

/** A series that is printed shows its first event, and those before are excepted. */
function fromFirstStart<Ref>(patch: EventPatch<Ref>): EventPatch<Ref> {
  if (isTyped(patch) || patch.isSeries !== true || patch.start === undefined) return patch;
  const { start, end, recurrences } = patch;
  const first = fromRuleStart({ start_at: start, end_at: end ?? start, recurrences });
  return { ...patch, start: first.start_at, end: end && first.end_at };
}

function problemsOf(read: () => void): readonly CliError[] {
  try {
    read();
    return [];
  } catch (error) {
    return [asUsageError(error)];
  }
}

/**
 * The times of a new event. The end of an all-day event is the midnight after its last day and its zone `UTC`; other events
 * get the zones their times were read in. All fields are undefined for a keep without times.
 * @param options with the chosen zone, and the length of a timed event without an end
 * @throws CliError usage for times that are missing or do not fit together
 */
export function newTimes(
  patches: readonly EventPatch<unknown>[],
  { category, zone, length }: Partial<DraftDefaults> & { readonly category: string; readonly zone: string },
) {
  const given = newSpan(patches, zone);
  const { start, end } = given;
  const span =
    start !== null && end === null && length !== undefined
      ? { ...given, end: afterStart({ ...given, start }, length, { zone, flag: "--duration" }) }
      : given;
  const missing = missingInSpan(span, category);
  if (missing.length > 0) throw missingFlagsError(missing);
  checkSpan(span, { start: knownZone(span.startTimezone, zone), end: knownZone(span.endTimezone, zone) });
  if (span.start === null) return draftTimes(EMPTY_SPAN);
  if (span.allDay !== true) return draftTimes(fillZones(span, zone));
  const useless = patches
    .filter(isTyped)
    .flatMap(namedTimes)
    .find((flag) => flag.endsWith("-timezone"));
  if (useless !== undefined) {
    throw usageError(`${useless} has no effect on an all-day event`, "days are the same in every zone");
  }
  return draftTimes({ ...span, startTimezone: "UTC", endTimezone: "UTC" });
}

/** The times of a new event as far as they are given. @throws CliError usage */
export function newSpan(patches: readonly EventPatch<unknown>[], zone: string): EventSpan {
  return fillEnd(
    patches.reduce((span, patch) => {
      const dropsDays = isTyped(patch) && patch.allDay === false && span.allDay === true;
      return applyTimes(dropsDays ? EMPTY_SPAN : span, patch, zone);
    }, EMPTY_SPAN),
  );
}

/** The fields that tell what a new event lacks, read or not. */
type GivenFields = Pick<EventPatch, "source" | "title" | "category" | "allDay"> & {
  readonly [K in "start" | "end" | "duration" | "startTimezone" | "endTimezone"]?: unknown;
};

/**
 * The missing flags of a new event: `--title`, `--start`. A schedule needs a start, a keep only if anything about times
 * is given.
 */
export function missingForDraft(patches: readonly GivenFields[]): readonly string[] {
  const typed = patches.filter(isTyped);
  const isTimed = said(typed, "allDay") === false;
  // The times of an all-day input are dates, of no use to a timed event.
  const timed = patches.filter((patch) => isTyped(patch) || !(isTimed && patch.allDay === true));
  const hasStart = said(timed, "start") !== undefined;
  const hasEnd = (said(timed, "end") ?? said(timed, "duration")) !== undefined;
  const needed = (said(patches, "category") ?? "schedule") === "schedule";
  const isNamed = hasStart || hasEnd || typed.some((patch) => namedTimes(patch).length > 0);
  return [
    ...(said(patches, "title") === undefined ? ["--title"] : []),
    ...((needed || isNamed) && !hasStart ? ["--start"] : []),
  ];
}

/**
 * The whole event with what patches change of it, since a PUT replaces it; everything else keeps its meaning. Null fields
 * are omitted, as is the rule, ids are composite, and an all-day end that equals its start is sent as the next midnight. Cleared texts are
 * sent empty, cleared times are omitted. Times change as those of an input in `draft`, but only a typed start moves the
 * event, a day alone as the start of a timed event keeps its time of day, and `--all-day` with only a start is one day; the
 * event keeps its zones unless a zone is given or it had no times.
 * @param zone the chosen one
 * @throws CliError usage, naming all missing flags at once
 */
export function changes(event: Event, patches: readonly EventPatch<string>[], zone: string): EventDraft {
  patches.forEach(checkPatch);
  const typed = patches.filter(isTyped);
  const title = said(patches, "title") ?? event.title;
  const category = said(patches, "category") ?? event.category;
  const label = said(patches, "label") ?? event.label?.id ?? null;
  const span = changedSpan(event, patches, { zone, category });
  const missing = missingInSpan(span, category);
  if (title === null || category === null || label === null || missing.length > 0) {
    const unnamed = Object.entries({ "--title": title, "--category": category, "--label": label });
    const flags = unnamed.flatMap(([flag, value]) => (value === null ? [flag] : []));
    const isTimed = said(typed, "allDay") === false;
    throw missingFlagsError([...flags, ...missing], flags.length > 0 ? NOT_SENT_HINT : hintForTimes(isTimed));
  }
  checkSpan(span, {
    start: knownZone(said(typed, "startTimezone"), zone),
    end: knownZone(said(typed, "endTimezone"), zone),
  });
  const textOf = (field: TextField) => changedText(event, patches, field);
  return {
    category,
    title,
    ...draftTimes(span),
    description: textOf("description"),
    location: textOf("location"),
    url: textOf("url"),
    recurrences: undefined,
    label: compositeId(event.calendar_id, label),
    attendees: changedAttendees(event, patches),
  };
}

const NOT_SENT_HINT = "the service did not send these fields of the event, and an update must include them";
const NEW_TIMES_HINT = "an event that is no longer all-day needs new times";

function hintForTimes(isTimed: boolean): string {
  return isTimed ? NEW_TIMES_HINT : "a schedule has a start and an end, a keep both or neither";
}

function changedSpan(
  event: Event,
  patches: readonly EventPatch<string>[],
  { zone, category }: { readonly zone: string; readonly category: string | null },
): EventSpan {
  const own = readSpan(event);
  const placed = patches.map((patch) =>
    isTyped(patch) ? { ...patch, start: typedStart(own, patch, { patches, zone }) } : patch,
  );
  const isCleared = clearsTimes(patches, category);
  const given = (isCleared ? placed.filter(isTyped) : placed).reduce(
    (span, patch) => applyTimes(span, patch, zone),
    isCleared ? EMPTY_SPAN : own,
  );
  const span = fillEnd({ ...given, end: changedEnd(own, given, patches) });
  if (own.allDay === true && own.start !== null && span.start === null && !isCleared) {
    throw missingFlagsError(["--start", "--end or --duration"], NEW_TIMES_HINT);
  }
  return own.start === null && span.start !== null ? fillZones(span, zone) : span;
}

/** The start as typed, of a day alone with the event's time of day, or by how far it is moved. */
function typedStart(
  own: EventSpan,
  { start, by, startTimezone }: TypedPatch<string>,
  { patches, zone }: { readonly patches: readonly EventPatch<string>[]; readonly zone: string },
): DateInput | null | undefined {
  if (by !== undefined) return movedStart(own, by, { patches, zone });
  const isDays = own.allDay === true || said(patches, "allDay") === true;
  if (start?.kind !== "date" || own.start === null || isDays) return start;
  // Days later by the clock of its own zone, where the day is that of the zone in which it was typed.
  const day = dateToInstant(localDate(own.start, startTimezone ?? zone));
  const days = (dateToInstant(start.date) - day) / DAY_MS;
  const instant = addDuration(own.start, { days, minutes: 0 }, knownZone(own.startTimezone, zone));
  return { kind: "date-time", text: start.text, instant };
}

function movedStart(
  own: EventSpan,
  by: DurationInput,
  { patches, zone }: { readonly patches: readonly EventPatch<string>[]; readonly zone: string },
): DateInput {
  if (patches.some((patch) => patch.start !== undefined || givesLength(patch)))
    throw usageError(
      "--by cannot be combined with other times or --all-day",
      "use --by alone to move the event",
    );
  if (own.start === null) throw usageError("--by: the event has no times to move");
  const instant = afterStart({ ...own, start: own.start }, by, { zone, flag: "--by" });
  if (own.allDay !== true) return { kind: "date-time", text: by.text, instant };
  const date = instantToDate(instant);
  checkDate(date, "--by");
  return { kind: "date", text: by.text, date };
}

/** Whether a patch says how long an event is: by its end, its length, or as days or times. */
function givesLength(patch: EventPatch<unknown>): boolean {
  const length = isTyped(patch) ? patch.duration : undefined;
  return (patch.end ?? length ?? patch.allDay) !== undefined;
}

/** Whether an event moves and keeps its length: of its times only the start is typed, or how far it moves. */
export function movesEvent(patches: readonly EventPatch<unknown>[]): boolean {
  const isMoved = patches.filter(isTyped).some(({ start, by }) => (start ?? by) !== undefined);
  return isMoved && !patches.some(givesLength);
}

/** The new end; null if it must be filled in. */
function changedEnd(
  own: EventSpan,
  { start, end }: EventSpan,
  patches: readonly EventPatch<string>[],
): number | null {
  const isNewDay = patches
    .filter(isTyped)
    .some((patch) => patch.allDay === true && patch.start && !(patch.end ?? patch.duration));
  if (isNewDay) return null;
  if (!movesEvent(patches) || start === null || own.start === null || own.end === null) return end;
  return start + own.end - own.start;
}

function clearsTimes(patches: readonly EventPatch<string>[], category: string | null): boolean {
  const [field, other] = (["start", "end"] as const).filter((name) => said(patches, name) === null);
  if (field === undefined) return false;
  if (category === "schedule") {
    throw usageError(`--clear ${field}: a schedule needs its times`, "only a keep can have none");
  }
  if (other === undefined) {
    throw usageError(`--clear ${field}: a keep has both times or neither`, "use --clear start --clear end");
  }
  return true;
}

function changedText(
  event: Event,
  patches: readonly EventPatch<string>[],
  field: TextField,
): string | undefined {
  const text = said(patches, field);
  // Empty, not omitted: also clears it on a service that treats an omitted field as unchanged.
  return text === null ? "" : (text ?? event[field] ?? undefined);
}

/** Composite ids; undefined when the event has no attendees and none are given. */
function changedAttendees(event: Event, patches: readonly EventPatch<string>[]) {
  const typed = patches.filter(isTyped);
  const added = typed.flatMap(({ addAttendees = [] }) => addAttendees);
  const removed = typed.flatMap(({ removeAttendees = [] }) => removeAttendees);
  const own = event.attendees.map(({ id }) => id);
  const base = said(patches, "attendees") ?? own;
  const unknown = removed.find((id) => !hasUser(base, id));
  if (unknown !== undefined) {
    const attendees = describeCandidates(event.attendees);
    throw usageError(
      `--remove-attendee: ${unknown} is not an attendee of the event`,
      attendees === "" ? "it has no attendees" : `attendees: ${attendees}`,
    );
  }
  const kept = base.filter((id) => !hasUser(removed, id));
  const all = [...kept, ...added.filter((id) => !hasUser(kept, id))];
  if (all.length === 0 && base === own && removed.length === 0) return undefined;
  return all.map((id) => compositeId(event.calendar_id, id));
}

/** Whether a user is among some; ids may be plain or composite. */
function hasUser(ids: readonly string[], user: string): boolean {
  return ids.some((id) => plainId(id) === plainId(user));
}

/** The flags that would complete the span: a schedule needs both times, anything else both or neither. */
function missingInSpan({ start, end }: EventSpan, category: string | null): readonly string[] {
  if (category !== "schedule" && start === null && end === null) return [];
  return [...(start === null ? ["--start"] : []), ...(end === null ? ["--end or --duration"] : [])];
}

const FIRST_INSTANT = dateToInstant("0000-01-01");
const LAST_INSTANT = dateToInstant("9999-12-31") + DAY_MS - 1;

/**
 * Checks that the end is after the start and both have a four-digit year.
 * @param zones in which messages show them
 * @throws CliError usage
 */
function checkSpan(
  { allDay, start, end }: EventSpan,
  zones: { readonly start: string; readonly end: string },
): void {
  if (start === null || end === null) return;
  if (allDay === true && start >= FIRST_INSTANT && end === LAST_INSTANT + 1) {
    throw usageError(
      "an event of 9999-12-31 ends after the year 9999, at the midnight after it",
      "the last day of an all-day event can be 9999-12-30",
    );
  }
  if (start < FIRST_INSTANT || end > LAST_INSTANT) {
    const problem = end > LAST_INSTANT ? "ends after the year 9999" : "begins before the year 0000";
    throw usageError(`the event ${problem}`, "write dates from 0000-01-01 to 9999-12-31");
  }
  if (end > start) return;
  if (allDay === true) {
    const last = addDays(instantToDate(end), -1);
    throw usageError(
      `the last day ${last} is before the first day ${instantToDate(start)}`,
      "--start names the first day, --end the last",
    );
  }
  const nextDay = addDuration(end, { days: 1, minutes: 0 }, zones.end);
  const isNight = nextDay > start && end < start;
  throw usageError(
    `the end ${formatLocal(end, zones.end)} is not after the start ${formatLocal(start, zones.start)}`,
    isNight
      ? `for an end on the next day, write --end ${formatTyped(formatLocal(nextDay, zones.end), zones.end)}`
      : "use an --end after --start, or --duration",
  );
}
