import type { CalendarEvent } from "../../../contract/shapes.js";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
import { type LocalizedEvent, localizeEvent } from "../../calendar/event-view.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { CliError } from "../../errors.js";
import { describeWhen } from "../../output/event-when.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { dayOf, describeDay } from "../../output/table/day-names.js";
import { padText, textWidth, truncateText } from "../../output/table/text-width.js";
import { type CalendarContext, type ChosenCalendar, candidateCalendars } from "../calendar-choice.js";
import { recentEventOf } from "./event-ids.js";
import { createEventSource, readEvents } from "./event-source.js";

/** What picking an event needs. */
export type PickContext = CalendarContext & Pick<Context, "terminal" | "output" | "now">;

/**
 * The id of the event that is picked on a terminal from those of the next seven days.
 * @throws CliError not_found when there are no events
 */
export async function pickEvent(context: PickContext): Promise<string> {
  const calendars = await candidateCalendars(context);
  const events = await readNextEvents(context, calendars);
  // They are found again in their calendar, and a short id can be typed next time.
  await context.names
    .recentEvents()
    ?.remember(
      events.map((event) => recentEventOf(localizeEvent(event, context.config.settings().timezone))),
    );
  const lines = describeEvents(events, calendars, context);
  const remaining = { now: context.now() };
  const [current] = filterEvents(events, { remaining }, context.config.settings().timezone);
  return context.terminal.prompt.choose("Event:", lines, current?.id);
}

async function readNextEvents(
  context: PickContext,
  calendars: readonly ChosenCalendar[],
): Promise<readonly CalendarEvent[]> {
  const { timezone } = context.config.settings();
  const open = createEventSource(context, { kind: "upcoming", days: DAYS });
  const { results, reportFailures } = await readEvents(context, calendars, { open });
  const firstDay = localDate(context.now(), timezone);
  const events = sortEvents(results.flat(), { zone: timezone, firstDay });
  try {
    reportFailures();
  } catch (error) {
    // What could not be read was reported; the event may be among the others.
    if (!(error instanceof CliError) || error.code === "interrupted" || events.length === 0) throw error;
  }
  if (events.length > 0) return events;
  throw new CliError("not_found", `there are no events in the next ${DAYS} days to pick from`, {
    hint: "give the id of the event",
  });
}

/** The days whose events are offered: as many as a service lists. */
const DAYS = 7;

/** Columns of `Sat 21 Nov 15:00`, and of `Sat 21 15:00` where there is less room. */
const WHEN_WIDTHS = { wide: "Sat 21 Nov all day".length, narrow: "Sat 21 all day".length };
const NARROW = 60;
/** Columns of the longest calendar's name. */
const MAX_CALENDAR_WIDTH = 20;
/** Columns that the list needs beside a line. */
const MARGIN = 8;

/** Lines with day, time, title and calendar. Titles are cut where a calendar follows, and shown in full below. */
function describeEvents(
  events: readonly CalendarEvent[],
  calendars: readonly ChosenCalendar[],
  {
    config,
    terminal: {
      prompt: { columns },
    },
  }: PickContext,
) {
  const named = new Map(calendars.map((calendar) => [calendar.id, calendar]));
  const isNarrow = columns < NARROW;
  const whenWidth = isNarrow ? WHEN_WIDTHS.narrow : WHEN_WIDTHS.wide;
  const nameWidths = calendars.map(({ id, name }) => textWidth(sanitizeLine(name || id)));
  const calendarWidth = Math.min(MAX_CALENDAR_WIDTH, Math.max(0, ...nameWidths));
  const hasCalendar = calendars.length > 1 && !isNarrow;
  const room = columns - MARGIN - whenWidth - 2 - (hasCalendar ? calendarWidth + 2 : 0);
  return events.map((each) => {
    const owner = named.get(each.calendar_id);
    const event = localizeEvent(each, config.settings().timezone, owner?.name);
    const title = sanitizeLine(event.title ?? event.id);
    const calendar = sanitizeLine(event.calendar_name || event.calendar_id);
    const when = padText(describeStart(event, isNarrow), whenWidth);
    const shown = truncateText(title, Math.max(1, room));
    const details = [describeWhen(event, { year: true }), title, calendar, event.location ?? ""];
    return {
      value: event.id,
      name: `${when}  ${hasCalendar ? `${padText(shown, room)}  ${truncateText(calendar, calendarWidth)}` : shown}`,
      short: title,
      description: details.filter((detail) => detail !== "").join(" · "),
      color: calendars.length > 1 ? (owner?.color ?? null) : null,
    };
  });
}

function describeStart({ start_local: start }: LocalizedEvent, isNarrow: boolean): string {
  if (start === null) return "no time";
  const day = dayOf(start.slice(0, 10));
  const time = start.length > 10 ? start.slice(11, 16) : "all day";
  return `${isNarrow ? `${day.weekday} ${day.date}` : describeDay(day, { year: false })} ${time}`;
}
