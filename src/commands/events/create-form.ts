import { type DateInput, parseDuration, readDuration } from "../../calendar/dates.js";
import { checkText } from "../../calendar/event-text.js";
import { planTimes, type TimeFlags } from "../../calendar/event-times.js";
import { attendeeKey, labelKey, resolveLabel } from "../../calendar/names.js";
import { formatLocal, formatTyped, localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { type CalendarContext, candidateCalendars, chooseOneCalendar } from "../calendar-choice.js";
import { createCommandLine, type FilledForm, orUndefined } from "./create-command-line.js";
import { readDateFlag } from "./date-flags.js";
import { DEFAULT_LABEL, type EventFieldFlags } from "./event-flags.js";

/** The questions of `events create` without flags. Their answers are flags, so that a command line can do the same. */

export type FormContext = CalendarContext & Pick<Context, "note" | "now">;

export interface FormOptions {
  /** `--profile`; undefined when it was not given. */
  readonly profile: string | undefined;
  /** Whether only ISO 8601 is read. */
  readonly strictDates: boolean;
}

/** Asks for a new event, and prints the command line that creates the same one without questions. */
export async function askEvent(
  context: FormContext,
  { profile, strictDates }: FormOptions,
): Promise<FilledForm> {
  const calendars = await candidateCalendars(context);
  const calendar = await chooseOneCalendar(context, calendars);
  const title = await context.prompt.text("Title:", { check: (text) => checkText({ title: text }) });
  const times = await askTimes({ ...context, strictDates });
  const label = await askLabel(context, calendar.id);
  const attendees = await askAttendees(context, calendar.id);
  const flags = { title, ...times, ...label, ...attendees };
  context.note("The same without questions:");
  context.note(`  ${createCommandLine(context, { calendar, flags }, { profile, calendars })}`);
  return { calendar, flags };
}

type TimesContext = FormContext & Pick<FormOptions, "strictDates">;

type FormTimes = Pick<EventFieldFlags, "start" | "end" | "duration" | "allDay">;

/** Examples of answers in the questions, where dates may be words and where they may not. */
const EXAMPLES = {
  words: {
    day: "tomorrow, fri, 24 dec",
    start: "15:00, 3pm",
    end: "16:00, 90m",
    lastDay: "sun, 2d",
  },
  strict: {
    day: "YYYY-MM-DD",
    start: "YYYY-MM-DDTHH:MM",
    end: "YYYY-MM-DDTHH:MM, 90m",
    lastDay: "YYYY-MM-DD, 2d",
  },
};

function examplesOf({ strictDates }: TimesContext): typeof EXAMPLES.words {
  return strictDates ? EXAMPLES.strict : EXAMPLES.words;
}

async function askTimes(context: TimesContext): Promise<FormTimes> {
  const day = await askRead(context, {
    question: `Day (${examplesOf(context).day}):`,
    preset: context.strictDates ? localDate(context.now(), context.settings().timezone) : "today",
    read: (text, echo) => readTime(context, text, { source: "day", from: null, echo }),
  });
  const start = day.kind === "date-time" ? day : await askStart(context, day);
  const end = await askEnd(context, start);
  return { ...(start.kind === "date" ? { allDay: true } : {}), start: isoText(start, context), ...end };
}

/** The same day if nothing is typed. */
function askStart(context: TimesContext, day: DateInput & { readonly kind: "date" }): Promise<DateInput> {
  return askRead<DateInput>(context, {
    question: `Start (${examplesOf(context).start}; nothing for all day):`,
    async read(text, echo) {
      if (text === "") return day;
      const start = await readTime(context, text, { source: "start", from: day.date, echo });
      if (start.kind === "date-time") return start;
      throw usageError("start: the day is already given", "write a time such as 15:00");
    },
  });
}

function askEnd(context: TimesContext, start: DateInput): Promise<FormTimes> {
  const zone = context.settings().timezone;
  const examples = examplesOf(context);
  const isAllDay = start.kind === "date";
  const check = (times: TimeFlags) =>
    void planTimes({ start, ...(isAllDay ? { allDay: true } : {}), ...times, category: "schedule", zone });
  return askRead<FormTimes>(context, {
    question: isAllDay
      ? `Last day (${examples.lastDay}; nothing for the same day):`
      : `End or length (${examples.end}):`,
    ...(isAllDay ? {} : { preset: "1h" }),
    async read(text, echo) {
      if (isAllDay && text === "") return {};
      if (readDuration(text) !== null) {
        check({ duration: parseDuration(text, "length") });
        return { duration: text };
      }
      const from = start.kind === "date" ? start.date : localDate(start.instant, zone);
      const end = await readTime(context, text, { source: "end", from, echo });
      check({ end });
      return { end: isoText(end, context) };
    },
  });
}

interface ReadQuestion<T> {
  readonly question: string;
  readonly preset?: string;
  /** @param echo takes how words were understood. @throws CliError usage for an answer that is wrong */
  readonly read: (text: string, echo: (reading: string) => void) => Promise<T>;
}

/** Asks until an answer can be read, and prints how its words were understood. */
async function askRead<T>(
  { prompt, note }: FormContext,
  { question, preset, read }: ReadQuestion<T>,
): Promise<T> {
  let answer: { readonly value: T } | undefined;
  let reading: string | undefined;
  await prompt.text(question, {
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
  if (reading !== undefined) note(`  ${reading}`);
  return answer.value;
}

interface TimeReading {
  /** How messages name the answer. */
  readonly source: string;
  /** The day from which times alone and weekdays count; null for today. */
  readonly from: string | null;
  readonly echo: (reading: string) => void;
}

function readTime(
  { settings, now, strictDates: strict }: TimesContext,
  text: string,
  { from, ...reading }: TimeReading,
): Promise<DateInput> {
  const { timezone: zone } = settings();
  return readDateFlag(text, { ...reading, zone, now, strict, from: () => from });
}

/** As a flag takes it. */
function isoText(input: DateInput, { settings }: FormContext): string {
  if (input.kind === "date") return input.date;
  const { timezone } = settings();
  return formatTyped(formatLocal(input.instant, timezone), timezone);
}

async function askLabel(
  { api, prompt, settings }: FormContext,
  calendarId: string,
): Promise<Pick<EventFieldFlags, "label">> {
  const labels = await (await api()).listLabels(calendarId);
  if (labels.length === 0) return {};
  const { value, source } = settings().setting("label") ?? { value: DEFAULT_LABEL, source: "label" };
  const preset = orUndefined(() => resolveLabel(value, labels, { calendarId, source }));
  const choices = labels.map((label) => ({
    value: label,
    name: `${labelKey(label)} ${label.name || (labelKey(label) === DEFAULT_LABEL ? "(default)" : "")}`.trim(),
    color: label.color,
  }));
  return { label: labelKey(await prompt.choose("Label:", choices, preset)) };
}

/** Names where they are unique, otherwise ids; nobody where only one could attend. */
async function askAttendees(
  { api, prompt }: FormContext,
  calendarId: string,
): Promise<Pick<EventFieldFlags, "attendee">> {
  const members = await (await api()).listMembers(calendarId);
  if (members.length < 2) return {};
  const choices = members.map((member) => ({
    value: member,
    name: member.name || attendeeKey(member, members, calendarId),
  }));
  const attendees = await prompt.chooseSeveral("Attendees:", choices);
  if (attendees.length === 0) return {};
  return { attendee: attendees.map((member) => attendeeKey(member, members, calendarId)) };
}
