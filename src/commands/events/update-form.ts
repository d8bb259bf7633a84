import type { CalendarEvent } from "../../../contract/shapes.js";
import { type EventSpan, readSpan } from "../../calendar/event-span.js";
import { localizeEvent } from "../../calendar/event-view.js";
import { labelKey } from "../../calendar/names.js";
import { formatTyped } from "../../calendar/zoned-time.js";
import type { EventFieldFlags } from "./event-flags.js";
import {
  askAttendees,
  askLabel,
  askTimes,
  askTitle,
  attendeeKeys,
  checkTimes,
  type FormContext,
  type FormTimes,
  type TimesPreset,
} from "./form-questions.js";

/** What `events update` asks for without flags: the form of `events create`, filled in with the event. */

/** The answers that change something, as flags; empty when none does. */
export interface FormChanges extends Pick<EventFieldFlags, "title" | "label"> {
  readonly start?: string;
  readonly end?: string;
  readonly duration?: string;
  readonly allDay?: boolean;
  readonly addAttendee?: readonly string[];
  readonly removeAttendee?: readonly string[];
}

/** Asks for the event again. Times of a keep without any are not asked for. */
export async function askChanges(
  context: FormContext,
  event: CalendarEvent,
  { strictDates = false }: Pick<EventFieldFlags, "strictDates">,
): Promise<FormChanges> {
  const { calendar_id: calendarId, label: own, attendees: present } = event;
  const title = await askTitle(context, event.title ?? undefined);
  const times = await askNewTimes(context, event, strictDates);
  const ownLabel = own === null ? undefined : labelKey(own);
  const label = await askLabel(context, calendarId, (labels) =>
    labels.find((each) => labelKey(each) === ownLabel),
  );
  const answer = await askAttendees(context, calendarId, present);
  return {
    ...(title === event.title ? {} : { title }),
    ...times,
    ...(label === undefined || label === ownLabel ? {} : { label }),
    ...(answer === null ? {} : attendeeChanges(answer, event)),
  };
}

function attendeeChanges(
  { chosen, all }: NonNullable<Awaited<ReturnType<typeof askAttendees>>>,
  { calendar_id: calendarId, attendees: present }: CalendarEvent,
): FormChanges {
  const added = chosen.filter((user) => !present.includes(user));
  const removed = present.filter((user) => !chosen.includes(user));
  return {
    ...(added.length === 0 ? {} : { addAttendee: attendeeKeys({ chosen: added, all }, calendarId) }),
    ...(removed.length === 0 ? {} : { removeAttendee: attendeeKeys({ chosen: removed, all }, calendarId) }),
  };
}

async function askNewTimes(
  context: FormContext,
  event: CalendarEvent,
  strictDates: boolean,
): Promise<FormChanges> {
  const preset = presetOf(event, context.config.settings().timezone);
  if (preset === null) return {};
  const given: FormTimes = { strictDates, ...(event.category === "keep" ? { category: "keep" } : {}) };
  const { start, end, duration, ...answers } = await askTimes(context, given, preset);
  const length = end === undefined ? { ...(duration && { duration }) } : { end };
  const flags = { ...answers, ...(start && { start }), ...length };
  const [own, span] = [readSpan(event), await checkTimes(context, { ...given, ...flags })];
  const isAllDay = span.allDay === true;
  const isSwitched = isAllDay !== (own.allDay === true);
  const isMoved = !isSameSecond(own.start, span.start);
  if (!isSwitched && !isMoved && isSameSecond(own.end, span.end)) return {};
  return {
    ...(isSwitched ? { allDay: isAllDay } : {}),
    ...((isSwitched || isMoved) && start ? { start } : {}),
    ...length,
  };
}

/** What is shown and typed has no fractions of a second. */
function isSameSecond(one: number | null, other: number | null): boolean {
  return one !== null && other !== null && Math.floor(one / 1000) === Math.floor(other / 1000);
}

/** The times of the event as answers; null when it has none. */
function presetOf(event: CalendarEvent, zone: string): TimesPreset | null {
  const { start_local: start, end_local: end } = localizeEvent(event, zone);
  if (start === null) return null;
  const [day = "", clock] = formatTyped(start, zone).split("T");
  const length = lengthOf(readSpan(event)) ?? (end === null ? undefined : formatTyped(end, zone));
  return { day, ...(clock && { clock }), ...(length && { end: length }) };
}

/** As a flag takes it; undefined for what is no whole minutes. */
function lengthOf({ allDay, start, end }: EventSpan): string | undefined {
  if (start === null || end === null) return undefined;
  const minutes = (end - start) / 60_000;
  if (allDay === true) return `${minutes / (24 * 60)}d`;
  if (!Number.isInteger(minutes) || minutes <= 0) return undefined;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}
