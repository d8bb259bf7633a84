import { checkId, describeCandidates, resolveName } from "../calendar/names.js";
import type { Context } from "../context.js";
import type { Calendar } from "../contract/shapes.js";
import { CliError, usageError } from "../errors.js";

/** What choosing a calendar needs. */
export type CalendarContext = Pick<Context, "api" | "calendarFlags" | "settings">;

/** A calendar that was chosen; its name is null where the calendars may not be listed. */
export type ChosenCalendar = Pick<Calendar, "id" | "name">;

interface Wanted {
  readonly value: string;
  /** Names it in messages. */
  readonly source: string;
}

/**
 * The one calendar of a command: `--calendar`, else CALCTL_CALENDAR, else the profile's, else the only one there is.
 * @throws CliError usage when none or several are named, not_found when nothing fits
 */
export async function chooseCalendar(context: CalendarContext): Promise<ChosenCalendar> {
  const [first, second] = wantedByFlag(context);
  if (second !== undefined) throw usageError("--calendar: this command takes one calendar");
  const wanted = first ?? context.settings().defaultCalendar;
  if (wanted !== undefined) checkId(wanted.value, wanted.source);
  const [calendar] = await resolveCalendars(context, wanted === undefined ? [] : [wanted]);
  if (calendar === undefined) throw new CliError("not_found", "there is no calendar");
  return calendar;
}

/** The calendars of `--calendar`, in order and each once, else the one `chooseCalendar` would take. */
export async function chooseCalendars(context: CalendarContext): Promise<readonly ChosenCalendar[]> {
  const wanted = wantedByFlag(context);
  return wanted.length === 0 ? [await chooseCalendar(context)] : resolveCalendars(context, wanted);
}

/** Every `--calendar` that was typed; no default counts. @throws CliError usage for an empty one */
export function wantedByFlag({ calendarFlags }: Pick<Context, "calendarFlags">): readonly Wanted[] {
  return calendarFlags.map((value) => ({
    value: checkId(value, "--calendar"),
    source: "--calendar",
  }));
}

/** Resolves what is named, or with nothing named the only calendar there is. */
export async function resolveCalendars(
  context: Pick<Context, "api">,
  wanted: readonly Wanted[],
): Promise<readonly ChosenCalendar[]> {
  const calendars = await listCalendars(context, wanted);
  if (calendars === null) return wanted.map(({ value }) => ({ id: value, name: null }));
  if (wanted.length > 0) {
    const found = wanted.map(({ value, source }) =>
      resolveName(value, calendars, { noun: "calendar", source, prefix: true }),
    );
    return [...new Set(found)];
  }
  if (calendars.length > 1) {
    throw usageError(
      "several calendars are there: say which with --calendar",
      `calendars: ${describeCandidates(calendars)}`,
    );
  }
  return calendars;
}

/** Null where the service lets nobody list calendars: what is named is then taken as an id. */
async function listCalendars(
  { api }: Pick<Context, "api">,
  wanted: readonly Wanted[],
): Promise<readonly Calendar[] | null> {
  try {
    return await (await api()).listCalendars();
  } catch (error) {
    if (error instanceof CliError && error.code === "forbidden" && wanted.length > 0) return null;
    throw error;
  }
}
