import { checkId, describeCandidates, type NamedValue, resolveName } from "../calendar/names.js";
import type { Context } from "../context.js";
import type { Calendar } from "../contract/shapes.js";
import { CliError, usageError } from "../errors.js";

export type CalendarContext = Pick<Context, "api" | "calendarFlags" | "settings">;

/** A chosen calendar; its name is null when the service forbids listing calendars. */
export type ChosenCalendar = Pick<Calendar, "id" | "name">;

/**
 * The calendar of a command: `--calendar`, then CALCTL_CALENDAR, then the profile's, then the only one that exists.
 * @throws CliError usage when it is ambiguous, not_found when none matches
 */
export async function chooseCalendar(context: CalendarContext): Promise<ChosenCalendar> {
  const [first, second] = namedCalendars(context);
  if (second !== undefined) throw usageError("--calendar: this command takes one calendar");
  const named = first ?? context.settings().defaultCalendar;
  if (named !== undefined) checkId(named.value, named.source);
  const [calendar] = await resolveCalendars(context, named === undefined ? [] : [named]);
  if (calendar === undefined) throw new CliError("not_found", "there are no calendars");
  return calendar;
}

/** The calendars of `--calendar`, in order and without duplicates, otherwise that of `chooseCalendar`. */
export async function chooseCalendars(context: CalendarContext): Promise<readonly ChosenCalendar[]> {
  const named = namedCalendars(context);
  return named.length === 0 ? [await chooseCalendar(context)] : resolveCalendars(context, named);
}

/** Every `--calendar`, without defaults. @throws CliError usage for an empty one */
export function namedCalendars({ calendarFlags }: Pick<Context, "calendarFlags">): readonly NamedValue[] {
  return calendarFlags.map((value) => ({
    value: checkId(value, "--calendar"),
    source: "--calendar",
  }));
}

/** Resolves names to calendars; without names the only calendar that exists. */
export async function resolveCalendars(
  context: Pick<Context, "api">,
  named: readonly NamedValue[],
): Promise<readonly ChosenCalendar[]> {
  const calendars = await listCalendars(context, named);
  if (calendars === null) return named.map(({ value }) => ({ id: value, name: null }));
  if (named.length > 0) {
    const found = named.map(({ value, source }) =>
      resolveName(value, calendars, { noun: "calendar", source, prefix: true }),
    );
    return [...new Set(found)];
  }
  if (calendars.length > 1) {
    throw usageError(
      "there are several calendars: choose one with --calendar",
      `calendars: ${describeCandidates(calendars)}`,
    );
  }
  return calendars;
}

/** Null when the service forbids listing calendars: names are then taken as ids. */
async function listCalendars(
  { api }: Pick<Context, "api">,
  named: readonly NamedValue[],
): Promise<readonly Calendar[] | null> {
  try {
    return await (await api()).listCalendars();
  } catch (error) {
    if (error instanceof CliError && error.code === "forbidden" && named.length > 0) return null;
    throw error;
  }
}
