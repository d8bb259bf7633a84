import type { Event, Label, User } from "../../../contract/shapes.js";
import { CliError, usageError } from "../../errors.js";
import { shellLine } from "../../output/words.js";
import type { Run } from "../../run/run.js";
import { type DateInput, dayOfInput, readDuration, typedInput } from "../../time/dates.js";
import { formatTyped, localDate } from "../../time/zoned-time.js";
import { newSpan, newTimes } from "../draft.js";
import { type ChosenCalendar, candidateCalendars, chooseOneCalendar } from "../find/calendar-choice.js";
import { localizeEvent } from "../localized-event.js";
import { attendeeKey, labelKey, type ResolveOptions, resolveLabel, resolveName } from "../names.js";
import { checkPatch, checkText } from "../patch.js";
import { createRelatedResolver, DEFAULT_LABEL } from "../related.js";
import { type EventSpan, readSpan } from "../times.js";
import { defaultLength, readDateFlag } from "./date-flags.js";
import { type EventFlags, flagWords, namedValues, readTimeFlags } from "./event-flags.js";

/** What `events create` and `events update` ask for. The answers are flags, so that a command line can do the same. */

interface FormOptions {
  /** `--profile`; undefined when it was not given. */
  readonly profile: string | undefined;
  /** The flags that the event still needs, as messages name them. */
  readonly missing: readonly string[];
  /** What the answers are at first; what is not asked for is taken from it. */
  readonly preset?: EventFlags;
  /** Where it is chosen already. */
  readonly calendar?: ChosenCalendar;
}

/**
 * Asks for what the flags of a new event leave out, after a check of those, and prints the command line that creates the
 * same event without questions.
 */
export async function askEvent(
  run: Run,
  given: EventFlags,
  { profile, missing, preset = {}, calendar: chosen }: FormOptions,
): Promise<{ readonly calendar: ChosenCalendar; readonly flags: EventFlags }> {
  const { title: givenTitle, description, location, url } = given;
  checkPatch({ title: givenTitle, description, location, url });
  if (given.start !== undefined) await checkTimes(run, given);
  const calendars = await candidateCalendars(run, "writeCalendar");
  const calendar = chosen ?? (await chooseOneCalendar(run, calendars));
  await checkRelated(run, given, calendar.id);
  const title = givenTitle ?? (await askTitle(run, preset.title));
  const needsTimes = missing.some((flag) => flag !== "--title");
  const when = needsTimes ? await askWhen(run, given, { preset, calendarId: calendar.id }) : {};
  const label = given.label ?? (await askNewLabel(run, calendar.id, preset.label));
  const attendee = given.attendee ?? (await askAttendees(run, calendar.id, [])).added;
  const flags = {
    ...given,
    ...(preset.location !== undefined && { location: preset.location }),
    title,
    ...when,
    ...(label === undefined ? {} : { label }),
    ...(attendee.length === 0 && given.attendee === undefined ? {} : { attendee }),
  };
  const words = ["calctl", ...(profile === undefined ? [] : ["--profile", profile]), "events", "create"];
  const zone = flags.allDay === true ? [] : ["--timezone", run.config.settings().timezone];
  words.push(...calendarWords(run, calendar, calendars), ...flagWords(flags), ...zone);
  run.output.note("The same without questions:");
  run.output.note(`  ${shellLine(words)}`);
  return { calendar, flags };
}

/** Asks for the times, and where the service stores series, how often they are. */
async function askWhen(
  run: Run,
  given: EventFlags,
  { preset, calendarId }: { readonly preset: EventFlags; readonly calendarId: string },
): Promise<EventFlags> {
  const day = given.strictDates === true ? localDate(run.now(), run.config.settings().timezone) : "today";
  const times = await askTimes(run, given, { day, ...(await timesPreset(run, preset)) });
  const isAsked =
    given.repeat === undefined && (await (await run.api()).hasExtension("recurrences", calendarId));
  const repeat = isAsked ? await askRepeat(run, preset.repeat) : undefined;
  const { until, count } = preset;
  const end = { ...(until !== undefined && { until }), ...(count !== undefined && { count }) };
  return { ...times, ...(repeat !== undefined && { repeat, ...end }) };
}

/** @throws CliError not_found for a label or an attendee that the calendar does not have */
async function checkRelated(run: Run, { label, attendee }: EventFlags, calendarId: string): Promise<void> {
  const resolver = createRelatedResolver(run, calendarId);
  if (label !== undefined) await resolver.labelId({ value: label, source: "--label" });
  await resolver.attendeeIds(namedValues(attendee, "--attendee"));
}

/** Times in ISO 8601 as answers: those of a start and a length. */
async function timesPreset(run: Run, flags: EventFlags): Promise<Partial<TimesPreset>> {
  const [day = "", clock] = flags.start?.split("T") ?? [];
  if (day === "") return {};
  const end = lengthOf(await checkTimes(run, flags));
  return { day, ...(clock && { clock }), ...(end && { end }) };
}

/** Begins at the profile's. */
function askNewLabel(run: Run, calendarId: string, preset?: string): Promise<string | undefined> {
  const { value, source } = (preset === undefined
    ? run.config.settings().setting("label")
    : { value: preset, source: "label" }) ?? { value: DEFAULT_LABEL, source: "label" };
  return askLabel(run, calendarId, (labels) =>
    orUndefined(() => resolveLabel(value, labels, { calendarId, source })),
  );
}

/** The calendar as it was given, or as it was picked: by its name if that is unique. */
function calendarWords(
  { flags }: Run,
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

/**
 * Asks for an event again: the form is filled in with it. Times of a keep without any are not asked for.
 * @returns the answers that change something, as flags; empty when none does
 */
export async function askChanges(
  run: Run,
  event: Event,
  { strictDates = false }: Pick<EventFlags, "strictDates">,
): Promise<EventFlags> {
  const { calendar_id: calendarId, label: own, attendees } = event;
  const title = await askTitle(run, event.title ?? undefined);
  const times = await askNewTimes(run, event, strictDates);
  const ownLabel = own === null ? undefined : labelKey(own);
  const label = await askLabel(run, calendarId, (labels) =>
    labels.find((each) => labelKey(each) === ownLabel),
  );
  const { added, removed } = await askAttendees(run, calendarId, attendees);
  return {
    ...(title === event.title ? {} : { title }),
    ...times,
    ...(label === undefined || label === ownLabel ? {} : { label }),
    ...(added.length === 0 ? {} : { addAttendee: added }),
    ...(removed.length === 0 ? {} : { removeAttendee: removed }),
  };
}

async function askNewTimes(run: Run, event: Event, strictDates: boolean): Promise<EventFlags> {
  const preset = presetOf(event, run.config.settings().timezone);
  if (preset === null) return {};
  const given: EventFlags = { strictDates, ...(event.category === "keep" ? { category: "keep" } : {}) };
  const { start, end, duration, ...answers } = await askTimes(run, given, preset);
  const length = end === undefined ? { ...(duration && { duration }) } : { end };
  const flags = { ...answers, ...(start && { start }), ...length };
  const [own, span] = [readSpan(event), await checkTimes(run, { ...given, ...flags })];
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
function presetOf(event: Event, zone: string): TimesPreset | null {
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

function askTitle({ terminal }: Run, preset?: string): Promise<string> {
  return terminal.prompt.text("Title:", {
    ...(preset ? { default: preset } : {}),
    check: (text) => checkText({ title: text }),
  });
}

/** What counts if nothing is typed. */
interface TimesPreset {
  readonly day: string;
  /** Of the start, as `15:00`; absent for all day. */
  readonly clock?: string;
  /** The end or the length; days for all day. */
  readonly end?: string;
}

/** Examples of answers in the questions, where dates may be words and where they may not. */
function examplesOf({ strictDates }: EventFlags) {
  return strictDates === true
    ? {
        day: "YYYY-MM-DD",
        start: "YYYY-MM-DDTHH:MM",
        end: "YYYY-MM-DDTHH:MM, 90m",
        lastDay: "YYYY-MM-DD, 2d",
      }
    : { day: "tomorrow, fri, 24 dec", start: "15:00, 3pm", end: "16:00, 90m", lastDay: "sun, 2d" };
}

/** Asks for start and end, but for those that are given. @returns the flags of the answers alone */
async function askTimes(run: Run, given: EventFlags, preset: TimesPreset): Promise<EventFlags> {
  const start = given.start === undefined ? await askStart(run, given, preset) : {};
  if ((given.end ?? given.duration) !== undefined) return start;
  return { ...start, ...(await askEnd(run, { ...given, ...start }, preset)) };
}

async function askStart(run: Run, given: EventFlags, preset: TimesPreset): Promise<EventFlags> {
  const examples = examplesOf(given);
  const { clock } = preset;
  const answerOf = async (input: DateInput): Promise<EventFlags> => {
    const allDay = input.kind === "date" ? { allDay: true } : {};
    const answer = { ...allDay, start: typedInput(input, zoneOf(run, given.startTimezone)) };
    await checkTimes(run, { ...given, ...answer });
    return answer;
  };
  const day = await askRead<string | EventFlags>(run, {
    question: `Day (${examples.day}):`,
    preset: preset.day,
    async read(text, echo) {
      const input = await readTime(run, text, { source: "day", given, from: null, echo });
      return input.kind === "date" && given.allDay !== true ? input.date : answerOf(input);
    },
  });
  if (typeof day !== "string") return day;
  // Dates in words have neither seconds nor offsets.
  const isWhole = given.strictDates === true || (clock?.length ?? 0) > 5;
  return askRead<EventFlags>(run, {
    question: `Start (${examples.start}${clock === undefined ? "; nothing for all day" : ""}):`,
    preset: clock && (isWhole ? `${day}T${clock}` : clock),
    async read(text, echo) {
      if (text === "") return answerOf({ kind: "date", text: day, date: day });
      const start = await readTime(run, text, { source: "start", given, from: day, echo });
      if (start.kind === "date-time") return answerOf(start);
      throw usageError("start: the day is already set", "write a time such as 15:00");
    },
  });
}

async function askEnd(run: Run, given: EventFlags, preset: TimesPreset): Promise<EventFlags> {
  const examples = examplesOf(given);
  const { start, allDay = false } = await readSilently(run, given);
  // The preset is days or a time, as the event was.
  const own = allDay === (preset.clock === undefined) ? preset.end : undefined;
  const end = allDay ? own : (own ?? defaultLength(run.config.settings()).text);
  const nothing = end === undefined ? "; nothing for the same day" : "";
  return askRead<EventFlags>(run, {
    question: allDay ? `Last day (${examples.lastDay}${nothing}):` : `End or length (${examples.end}):`,
    preset: end,
    async read(text, echo) {
      if (allDay && text === "") return {};
      let answer: EventFlags = { duration: text };
      if (readDuration(text) === null) {
        const from = start ? dayOfInput(start, zoneOf(run, given.startTimezone)) : null;
        const input = await readTime(run, text, { source: "end", given, from, echo });
        answer = { end: typedInput(input, zoneOf(run, given.endTimezone)) };
      }
      await checkTimes(run, { ...given, ...answer });
      return answer;
    },
  });
}

/** Reads and checks the times so far. @throws CliError usage */
async function checkTimes(run: Run, typed: EventFlags): Promise<EventSpan> {
  const { timezone: zone } = run.config.settings();
  const flags = await readSilently(run, typed);
  const span = newSpan([flags], zone);
  const hasEnd = (flags.end ?? flags.duration) !== undefined;
  if (hasEnd) newTimes([flags], { category: typed.category ?? "schedule", zone });
  return span;
}

/** How words were understood is said when the event is made. */
function readSilently(run: Run, typed: EventFlags) {
  return readTimeFlags({ ...run, output: { note: () => undefined } }, typed);
}

function zoneOf({ config }: Run, typed: string | undefined): string {
  return typed ?? config.settings().timezone;
}

/** What stands for an event that does not repeat. */
const ONCE = "once";

/** Asks how often the event takes place; undefined for once. */
function askRepeat(run: Run, preset = ONCE): Promise<string | undefined> {
  return askRead<string | undefined>(run, {
    question: "Repeat (daily, weekly on mon):",
    preset,
    async read(text) {
      if (text === "" || text === ONCE) return undefined;
      const { parseRepeat } = await import("../../time/recurrence/input.js");
      parseRepeat(text, "repeat");
      return text;
    },
  });
}

interface ReadQuestion<T> {
  readonly question: string;
  readonly preset: string | undefined;
  /** @param echo takes how words were understood. @throws CliError usage for an answer that is wrong */
  readonly read: (text: string, echo: (reading: string) => void) => Promise<T>;
}

/** Asks until an answer can be read, and prints how its words were understood. */
async function askRead<T>(
  { terminal, output }: Run,
  { question, preset, read }: ReadQuestion<T>,
): Promise<T> {
  let answer: { readonly value: T } | undefined;
  let reading: string | undefined;
  await terminal.prompt.text(question, {
    ...(preset === undefined ? {} : { default: preset }),
    check: async (text) => {
      reading = undefined;
      const echo = (line: string): void => {
        reading = line;
      };
      answer = { value: await read(text.trim(), echo) };
    },
  });
  if (answer === undefined) throw new Error("the prompt took an answer that was not read");
  if (reading !== undefined) output.note(`  ${reading}`);
  return answer.value;
}

interface TimeOptions {
  /** How messages name the answer. */
  readonly source: "day" | "start" | "end";
  readonly given: EventFlags;
  /** The day from which times alone and weekdays count; null for today. */
  readonly from: string | null;
  readonly echo: (reading: string) => void;
}

function readTime(run: Run, text: string, { source, given, from, echo }: TimeOptions): Promise<DateInput> {
  const zone = zoneOf(run, source === "end" ? given.endTimezone : given.startTimezone);
  const strict = given.strictDates === true;
  return readDateFlag(text, { source, zone, now: run.now, strict, echo, from: () => from });
}

/**
 * Asks for a label of the calendar.
 * @param presetOf the one to begin at
 * @returns undefined when it has none
 */
async function askLabel(
  { api, terminal }: Run,
  calendarId: string,
  presetOf: (labels: readonly Label[]) => Label | undefined,
): Promise<string | undefined> {
  const labels = await (await api()).listLabels(calendarId);
  if (labels.length === 0) return undefined;
  const choices = labels.map((label) => ({
    value: label,
    name: `${labelKey(label)} ${label.name || (labelKey(label) === DEFAULT_LABEL ? "(default)" : "")}`.trim(),
    color: label.color,
  }));
  return labelKey(await terminal.prompt.choose("Label:", choices, presetOf(labels)));
}

/**
 * Asks who attends.
 * @param present those who attend
 * @returns who is new and who is gone: names where they are unique, otherwise ids. Nobody where only one could attend.
 */
async function askAttendees(
  { api, terminal }: Run,
  calendarId: string,
  present: readonly User[],
): Promise<{ readonly added: readonly string[]; readonly removed: readonly string[] }> {
  const members = await (await api()).listMembers(calendarId);
  // An attendee may no longer be a member.
  const all = [...present, ...members.filter(({ id }) => present.every((user) => user.id !== id))];
  if (all.length < 2) return { added: [], removed: [] };
  const keyOf = (user: User) => attendeeKey(user, all, calendarId);
  const choices = all.map((user) => ({ value: user, name: user.name || keyOf(user) }));
  const chosen = await terminal.prompt.chooseSeveral("Attendees:", choices, present);
  return {
    added: chosen.filter((user) => !present.includes(user)).map(keyOf),
    removed: present.filter((user) => !chosen.includes(user)).map(keyOf),
  };
}
