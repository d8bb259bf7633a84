import type { Label, User } from "../../../contract/shapes.js";
import { type DateInput, dayOfInput, readDuration, typedInput } from "../../calendar/dates.js";
import { attendeeKey, labelKey } from "../../calendar/names.js";
import { usageError } from "../../errors.js";
import { newSpan, newTimes } from "../../events/draft.js";
import { checkText } from "../../events/patch.js";
import type { EventSpan } from "../../events/times.js";
import { defaultLength, readDateFlag, readTimeFlags } from "./date-flags.js";
import { DEFAULT_LABEL, type EventFieldFlags } from "./event-flags.js";
import type { EventContext } from "./event-reader.js";

/** The questions about an event. Their answers are flags. */

export function askTitle({ terminal }: EventContext, preset?: string): Promise<string> {
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
function examplesOf({ strictDates }: FormTimes) {
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
export async function askTimes(
  context: EventContext,
  given: FormTimes,
  preset: TimesPreset,
): Promise<FormTimes> {
  const start = given.start === undefined ? await askStart(context, given, preset) : {};
  if ((given.end ?? given.duration) !== undefined) return start;
  return { ...start, ...(await askEnd(context, { ...given, ...start }, preset)) };
}

async function askStart(context: EventContext, given: FormTimes, preset: TimesPreset): Promise<FormTimes> {
  const examples = examplesOf(given);
  const { clock } = preset;
  const answerOf = async (input: DateInput): Promise<FormTimes> => {
    const allDay = input.kind === "date" ? { allDay: true } : {};
    const answer = { ...allDay, start: typedInput(input, zoneOf(context, given.startTimezone)) };
    await checkTimes(context, { ...given, ...answer });
    return answer;
  };
  const day = await askRead<string | FormTimes>(context, {
    question: `Day (${examples.day}):`,
    preset: preset.day,
    async read(text, echo) {
      const input = await readTime(context, text, { source: "day", given, from: null, echo });
      return input.kind === "date" && given.allDay !== true ? input.date : answerOf(input);
    },
  });
  if (typeof day !== "string") return day;
  // Seconds and offsets are no words.
  const isWhole = given.strictDates === true || (clock?.length ?? 0) > 5;
  return askRead<FormTimes>(context, {
    question: `Start (${examples.start}${clock === undefined ? "; nothing for all day" : ""}):`,
    preset: clock && (isWhole ? `${day}T${clock}` : clock),
    async read(text, echo) {
      if (text === "") return answerOf({ kind: "date", text: day, date: day });
      const start = await readTime(context, text, { source: "start", given, from: day, echo });
      if (start.kind === "date-time") return answerOf(start);
      throw usageError("start: the day is already given", "write a time such as 15:00");
    },
  });
}

async function askEnd(context: EventContext, given: FormTimes, preset: TimesPreset): Promise<FormTimes> {
  const examples = examplesOf(given);
  const { start, allDay = false } = await readSilently(context, given);
  // The preset is days or a time, as the event was.
  const own = allDay === (preset.clock === undefined) ? preset.end : undefined;
  const end = allDay ? own : (own ?? defaultLength(context.config.settings()).text);
  const nothing = end === undefined ? "; nothing for the same day" : "";
  return askRead<FormTimes>(context, {
    question: allDay ? `Last day (${examples.lastDay}${nothing}):` : `End or length (${examples.end}):`,
    preset: end,
    async read(text, echo) {
      if (allDay && text === "") return {};
      let answer: FormTimes = { duration: text };
      if (readDuration(text) === null) {
        const from = start ? dayOfInput(start, zoneOf(context, given.startTimezone)) : null;
        const input = await readTime(context, text, { source: "end", given, from, echo });
        answer = { end: typedInput(input, zoneOf(context, given.endTimezone)) };
      }
      await checkTimes(context, { ...given, ...answer });
      return answer;
    },
  });
}

/** Reads and checks the times so far. @throws CliError usage */
export async function checkTimes(context: EventContext, typed: FormTimes): Promise<EventSpan> {
  const { timezone: zone } = context.config.settings();
  const flags = await readSilently(context, typed);
  const span = newSpan([flags], zone);
  const hasEnd = (flags.end ?? flags.duration) !== undefined;
  if (hasEnd) newTimes([flags], { category: typed.category ?? "schedule", zone });
  return span;
}

/** How words were understood is said when the event is made. */
function readSilently(context: EventContext, typed: FormTimes) {
  return readTimeFlags({ ...context, output: { note: () => undefined } }, typed);
}

function zoneOf({ config }: EventContext, typed: string | undefined): string {
  return typed ?? config.settings().timezone;
}

/** What stands for an event that does not repeat. */
const ONCE = "once";

/** Asks how often the event takes place; undefined for once. */
export function askRepeat(context: EventContext, preset = ONCE): Promise<string | undefined> {
  return askRead<string | undefined>(context, {
    question: "Repeat (daily, weekly on mon):",
    preset,
    async read(text) {
      if (text === "" || text === ONCE) return undefined;
      const { parseRepeat } = await import("../../calendar/recurrence-input.js");
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
  { terminal, output }: EventContext,
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
  readonly given: FormTimes;
  /** The day from which times alone and weekdays count; null for today. */
  readonly from: string | null;
  readonly echo: (reading: string) => void;
}

function readTime(
  context: EventContext,
  text: string,
  { source, given, from, echo }: TimeOptions,
): Promise<DateInput> {
  const zone = zoneOf(context, source === "end" ? given.endTimezone : given.startTimezone);
  const strict = given.strictDates === true;
  return readDateFlag(text, { source, zone, now: context.now, strict, echo, from: () => from });
}

/**
 * Asks for a label of the calendar.
 * @param presetOf the one to begin at
 * @returns undefined when it has none
 */
export async function askLabel(
  { api, terminal }: EventContext,
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
export async function askAttendees(
  { api, terminal }: EventContext,
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
