import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import type { EventAddress } from "../api/endpoints.js";
import { isSameContent } from "../calendar/event-changes.js";
import { fromFirstSlot, slotOf, withoutExceptions } from "../calendar/series.js";
import { CliError, nullOn } from "../errors.js";
import { draftOfCopy } from "../events/copy.js";
import { changes, replacing, says } from "../events/draft.js";
import { createRelatedResolver, DEFAULT_LABEL } from "../events/names.js";
import type { WriteRow } from "../state/writes.js";
import { resolveCalendars } from "./calendar-choice.js";
import type { EventContext } from "./events/event-reader.js";

/** How messages name what was written. */
export function nameOf({ title, eventId }: WriteRow): string {
  return title ?? eventId ?? "an event";
}

/** What taking a write back does, as questions and notes say it. */
const UNDONE = {
  create: "deleted",
  update: "put back",
  delete: "created again (new id, no comments)",
  restore: "put back (no comments)",
  rejoin: "put back (with the ids that its events had)",
  recreate: "created again (new ids, no comments)",
} as const;

/** What taking a write back does. */
export function undoneBy({ kind, scope }: WriteRow): (typeof UNDONE)[keyof typeof UNDONE] {
  if (kind === "update" && scope === "following") return UNDONE.rejoin;
  if (kind === "delete" && scope !== undefined) return scope === "all" ? UNDONE.recreate : UNDONE.restore;
  return kind === "create" || kind === "delete" ? UNDONE[kind] : UNDONE.update;
}

interface UndoWriteOptions {
  /** When the command began that wrote it. */
  readonly at: string;
  /** Called with a line to show the user. */
  readonly note: (text: string) => void;
}

/**
 * Takes one write back, unless that is not needed any more.
 * @returns the id that the event has then
 * @throws CliError changed when somebody wrote since; nothing is written then
 */
export async function undoWrite(
  context: EventContext,
  write: WriteRow,
  { at, note }: UndoWriteOptions,
): Promise<string> {
  const { kind, calendarId = "", after } = write;
  const eventId = after?.id ?? write.eventId ?? "";
  const problem = findProblem(write, eventId);
  if (problem !== null) throw problem;
  const address = { calendarId, eventId };
  const current = await (await context.api()).getEvent(address).catch(nullOn("not_found"));
  const undo = kind === "create" ? undoCreate : kind === "delete" ? undoDelete : undoUpdate;
  const { id = eventId, done } = await undo(context, write, { at, address, current });
  note(`${nameOf(write)}: ${done}`);
  return id;
}

interface WrittenEvent extends Pick<UndoWriteOptions, "at"> {
  readonly address: EventAddress;
  /** Null if it is deleted. */
  readonly current: CalendarEvent | null;
}

interface Undone {
  /** Of an event that has a new one. */
  readonly id?: string;
  /** For people. */
  readonly done: string;
}

async function undoCreate(
  context: EventContext,
  write: WriteRow,
  { address, current }: WrittenEvent,
): Promise<Undone> {
  if (current === null) return nothingDone("it is deleted");
  await requireAsLeft(context, current, write);
  await (await context.api()).deleteEvent(address);
  return { done: UNDONE.create };
}

async function undoDelete(
  context: EventContext,
  write: WriteRow,
  { at, address: { calendarId, eventId }, current }: WrittenEvent,
): Promise<Undone> {
  const { series, changed = [] } = write;
  const before = beforeOf(write);
  if (current !== null) return nothingDone("it is not deleted");
  const draft = await draftAgain(context, series === undefined ? before : seriesAgain(series, changed));
  const api = await context.api();
  // So that an undo whose outcome was unknown makes it once.
  const key = (await api.hasExtension("keys", calendarId)) ? `undo ${eventId} ${at}` : undefined;
  const { created } = await api.createEvent(calendarId, draft, key);
  await restoreChanged(context, created, changed);
  return { id: created.id, done: undoneBy(write) };
}

async function undoUpdate(
  context: EventContext,
  write: WriteRow,
  { address, current }: WrittenEvent,
): Promise<Undone> {
  const before = beforeOf(write);
  if (current === null) throw new CliError("changed", `event ${address.eventId} was deleted since`);
  if (isSameContent(current, before)) return nothingDone("it is as it was before");
  await requireAsLeft(context, current, write);
  await (await context.api()).updateEvent(address, draftOfBefore(context, before, current));
  return { done: UNDONE.update };
}

function nothingDone(reason: string): Undone {
  return { done: `nothing to take back, ${reason}` };
}

/** @throws CliError rejected where it is not known */
function beforeOf({ series, before = series }: WriteRow): CalendarEvent {
  if (before === undefined) throw cannotUndo("what there was is not known");
  return before;
}

/** Why a write cannot be taken back whatever there is now; null otherwise. */
function findProblem({ kind, before, after }: WriteRow, eventId: string): CliError | null {
  if (kind === "update" && before?.series_id === null && typeof after?.series_id === "string")
    return cannotUndo("a series cannot become a single event");
  if (eventId !== "") return null;
  return new CliError("outcome_unknown", "it is unknown whether it was created", {
    hint: "look for it with `calctl events list`",
  });
}

/** The error for a write that cannot be taken back. */
export function cannotUndo(
  reason: string,
  hint = "calctl undo --list shows the numbers of other commands",
): CliError {
  return new CliError("rejected", `it cannot be taken back: ${reason}`, { hint });
}

/** Everything as it was; what was empty is cleared. */
export function draftOfBefore(
  { config }: EventContext,
  before: CalendarEvent,
  current: CalendarEvent,
): EventDraft {
  const patch = { attendees: before.attendees.map(({ id }) => id), label: before.label?.id ?? DEFAULT_LABEL };
  return replacing(current, changes(before, [patch], config.settings().timezone));
}

/** Changes events of a series again that had been changed on their own. @param series of which they are one now */
export async function restoreChanged(
  context: EventContext,
  series: CalendarEvent,
  changed: readonly CalendarEvent[],
): Promise<void> {
  const api = await context.api();
  for (const event of changed) {
    const address = { calendarId: series.calendar_id, eventId: `${series.id}_${slotOf(event)}` };
    await api.updateEvent(address, draftOfBefore(context, event, series), { scope: "this" });
  }
}

/** A series with its events that were changed on their own as the others, so that they can be changed again. */
function seriesAgain(series: CalendarEvent, changed: readonly CalendarEvent[]): CalendarEvent {
  return { ...fromFirstSlot(series), recurrences: withoutExceptions(series.recurrences, changed) };
}

/** The deleted event as a new one of its calendar. */
async function draftAgain(context: EventContext, before: CalendarEvent) {
  const [calendar = { id: before.calendar_id, name: null }] = await resolveCalendars(context, [
    { value: before.calendar_id, source: "calctl undo" },
  ]);
  const resolver = createRelatedResolver(context, calendar.id);
  return draftOfCopy(context, before, { calendar, resolver, times: {} });
}

/** @throws CliError changed, after what is different, when the event is not as the command left it */
export async function requireAsLeft(
  context: EventContext,
  current: CalendarEvent,
  { after, before, draft }: WriteRow,
): Promise<void> {
  if (after === undefined ? draft !== undefined && says(current, draft) : isSameContent(current, after))
    return;
  const { describeChanges, documentOf } = await import("./events/edit-document.js");
  const options = { zone: context.config.settings().timezone, labels: [], members: [] };
  const left = documentOf(after ?? before ?? current, options);
  const lines = await describeChanges(left, documentOf(current, options));
  for (const line of [`${current.title} (event ${current.id}), as it was left and as it is:`, ...lines])
    context.output.warn(line);
  throw new CliError("changed", `event ${current.id} was changed since: nothing was overwritten`, {
    hint: "if calctl changed it later, undo that change first: calctl undo --list",
  });
}
