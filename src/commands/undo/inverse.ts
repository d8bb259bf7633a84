import type { Scope } from "../../../contract/extensions.js";
import type { Event, EventDraft } from "../../../contract/shapes.js";
import type { EventAddress } from "../../api/endpoints.js";
import { CliError, isOutcomeUnknown, nullOn } from "../../errors.js";
import { isSameContent, replacing, says } from "../../events/content.js";
import { draftOfCopy } from "../../events/copy.js";
import { changes } from "../../events/draft.js";
import { type ChosenCalendar, resolveCalendars } from "../../events/find/calendar-choice.js";
import { createRelatedResolver, DEFAULT_LABEL, type RelatedResolver } from "../../events/related.js";
import {
  fromRuleStart,
  linesFor,
  originalStartOf,
  shiftBetween,
  shiftedStart,
  timesFrom,
  withoutExceptions,
} from "../../events/repeat/series.js";
import { type Written, write } from "../../events/write.js";
import type { Run } from "../../run/run.js";
import type { WriteRow } from "../../state/writes.js";

/** The inverse writes of what a command has written, made from what is noted of each write and from what there is now. */

/** How messages name what was written. */
export function nameOf({ title, eventId }: WriteRow): string {
  return title ?? eventId ?? "an event";
}

/** What taking a write back does, as questions and notes say it. */
const UNDONE = {
  create: "deleted",
  update: "restored",
  delete: "created again (new id, no comments)",
  restore: "restored (no comments)",
  rejoin: "restored (with the previous ids of its events)",
  recreate: "created again (new ids, no comments)",
} as const;

/** What taking a write back does. */
export function undoneBy({ kind, scope }: WriteRow): (typeof UNDONE)[keyof typeof UNDONE] {
  if (kind === "update" && scope === "following") return UNDONE.rejoin;
  if (kind === "delete" && scope !== undefined) return scope === "all" ? UNDONE.recreate : UNDONE.restore;
  return kind === "create" || kind === "delete" ? UNDONE[kind] : UNDONE.update;
}

/** An undo of one command. */
export interface Undo {
  readonly run: Run;
  /** When the command began. */
  readonly at: string;
  /** Called with a line to show the user. */
  readonly note: (text: string) => void;
  /** The series that a dry run put back, by id: only the service knows with which of its events each then begins. */
  readonly putBack: Map<string, Event>;
  /** Where deleted events are created again, by the id of their calendar: each is read once. */
  readonly places: Map<string, Place>;
  /** Notes before a deleted event is created again that it may be, or after a refusal that it was not. */
  readonly noteBegun: (row: WriteRow, isUndoBegun: boolean) => Promise<void>;
  /** The hint for another command that can be undone; undefined if there is none. */
  readonly earlier: string | undefined;
}

interface Place {
  readonly calendar: ChosenCalendar;
  readonly resolver: RelatedResolver;
}

/**
 * Takes one write back, unless that is not needed any more.
 * @returns the id that the event has then; of a series that was put back the id of what is there again
 * @throws CliError changed when somebody wrote since, rejected for a write that cannot be undone or whose undo would lose something; nothing is written then
 */
export async function takeBack(undo: Undo, row: WriteRow): Promise<string> {
  const { kind, scope, series } = row;
  if (row.isDamaged) throw cannotUndo("its record is damaged", OTHER_COMMANDS);
  const { id, done } = await writeInverse(undo, row);
  undo.note(`${nameOf(row)}: ${done}`);
  if (undo.run.flags.dryRun && series !== undefined) {
    const seriesId = kind === "delete" && scope === "all" ? id : series.id;
    undo.putBack.set(seriesId, { ...series, id: seriesId });
  }
  return id;
}

const OTHER_COMMANDS = "calctl undo --list shows the other commands; calctl undo NUMBER undoes one";

interface TakenBack {
  readonly id: string;
  /** For people. */
  readonly done: string;
}

async function writeInverse(undo: Undo, row: WriteRow): Promise<TakenBack> {
  if (isSeriesWrite(row)) return undoSeriesWrite(undo, row);
  const { kind, calendarId = "", after, eventId = "" } = row;
  const address = { calendarId, eventId: after?.id ?? eventId };
  const problem = findProblem(undo, row, address);
  if (problem !== null) throw problem;
  const written = { row, address, current: await readCurrent(undo, address) };
  if (kind === "create") return undoCreate(undo, written);
  return kind === "delete" ? undoDelete(undo, written) : undoUpdate(undo, written);
}

/** Why a write cannot be undone, whatever the event is like now; null if it may be. */
function findProblem(
  undo: Undo,
  { kind, before, after }: WriteRow,
  { eventId }: EventAddress,
): CliError | null {
  if (kind === "update" && before?.series_id === null && typeof after?.series_id === "string")
    return cannotUndo("a series cannot become a single event");
  if (eventId !== "") return null;
  return unknownError(undo, "it is unknown whether it was created", LIST_EVENTS);
}

const LIST_EVENTS = "look for it with `calctl events list`";

/** The error for a write that may have been done or not. @param look says where the user can look for it */
function unknownError({ earlier }: Undo, problem: string, look: string): CliError {
  return new CliError("outcome_unknown", problem, {
    hint: earlier === undefined ? look : `${look}; ${earlier}`,
  });
}

/** The error for a write that cannot be undone. */
export function cannotUndo(
  reason: string,
  hint = "calctl undo --list shows the numbers of other commands",
): CliError {
  return new CliError("rejected", `it cannot be undone: ${reason}`, { hint });
}

/** An event as it is now; null if it is deleted. */
async function readCurrent({ run, putBack }: Undo, address: EventAddress): Promise<Event | null> {
  const known = putBack.get(address.eventId);
  if (known !== undefined) return known;
  return (await run.api()).getEvent(address).catch(nullOn("not_found"));
}

const NOT_CHANGED = "nothing to undo: it is as it was before";

interface WrittenEvent {
  readonly row: WriteRow;
  readonly address: EventAddress;
  /** Null if it is deleted. */
  readonly current: Event | null;
}

async function undoCreate(undo: Undo, { row, address, current }: WrittenEvent): Promise<TakenBack> {
  const id = address.eventId;
  if (current === null) return { id, done: "nothing to undo: it is deleted" };
  await requireAsLeft(undo, current, row);
  await write(undo.run, { kind: "delete", ...address, event: current, isUndo: true });
  return { id, done: UNDONE.create };
}

async function undoUpdate(undo: Undo, { row, address, current }: WrittenEvent): Promise<TakenBack> {
  const id = address.eventId;
  const before = beforeOf(row);
  if (current === null) throw deletedSince(id);
  if (isSameContent(current, before)) return { id, done: NOT_CHANGED };
  await requireAsLeft(undo, current, row);
  await replace(undo.run, current, { as: before });
  return { id, done: UNDONE.update };
}

async function undoDelete(
  undo: Undo,
  { row, address: { calendarId, eventId }, current }: WrittenEvent,
): Promise<TakenBack> {
  const { run } = undo;
  const { series, changed = [] } = row;
  const before = beforeOf(row);
  if (current !== null) return { id: eventId, done: "nothing to undo: it is not deleted" };
  const draft = await draftAgain(undo, series === undefined ? before : seriesAgain(series, changed));
  const created = await createOnce(undo, row, (key) =>
    write(run, { kind: "create", calendarId, draft, key, isUndo: true }),
  );
  await changeAgain(run, created, changed);
  return { id: created.id, done: undoneBy(row) };
}

/** Creates a deleted event again, once, though the outcome of an earlier undo is unknown. @throws CliError outcome_unknown */
async function createOnce(
  undo: Undo,
  row: WriteRow,
  create: (key?: string) => Promise<Written>,
): Promise<Event> {
  const { run, at, noteBegun } = undo;
  const { calendarId = "", eventId, isUndoBegun = false } = row;
  if (await (await run.api()).hasExtension("keys", calendarId))
    return (await create(`undo ${eventId} ${at}`)).event;
  if (isUndoBegun) throw unknownError(undo, "it is unknown whether it was created again", LIST_EVENTS);
  await noteBegun(row, true);
  try {
    return (await create()).event;
  } catch (error) {
    if (error instanceof CliError && !isOutcomeUnknown(error)) await noteBegun(row, false);
    throw error;
  }
}

/** @throws CliError rejected where it is not known */
function beforeOf({ series, before = series }: WriteRow): Event {
  if (before === undefined) throw cannotUndo("its earlier state is unknown");
  return before;
}

function deletedSince(eventId: string): CliError {
  return new CliError("changed", `event ${eventId} was deleted since`);
}

/** A write that changed a series, and left some of it. */
type SeriesWrite = WriteRow & { readonly series: Event };

function isSeriesWrite(row: WriteRow): row is SeriesWrite {
  return row.series !== undefined && !(row.kind === "delete" && row.scope === "all");
}

/**
 * Takes back what was written to a series, or deleted of it: the series gets its rule and its content again, and what went
 * on as another series is deleted.
 */
async function undoSeriesWrite(undo: Undo, row: SeriesWrite): Promise<TakenBack> {
  const { run } = undo;
  const { series, after = series, changed = [] } = row;
  const { calendar_id: calendarId, id } = series;
  const taken = { id: row.kind === "delete" ? (row.eventId ?? id) : id, done: undoneBy(row) };
  const current = await readCurrent(undo, { calendarId, eventId: id });
  if (current === null) throw goneError(undo, row);
  const goesOn = after.id !== id;
  const left = goesOn ? await readCurrent(undo, { calendarId, eventId: after.id }) : current;
  const isLeft = goesOn ? left !== null : isAsLeft(row, current);
  const mayBePutBack = !isLeft || row.after === undefined;
  const untouched = mayBePutBack && isPutBack(row, current) ? await findUntouched(undo, row) : null;
  if (untouched !== null) {
    await changeAgain(run, series, untouched);
    return untouched.length === 0 ? { ...taken, done: NOT_CHANGED } : taken;
  }
  if (left === null) throw deletedSince(after.id);
  await requireAsLeft(undo, left, row);
  if (goesOn) await requireNothingLost(run, row, after.id);
  const shown = shownAs(row, current);
  const recurrences = linesFor(withoutExceptions(series.recurrences, changed), current, shown);
  await replace(run, current, { as: shown, recurrences, scope: "all" });
  const goneOn = { calendarId, eventId: after.id, event: after } as const;
  if (goesOn) await write(run, { kind: "delete", ...goneOn, scope: "all", isUndo: true });
  await changeAgain(run, series, changed);
  return taken;
}

/** Whether a series is as it was before, but for what had been changed on its own: the write was never done, or its undo was killed. */
function isPutBack({ series, changed = [] }: SeriesWrite, current: Event): boolean {
  return isSameContent(seriesAgain(current, changed), seriesAgain(series, changed));
}

/** Of the events that had been changed on their own, those that are as their series says; null if one is deleted. */
async function findUntouched(
  undo: Undo,
  { series, changed = [] }: SeriesWrite,
): Promise<readonly Event[] | null> {
  const untouched: Event[] = [];
  for (const event of changed) {
    const address = { calendarId: series.calendar_id, eventId: `${series.id}_${originalStartOf(event)}` };
    const current = await readCurrent(undo, address);
    if (current === null) return null;
    if (current.recurrences.length > 0) untouched.push(event);
  }
  return untouched;
}

/** What goes on as another series is deleted. @throws CliError when something in it is not in the first one */
async function requireNothingLost(
  run: Run,
  { series: { id, calendar_id: calendarId }, kept = 0 }: SeriesWrite,
  eventId: string,
): Promise<void> {
  if (kept > 0) {
    const were = kept === 1 ? "was changed on its own" : "were changed on their own";
    throw new CliError("rejected", `${kept} of its events ${were}, and would be lost`, {
      hint: `restore the rule with calctl events update ${id} --scope all --repeat`,
    });
  }
  const comments = (await (await run.api()).listComments({ calendarId, eventId })) ?? [];
  for await (const page of comments)
    if (page.length > 0)
      throw new CliError("changed", "comments on its events would be lost", {
        hint: `calctl comments ${eventId} shows them; calctl events update ${eventId} --scope all changes its events`,
      });
}

/** The series as it was with the times that its first event has now, moved back as far as the write moved it. */
function shownAs({ series, before, draft, after }: SeriesWrite, current: Event): Event {
  const isWhole = before !== undefined && draft !== undefined && after?.id === series.id;
  // Another rule may begin on another day, though nothing was moved.
  const shift = isWhole
    ? shiftBetween(draft, before)
    : shiftBetween(fromRuleStart(current), fromRuleStart(series));
  const start = shiftedStart(current, shift, series.start_timezone ?? "UTC");
  return { ...series, ...timesFrom(series, Date.parse(start)) };
}

/** A series with its events that were changed on their own as the others, so that they can be changed again. */
function seriesAgain(series: Event, changed: readonly Event[]): Event {
  return { ...fromRuleStart(series), recurrences: withoutExceptions(series.recurrences, changed) };
}

/** The deleted event as a new one of its calendar. */
async function draftAgain(undo: Undo, before: Event): Promise<EventDraft> {
  const { run, places } = undo;
  const place = places.get(before.calendar_id) ?? (await findPlace(run, before.calendar_id));
  places.set(before.calendar_id, place);
  return draftOfCopy(run, before, { ...place, times: {} });
}

async function findPlace(run: Run, calendarId: string): Promise<Place> {
  const named = [{ value: calendarId, source: "calctl undo" }];
  const [calendar = { id: calendarId, name: null }] = await resolveCalendars(run, named);
  return { calendar, resolver: createRelatedResolver(run, calendar.id) };
}

/** Changes events of a series again that had been changed on their own. @param series of which they are one now */
async function changeAgain(run: Run, series: Event, changed: readonly Event[]): Promise<void> {
  for (const event of changed) {
    const current = { ...series, id: `${series.id}_${originalStartOf(event)}` };
    await replace(run, current, { as: event, scope: "this" });
  }
}

interface Replacement extends Partial<Pick<EventDraft, "recurrences">> {
  readonly as: Event;
  readonly scope?: Scope;
}

/** Writes everything as it was; what was empty is cleared. */
async function replace(
  run: Run,
  event: Event,
  { as: before, recurrences, scope }: Replacement,
): Promise<void> {
  const ids = { attendees: before.attendees.map(({ id }) => id), label: before.label?.id ?? DEFAULT_LABEL };
  const draft = replacing(event, changes(before, [ids], run.config.settings().timezone));
  const request = { kind: "update", event, scope, expectedUpdatedAt: null, isUndo: true } as const;
  await write(run, { ...request, draft: { ...draft, recurrences } });
}

/** Whether an event, or a series, is as the command left it, or would have left it. */
function isAsLeft(row: WriteRow, current: Event): boolean {
  const { after, draft, scope, series } = row;
  if (after !== undefined) return isSameContent(current, after);
  if (isSeriesWrite(row) && row.kind === "delete") return isWithoutDeleted(row, current);
  if (draft === undefined || !says(current, draft)) return false;
  // A series whose events from one on were changed has a rule that ends before them.
  return scope !== "following" || String(current.recurrences) === String(series?.recurrences);
}

/** Whether a series is as it was but for the one event that was deleted. */
function isWithoutDeleted(row: SeriesWrite, current: Event): boolean {
  const deleted = beforeOf(row);
  const { recurrences } = current;
  const isExcepted = String(withoutExceptions(recurrences, [deleted])) !== String(recurrences);
  return row.scope === "this" && isExcepted && isPutBack({ ...row, changed: [deleted] }, current);
}

/** The error for a series that is not there: the delete of its last event may have deleted it. */
function goneError(undo: Undo, row: SeriesWrite): CliError {
  const isUnknown = row.kind === "delete" && row.after === undefined;
  return isUnknown ? unknownSeries(undo, row) : deletedSince(row.series.id);
}

function unknownSeries(undo: Undo, { series: { id } }: SeriesWrite): CliError {
  const look = `see the current series with \`calctl events get ${id}\``;
  return unknownError(undo, "the outcome of this write is unknown", look);
}

/**
 * @throws CliError changed, after what is different, when the event is not as the command left it; outcome_unknown for a series
 * of which that is not known
 */
async function requireAsLeft(undo: Undo, current: Event, row: WriteRow): Promise<void> {
  if (isAsLeft(row, current)) return;
  if (row.after === undefined && isSeriesWrite(row)) throw unknownSeries(undo, row);
  const { run } = undo;
  const { after, before } = row;
  const { describeChanges, documentOf } = await import("../../events/input/edit-document.js");
  const options = { zone: run.config.settings().timezone, labels: [], members: [] };
  const left = documentOf(after ?? before ?? current, options);
  const lines = await describeChanges(left, documentOf(current, options));
  for (const line of [
    `${current.title} (event ${current.id}), as calctl left it and as it is now:`,
    ...lines,
  ])
    run.output.warn(line);
  throw new CliError("changed", `event ${current.id} was changed since: nothing was overwritten`, {
    hint: "if calctl changed it later, undo that change first: calctl undo --list",
  });
}
