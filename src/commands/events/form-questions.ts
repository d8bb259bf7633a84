import type { Label, User } from "../../../contract/shapes.js";
import { type DateInput, readDuration } from "../../calendar/dates.js";
import { EMPTY_SPAN, type EventSpan, fillEnd } from "../../calendar/event-span.js";
import { checkText } from "../../calendar/event-text.js";
import { applyTimeFlags, planTimes } from "../../calendar/event-times.js";
import { attendeeKey, labelKey } from "../../calendar/names.js";
import { formatLocal, formatTyped, localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import type { CalendarContext } from "../calendar-choice.js";
import { readDateFlag, readTimeFlags } from "./date-flags.js";
import { DEFAULT_LABEL, type EventFieldFlags } from "./event-flags.js";

/** The questions about an event. Their answers are flags. */

export type FormContext = CalendarContext & Pick<Context, "output" | "now">;

export function askTitle({ terminal }: FormContext, preset?: string): Promise<string> {
  return terminal.prompt.text("Title:", {
    ...(preset ? { default: preset } : {}),
    check: (text) => checkText({ title: text }),
  });
}

/** The flags about times that were given, or that an answer gives. */
export type FormTimes = Pick<
  EventFieldFlags,
  "start" | "end" | "duration" | "allDay" | "startTimezone" | "endTimezone" | "strictDates" | "category"
>;

/** What counts if nothing is typed. */
export interface TimesPreset {
  readonly day: string;
  /** Of the start, as `15:00`; absent for all day. */
  readonly clock?: string;
  /** The end or the length; days for all day. */
  readonly end?: string;
}

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

function examplesOf({ strictDates }: FormTimes): typeof EXAMPLES.words {
  return strictDates === true ? EXAMPLES.strict : EXAMPLES.words;
}

/** Asks for start and end, but for those that are given. @returns the flags of the answers alone */
export async function askTimes(
  context: FormContext,
  given: FormTimes,
  preset: TimesPreset,
): Promise<FormTimes> {
  const start = given.start === undefined ? await askStart(context, given, preset) : {};
  if ((given.end ?? given.duration) !== undefined) return start;
  return { ...start, ...(await askEnd(context, { ...given, ...start }, preset)) };
}

async function askStart(context: FormContext, given: FormTimes, preset: TimesPreset): Promise<FormTimes> {
  const answerOf = async (input: DateInput): Promise<FormTimes> => {
    const answer = {
      ...(input.kind === "date" ? { allDay: true } : {}),
      start: isoText(input, startZone(context, given)),
    };
    await checkTimes(context, { ...given, ...answer });
    return answer;
  };
  const day = await askRead<string | FormTimes>(context, {
    question: `Day (${examplesOf(given).day}):`,
    preset: preset.day,
    async read(text, echo) {
      const input = await readTime(context, text, { source: "day", given, from: null, echo });
      return input.kind === "date" && given.allDay !== true ? input.date : answerOf(input);
    },
  });
  if (typeof day !== "string") return day;
  const { start: examples } = examplesOf(given);
  return askRead<FormTimes>(context, {
    question:
      preset.clock === undefined ? `Start (${examples}; nothing for all day):` : `Start (${examples}):`,
    // Seconds and offsets are no words.
    preset:
      preset.clock &&
      (given.strictDates || preset.clock.length > 5 ? `${day}T${preset.clock}` : preset.clock),
    async read(text, echo) {
      if (text === "") return answerOf({ kind: "date", text: day, date: day });
      const start = await readTime(context, text, { source: "start", given, from: day, echo });
      if (start.kind === "date-time") return answerOf(start);
      throw usageError("start: the day is already given", "write a time such as 15:00");
    },
  });
}

async function askEnd(context: FormContext, given: FormTimes, preset: TimesPreset): Promise<FormTimes> {
  const examples = examplesOf(given);
  const { start, allDay = false } = await readSilently(context, given);
  // The preset is days or a time, as the event was.
  const own = allDay === (preset.clock === undefined) ? preset.end : undefined;
  const end = allDay ? own : (own ?? "1h");
  const nothing = end === undefined ? "; nothing for the same day" : "";
  return askRead<FormTimes>(context, {
    question: allDay ? `Last day (${examples.lastDay}${nothing}):` : `End or length (${examples.end}):`,
    preset: end,
    async read(text, echo) {
      if (allDay && text === "") return {};
      const from = start === undefined ? null : dayOf(start, startZone(context, given));
      const answer =
        readDuration(text) === null
          ? {
              end: isoText(
                await readTime(context, text, { source: "end", given, from, echo }),
                endZone(context, given),
              ),
            }
          : { duration: text };
      await checkTimes(context, { ...given, ...answer });
      return answer;
    },
  });
}

/** Reads and checks the times so far. @throws CliError usage */
export async function checkTimes(context: FormContext, typed: FormTimes): Promise<EventSpan> {
  const { timezone: zone } = context.config.settings();
  const flags = await readSilently(context, typed);
  const span = fillEnd(applyTimeFlags(EMPTY_SPAN, flags, zone));
  const hasEnd = (flags.end ?? flags.duration) !== undefined;
  if (hasEnd) planTimes({ ...flags, category: typed.category ?? "schedule", zone });
  return span;
}

/** How words were understood is said when the event is made. */
function readSilently(context: FormContext, typed: FormTimes) {
  return readTimeFlags({ ...context, output: { note: () => undefined } }, typed);
}

function startZone({ config }: FormContext, { startTimezone }: FormTimes): string {
  return startTimezone ?? config.settings().timezone;
}

function endZone({ config }: FormContext, { endTimezone }: FormTimes): string {
  return endTimezone ?? config.settings().timezone;
}

function dayOf(input: DateInput, zone: string): string {
  return input.kind === "date" ? input.date : localDate(input.instant, zone);
}

/** As a flag takes it. */
function isoText(input: DateInput, zone: string): string {
  return input.kind === "date" ? input.date : formatTyped(formatLocal(input.instant, zone), zone);
}

interface ReadQuestion<T> {
  readonly question: string;
  readonly preset: string | undefined;
  /** @param echo takes how words were understood. @throws CliError usage for an answer that is wrong */
  readonly read: (text: string, echo: (reading: string) => void) => Promise<T>;
}

/** Asks until an answer can be read, and prints how its words were understood. */
async function askRead<T>(
  { terminal, output }: FormContext,
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

interface TimeReading {
  /** How messages name the answer. */
  readonly source: "day" | "start" | "end";
  readonly given: FormTimes;
  /** The day from which times alone and weekdays count; null for today. */
  readonly from: string | null;
  readonly echo: (reading: string) => void;
}

function readTime(
  context: FormContext,
  text: string,
  { source, given, from, echo }: TimeReading,
): Promise<DateInput> {
  const zone = source === "end" ? endZone(context, given) : startZone(context, given);
  const strict = given.strictDates === true;
  return readDateFlag(text, { source, zone, now: context.now, strict, echo, from: () => from });
}

/**
 * Asks for a label of the calendar.
 * @param presetOf the one to begin at
 * @returns undefined when it has none
 */
export async function askLabel(
  { api, terminal }: FormContext,
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

export interface AttendeesAnswer {
  readonly chosen: readonly User[];
  /** Those who could be chosen. */
  readonly all: readonly User[];
}

/** Asks for attendees. @param present those who attend. @returns null where only one could attend */
export async function askAttendees(
  { api, terminal }: FormContext,
  calendarId: string,
  present: readonly User[],
): Promise<AttendeesAnswer | null> {
  const members = await (await api()).listMembers(calendarId);
  // An attendee may no longer be a member.
  const all = [...present, ...members.filter(({ id }) => present.every((user) => user.id !== id))];
  if (all.length < 2) return null;
  const choices = all.map((user) => ({ value: user, name: user.name || attendeeKey(user, all, calendarId) }));
  return { chosen: await terminal.prompt.chooseSeveral("Attendees:", choices, present), all };
}

/** Names where they are unique, otherwise ids. */
export function attendeeKeys({ chosen, all }: AttendeesAnswer, calendarId: string): readonly string[] {
  return chosen.map((user) => attendeeKey(user, all, calendarId));
}
