import { type DateInput, parseInstant, parseTimeZone } from "../../calendar/dates.js";
import type { EventFlags } from "../../calendar/event-draft.js";
import { parseCategory } from "../../calendar/event-text.js";
import { CLEARABLE, type ClearField, draftForUpdate, eventOfDraft } from "../../calendar/event-update.js";
import { localizeEvent } from "../../calendar/event-view.js";
import { checkUnchanged, lastUpdate } from "../../calendar/if-unchanged.js";
import type { Context } from "../../context.js";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { CliError, describeWithoutFlags, usageError } from "../../errors.js";
import { createEventFinder, type FoundEvent } from "../calendar-choice.js";
import { readTimeFlags } from "./date-flags.js";
import {
  changedKeys,
  type DocumentOptions,
  describeChanges,
  type EditableEvent,
  editableEvent,
  parseDocument,
  renderComment,
  renderDocument,
} from "./edit-document.js";
import { createRelatedResolver, namedValues, type RelatedResolver } from "./event-flags.js";
import type { PickContext } from "./pick-event.js";

/** `events update --edit`: the event in the editor, checked like flags, shown as a diff, and written. */

/** As messages name it. */
const FLAG = "--edit";

export type EditorContext = PickContext & Pick<Context, "note" | "editor" | "dryRun">;

/** An update that was edited and confirmed. */
export interface EditedUpdate extends FoundEvent {
  readonly draft: EventDraft;
  /** `updated_at` when the event was read, in milliseconds since the Unix epoch. */
  readonly seen: number;
  readonly resolver: RelatedResolver;
}

export interface EventToEdit {
  readonly id: string;
  /** Whether times are read in ISO 8601 only. */
  readonly strictDates: boolean;
}

/**
 * Opens an event in the editor, and writes it with `write` unless nothing was changed.
 * @returns null when it was written, the event as it is when nothing was changed
 * @throws CliError usage when there is no editor; changed (the text is kept) when somebody else changed the event
 */
export async function editEvent(
  context: EditorContext,
  { id: eventId, strictDates }: EventToEdit,
  write: (update: EditedUpdate) => Promise<void>,
): Promise<FoundEvent | null> {
  const { calendar, event: current } = await (await createEventFinder(context)).read(eventId);
  const seen = lastUpdate(current, FLAG);
  const resolver = createRelatedResolver(context, calendar.id);
  const options = { ...(await resolver.readAll()), zone: context.settings().timezone, strictDates };
  const before = editableEvent(current, options);
  return context.editor.withFile("event.yaml", async (file) => {
    const draft = await editUntilValid(context, {
      text: await renderDocument(before, options),
      open: file.edit,
      read: (saved) => readDraft(context, saved, { event: current, before, options, resolver }),
    });
    const after = draft === null ? before : editableEvent(eventOfDraft(current, draft, options), options);
    const lines = await describeChanges(before, after);
    if (draft === null || lines.length === 0) return { calendar, event: current };
    await confirm(context, lines);
    const api = await context.api();
    checkUnchanged(await api.getEvent({ calendarId: calendar.id, eventId }), seen, FLAG);
    await write({ calendar, event: current, draft, seen, resolver });
    return null;
  });
}

interface EditLoop<T> {
  readonly text: string;
  readonly open: (text: string) => Promise<string>;
  /** @throws CliError for a text that is wrong */
  readonly read: (saved: string) => Promise<T | null>;
}

/** Opens the editor again, with what is wrong at the top, until the text can be read or the user gives up. */
async function editUntilValid<T>(
  context: EditorContext,
  { text, open, read }: EditLoop<T>,
): Promise<T | null> {
  let shown = text;
  let failure: CliError | undefined;
  for (;;) {
    const saved = await open(shown);
    if (failure !== undefined && saved === shown) throw failure;
    try {
      return await read(saved);
    } catch (error) {
      if (!(error instanceof CliError) || !["usage", "not_found"].includes(error.code)) throw error;
      failure = error;
    }
    const problem = describeWithoutFlags(failure);
    if (!context.prompt.available) throw new CliError(failure.code, problem, { details: failure.details });
    context.warn(problem);
    if (!(await context.prompt.confirm("Edit again?", true)))
      throw new CliError("interrupted", "nothing was changed");
    shown = withProblem(saved, problem);
  }
}

const PROBLEM = "#! ";

function withProblem(saved: string, problem: string): string {
  const lines = saved.split("\n").filter((line) => !line.startsWith(PROBLEM));
  return renderComment(problem, PROBLEM) + lines.join("\n");
}

interface DraftOptions {
  readonly event: CalendarEvent;
  readonly before: EditableEvent;
  readonly options: DocumentOptions;
  readonly resolver: RelatedResolver;
}

/** Null when nothing was changed. */
async function readDraft(
  context: EditorContext,
  saved: string,
  { event, before, options, resolver }: DraftOptions,
): Promise<EventDraft | null> {
  const after = await parseDocument(saved, before);
  if (after === null || changedKeys(before, after).length === 0) return null;
  const changed = changedValues(before, after);
  const label = changed("label");
  if (label === "") throw usageError("label is empty", "write one of the numbers or names above");
  const attendees = changedKeys(before, after).includes("attendees") ? after.attendees : undefined;
  const changes = {
    ...textChanges(changed),
    ...(await timeChanges(context, changed, { event, strictDates: options.strictDates })),
    labelId: label === undefined ? undefined : await resolver.labelId({ value: label, source: "label" }),
    attendeeIds: await resolver.attendeeIds(namedValues(attendees, "attendees", event.attendees)),
  };
  const clear = clearedFields(changed);
  return draftForUpdate(event, { ...changes, clear }, { zone: options.zone });
}

type Changed = (key: Exclude<keyof EditableEvent, "attendees">) => string | undefined;

/** The new value of a key; undefined if it is the old one. */
function changedValues(before: EditableEvent, after: EditableEvent): Changed {
  return (key) => (before[key] === after[key] ? undefined : after[key]);
}

function clearedFields(changed: Changed): readonly ClearField[] {
  // Attendees are set, also to an empty list.
  return CLEARABLE.filter((key) => key !== "attendees" && changed(key) === "");
}

function textChanges(changed: Changed): EventFlags {
  const category = changed("category");
  return {
    title: changed("title"),
    category: category === undefined ? undefined : parseCategory(category, "category"),
    description: changed("description") || undefined,
    location: changed("location") || undefined,
    url: changed("url") || undefined,
  };
}

/** The file has both times, so neither moves with the other, as with `--start` alone. */
async function timeChanges(
  context: EditorContext,
  changed: Changed,
  { event, strictDates }: { readonly event: CalendarEvent; readonly strictDates: boolean },
): Promise<EventFlags> {
  const [start, end] = [changed("start"), changed("end")];
  const allDay = parseBoolean(changed("all_day"));
  const read = await readTimeFlags(context, { ...(start && { start }), ...(end && { end }), strictDates });
  const keepsEnd = allDay === undefined && read.start !== undefined && end === undefined;
  return {
    start: read.start,
    end: keepsEnd ? ownEnd(event) : read.end,
    allDay,
    startTimezone: parseZone(changed("start_timezone"), "start_timezone"),
    endTimezone: parseZone(changed("end_timezone"), "end_timezone"),
  };
}

/** The end of the event as a flag would give it, to the millisecond. */
function ownEnd(event: CalendarEvent): DateInput | undefined {
  const { end_at: text, end_local: day } = localizeEvent(event, "UTC");
  if (text === null || day === null) return undefined;
  if (event.all_day === true) return { kind: "date", text: day, date: day };
  return { kind: "date-time", text, instant: parseInstant(text, "end") };
}

function parseBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined || text === "true") return text === "true" || undefined;
  if (text === "false") return false;
  throw usageError(`all_day: "${text}" is not valid`, "write true or false");
}

function parseZone(name: string | undefined, source: string): string | undefined {
  return name === undefined ? undefined : parseTimeZone(name, source);
}

/** Shows what changes, and asks where that is possible. */
async function confirm(context: EditorContext, lines: readonly string[]): Promise<void> {
  const asks = context.prompt.available && !context.dryRun;
  for (const line of lines) (asks ? context.warn : context.note)(line);
  if (!asks) return;
  if (await context.prompt.confirm("Write these changes?", true)) return;
  throw new CliError("interrupted", "nothing was changed");
}
