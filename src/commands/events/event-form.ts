import type { CalendarEvent } from "../../../contract/shapes.js";
import { localizeEvent } from "../../calendar/event-view.js";
import { labelKey, type ResolveOptions, resolveLabel, resolveName } from "../../calendar/names.js";
import { formatTyped, localDate } from "../../calendar/zoned-time.js";
import { CliError } from "../../errors.js";
import { checkPatch } from "../../events/patch.js";
import { type EventSpan, readSpan } from "../../events/times.js";
import { shellLine } from "../../output/shell-words.js";
import { type ChosenCalendar, candidateCalendars, chooseOneCalendar } from "../calendar-choice.js";
import {
  createRelatedResolver,
  DEFAULT_LABEL,
  type EventFieldFlags,
  flagWords,
  namedValues,
} from "./event-flags.js";
import type { EventContext } from "./event-reader.js";
import {
  askAttendees,
  askLabel,
  askRepeat,
  askTimes,
  askTitle,
  checkTimes,
  type FormTimes,
  type TimesPreset,
} from "./form-questions.js";

/** What `events create` and `events update` ask for. The answers are flags, so that a command line can do the same. */

interface FilledForm {
  readonly calendar: ChosenCalendar;
  readonly flags: EventFieldFlags;
}

interface FormOptions {
  /** `--profile`; undefined when it was not given. */
  readonly profile: string | undefined;
  /** The flags that the event still needs, as messages name them. */
  readonly missing: readonly string[];
  /** What the answers are at first; what is not asked for is taken from it. */
  readonly preset?: EventFieldFlags;
  /** Where it is chosen already. */
  readonly calendar?: ChosenCalendar;
}

/**
 * Asks for what the flags of a new event leave out, after a check of those, and prints the command line that creates the
 * same event without questions.
 */
export async function askEvent(
  context: EventContext,
  given: EventFieldFlags,
  { profile, missing, preset = {}, calendar: chosen }: FormOptions,
): Promise<FilledForm> {
  const { title: givenTitle, description, location, url } = given;
  checkPatch({ title: givenTitle, description, location, url });
  if (given.start !== undefined) await checkTimes(context, given);
  const calendars = await candidateCalendars(context, "writeCalendar");
  const calendar = chosen ?? (await chooseOneCalendar(context, calendars));
  await checkRelated(context, given, calendar.id);
  const title = givenTitle ?? (await askTitle(context, preset.title));
  const needsTimes = missing.some((flag) => flag !== "--title");
  const when = needsTimes ? await askWhen(context, given, { preset, calendarId: calendar.id }) : {};
  const label = given.label ?? (await askNewLabel(context, calendar.id, preset.label));
  const attendee = given.attendee ?? (await askAttendees(context, calendar.id, [])).added;
  const flags = {
    ...given,
    ...(preset.location !== undefined && { location: preset.location }),
    title,
    ...when,
    ...(label === undefined ? {} : { label }),
    ...(attendee.length === 0 && given.attendee === undefined ? {} : { attendee }),
  };
  const words = ["calctl", ...(profile === undefined ? [] : ["--profile", profile]), "events", "create"];
  const zone = flags.allDay === true ? [] : ["--timezone", context.config.settings().timezone];
  words.push(...calendarWords(context, calendar, calendars), ...flagWords(flags), ...zone);
  context.output.note("The same without questions:");
  context.output.note(`  ${shellLine(words)}`);
  return { calendar, flags };
}

/** Asks for the times, and where the service stores series, how often they are. */
async function askWhen(
  context: EventContext,
  given: EventFieldFlags,
  { preset, calendarId }: { readonly preset: EventFieldFlags; readonly calendarId: string },
): Promise<FormTimes & Pick<EventFieldFlags, "repeat" | "until" | "count">> {
  const day =
    given.strictDates === true ? localDate(context.now(), context.config.settings().timezone) : "today";
  const times = await askTimes(context, given, { day, ...(await timesPreset(context, preset)) });
  const isAsked =
    given.repeat === undefined && (await (await context.api()).hasExtension("recurrences", calendarId));
  const repeat = isAsked ? await askRepeat(context, preset.repeat) : undefined;
  const { until, count } = preset;
  const end = { ...(until !== undefined && { until }), ...(count !== undefined && { count }) };
  return { ...times, ...(repeat !== undefined && { repeat, ...end }) };
}

/** @throws CliError not_found for a label or an attendee that the calendar does not have */
async function checkRelated(
  context: EventContext,
  { label, attendee }: EventFieldFlags,
  calendarId: string,
): Promise<void> {
  const resolver = createRelatedResolver(context, calendarId);
  if (label !== undefined) await resolver.labelId({ value: label, source: "--label" });
  await resolver.attendeeIds(namedValues(attendee, "--attendee"));
}

/** Times in ISO 8601 as answers: those of a start and a length. */
async function timesPreset(context: EventContext, flags: EventFieldFlags): Promise<Partial<TimesPreset>> {
  const [day = "", clock] = flags.start?.split("T") ?? [];
  if (day === "") return {};
  const end = lengthOf(await checkTimes(context, flags));
  return { day, ...(clock && { clock }), ...(end && { end }) };
}

/** Begins at the profile's. */
function askNewLabel(
  context: EventContext,
  calendarId: string,
  preset?: string,
): Promise<string | undefined> {
  const { value, source } = (preset === undefined
    ? context.config.settings().setting("label")
    : { value: preset, source: "label" }) ?? { value: DEFAULT_LABEL, source: "label" };
  return askLabel(context, calendarId, (labels) =>
    orUndefined(() => resolveLabel(value, labels, { calendarId, source })),
  );
}

/** The calendar as it was given, or as it was picked: by its name if that is unique. */
function calendarWords(
  { flags }: Pick<EventContext, "flags">,
  { id, name }: ChosenCalendar,
  calendars: readonly ChosenCalendar[],
): readonly string[] {
  const [given] = flags.calendars;
  if (given !== undefined) return ["--calendar", given];
  if (calendars.length === 1) return [];
  const options: ResolveOptions = { noun: "calendar", source: "--calendar", byPrefix: true };
  const found = name && orUndefined(() => resolveName(name, calendars, options));
  return ["--calendar", name && found && found.id === id ? name : id];
}

/** Undefined where the usage or the name is wrong. */
function orUndefined<T>(resolve: () => T): T | undefined {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return undefined;
  }
}

/** The answers that change something, as flags; empty when none does. */
interface FormChanges
  extends Pick<EventFieldFlags, "title" | "label" | "start" | "end" | "duration" | "allDay"> {
  readonly addAttendee?: readonly string[];
  readonly removeAttendee?: readonly string[];
}

/** Asks for an event again: the form is filled in with it. Times of a keep without any are not asked for. */
export async function askChanges(
  context: EventContext,
  event: CalendarEvent,
  { strictDates = false }: Pick<EventFieldFlags, "strictDates">,
): Promise<FormChanges> {
  const { calendar_id: calendarId, label: own, attendees } = event;
  const title = await askTitle(context, event.title ?? undefined);
  const times = await askNewTimes(context, event, strictDates);
  const ownLabel = own === null ? undefined : labelKey(own);
  const label = await askLabel(context, calendarId, (labels) =>
    labels.find((each) => labelKey(each) === ownLabel),
  );
  const { added, removed } = await askAttendees(context, calendarId, attendees);
  return {
    ...(title === event.title ? {} : { title }),
    ...times,
    ...(label === undefined || label === ownLabel ? {} : { label }),
    ...(added.length === 0 ? {} : { addAttendee: added }),
    ...(removed.length === 0 ? {} : { removeAttendee: removed }),
  };
}

async function askNewTimes(
  context: EventContext,
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
