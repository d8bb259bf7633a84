import type { Scope } from "../../../contract/extensions.js";
import type { CalendarEvent, EventDraft } from "../../../contract/shapes.js";
import { parseTimeZone } from "../../calendar/dates.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { changes } from "../../events/draft.js";
import { parseCategory, type TypedPatch, type TypedTimes } from "../../events/patch.js";
import { readTimeFlags, type TimeContext } from "./date-flags.js";
import { changedKeys, type DocumentOptions, type EditableEvent, parseDocument } from "./edit-document.js";
import { namedValues, type RelatedResolver } from "./event-flags.js";

/** What was edited, as an update of the event. */

export interface DraftOptions {
  readonly event: CalendarEvent;
  readonly before: EditableEvent;
  readonly options: DocumentOptions;
  readonly resolver: RelatedResolver;
  /** Of an event that repeats. */
  readonly scope: Scope | undefined;
}

/** The update that a saved file asks for; null when nothing was changed. @throws CliError for what is wrong in it */
export async function readDraft(
  context: TimeContext & Pick<Context, "api">,
  saved: string,
  { event, before, options, resolver, scope }: DraftOptions,
): Promise<EventDraft | null> {
  const after = await parseDocument(saved, before);
  if (after === null || changedKeys(before, after).length === 0) return null;
  const changed: Changed = (key) => (before[key] === after[key] ? undefined : after[key]);
  const label = changed("label");
  if (label === "") throw usageError("label is empty", "write one of the numbers or names above");
  const attendees = changedKeys(before, after).includes("attendees") ? after.attendees : undefined;
  const labelId = async (value: string) => (await resolver.labelId({ value, source: "label" })) ?? undefined;
  const patch = {
    ...textChanges(changed),
    ...(await timeChanges(context, changed, options.strictDates)),
    label: label === undefined ? undefined : await labelId(label),
    attendees: await resolver.attendeeIds(namedValues(attendees, "attendees"), event.attendees),
  };
  const draft = changes(event, [patch], options.zone);
  const repeat = changed("repeat");
  if (repeat === undefined) return draft;
  if (repeat === "")
    throw usageError("repeat is empty", "leave the rule; calctl events delete deletes the other events");
  const { planRule } = await import("./repeat.js");
  return { ...draft, recurrences: await planRule(context, { repeat }, { event, draft, scope }) };
}

/** The new value of a key; undefined if it is the old one. */
type Changed = (key: Exclude<keyof EditableEvent, "attendees">) => string | undefined;

function textChanges(changed: Changed): TypedPatch<never> {
  const category = changed("category");
  return {
    title: changed("title"),
    category: category === undefined ? undefined : parseCategory(category, "category"),
    description: clearedIfEmpty(changed("description")),
    location: clearedIfEmpty(changed("location")),
    url: clearedIfEmpty(changed("url")),
  };
}

function clearedIfEmpty(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}

async function timeChanges(
  context: TimeContext,
  changed: Changed,
  strictDates: boolean,
): Promise<TypedTimes> {
  const [start, end] = [changed("start"), changed("end")];
  const read = await readTimeFlags(context, { ...(start && { start }), ...(end && { end }), strictDates });
  return {
    start: start === "" ? null : read.start,
    end: end === "" ? null : read.end,
    allDay: parseBoolean(changed("all_day")),
    startTimezone: parseZone(changed("start_timezone"), "start_timezone"),
    endTimezone: parseZone(changed("end_timezone"), "end_timezone"),
  };
}

function parseBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined || text === "true") return text === "true" || undefined;
  if (text === "false") return false;
  throw usageError(`all_day: "${text}" is not valid`, "write true or false");
}

function parseZone(name: string | undefined, source: string): string | undefined {
  return name === undefined ? undefined : parseTimeZone(name, source);
}
