import { type ResolveOptions, resolveName } from "../../calendar/names.js";
import { CliError } from "../../errors.js";
import { shellLine } from "../../output/shell-words.js";
import type { CalendarContext, ChosenCalendar } from "../calendar-choice.js";
import type { EventFieldFlags } from "./event-flags.js";

/** The command line that does what a form was filled in for. */

export interface FilledForm {
  readonly calendar: ChosenCalendar;
  readonly flags: EventFieldFlags;
}

interface LineOptions {
  /** `--profile`; undefined when it was not given. */
  readonly profile: string | undefined;
  /** Those that the calendar was chosen from. */
  readonly calendars: readonly ChosenCalendar[];
}

/** The `events create` that needs no questions, for a shell. */
export function createCommandLine(
  context: Pick<CalendarContext, "flags" | "config">,
  { calendar, flags }: FilledForm,
  { profile, calendars }: LineOptions,
): string {
  return shellLine([
    "calctl",
    ...(profile === undefined ? [] : ["--profile", profile]),
    "events",
    "create",
    ...calendarWords(context, calendar, calendars),
    ...flagWords(flags),
    ...(flags.allDay === true ? [] : ["--timezone", context.config.settings().timezone]),
  ]);
}

/** The calendar as it was given, or as it was picked: by its name if that is unique. */
function calendarWords(
  { flags }: Pick<CalendarContext, "flags">,
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

function flagWords(flags: EventFieldFlags): readonly string[] {
  const { allDay, strictDates, attendee = [], ...values } = flags;
  const texts = {
    "--category": values.category,
    "--title": values.title,
    "--start": values.start,
    "--end": values.end,
    "--duration": values.duration,
    "--start-timezone": values.startTimezone,
    "--end-timezone": values.endTimezone,
    "--description": values.description,
    "--description-file": values.descriptionFile,
    "--location": values.location,
    "--url": values.url,
    "--label": values.label,
  };
  return [
    ...(allDay === true ? ["--all-day"] : []),
    ...(strictDates === true ? ["--strict-dates"] : []),
    ...Object.entries(texts).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
    ...attendee.flatMap((name) => ["--attendee", name]),
  ];
}

/** Undefined where the usage or the name is wrong. */
export function orUndefined<T>(resolve: () => T): T | undefined {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return undefined;
  }
}
