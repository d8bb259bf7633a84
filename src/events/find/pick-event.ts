import { CliError } from "../../errors.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { padText, textWidth, truncateText } from "../../output/table/text-width.js";
import type { Hours } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import { dayOf, describeDay } from "../../time/day-names.js";
import type { LocalizedEvent } from "../localized-event.js";
import { filterEvents } from "../order.js";
import { clockOf, describeWhen } from "../views/event-when.js";
import { candidateCalendars } from "./calendar-choice.js";
import { readQuery } from "./event-query.js";
import { type EventList, readEvents, rememberShown } from "./event-reader.js";

/**
 * The id of the event that is picked on a terminal from those of the next seven days.
 * @throws CliError not_found when there are no events
 */
export async function pickEvent(run: Run): Promise<string> {
  const list = await readNextEvents(run);
  const { timezone } = run.config.settings();
  // They are found again in their calendar, and a short id can be typed next time.
  await rememberShown(run, list.events);
  const [current] = filterEvents(list.events, { remaining: { now: run.now() } }, timezone);
  return run.terminal.prompt.choose("Event:", describeEvents(list, run), current?.id);
}

async function readNextEvents(run: Run): Promise<EventList> {
  const query = await readQuery(run, { days: String(DAYS) });
  const list = await readEvents(run, query, (each) => candidateCalendars(each));
  const isEmpty = list.events.length === 0;
  // What could not be read was reported; the event may be among the others.
  list.reportFailures((failure) => (isEmpty ? failure : null));
  if (!isEmpty) return list;
  throw new CliError("not_found", `there are no events in the next ${DAYS} days to pick from`, {
    hint: "pass the id of the event",
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
function describeEvents({ events, calendars }: EventList, { terminal: { prompt }, config }: Run) {
  const { columns } = prompt;
  const { hours } = config.settings();
  const colors = new Map(calendars.map(({ id, color = null }) => [id, color]));
  const isNarrow = columns < NARROW;
  const whenWidth = isNarrow ? WHEN_WIDTHS.narrow : WHEN_WIDTHS.wide;
  const nameWidths = calendars.map(({ id, name }) => textWidth(sanitizeLine(name || id)));
  const calendarWidth = Math.min(MAX_CALENDAR_WIDTH, Math.max(0, ...nameWidths));
  const hasCalendar = calendars.length > 1 && !isNarrow;
  const room = columns - MARGIN - whenWidth - 2 - (hasCalendar ? calendarWidth + 2 : 0);
  return events.map((event) => {
    const title = sanitizeLine(event.title ?? event.id);
    const calendar = sanitizeLine(event.calendar_name || event.calendar_id);
    const when = padText(describeStart(event, { isNarrow, hours }), whenWidth);
    const shown = truncateText(title, Math.max(1, room));
    const details = [describeWhen(event, { year: true, hours }), title, calendar, event.location ?? ""];
    return {
      value: event.id,
      name: `${when}  ${hasCalendar ? `${padText(shown, room)}  ${truncateText(calendar, calendarWidth)}` : shown}`,
      short: title,
      description: details.filter((detail) => detail !== "").join(" · "),
      color: calendars.length > 1 ? (colors.get(event.calendar_id) ?? null) : null,
    };
  });
}

function describeStart(
  { start_local: start }: LocalizedEvent,
  { isNarrow, hours }: { readonly isNarrow: boolean; readonly hours: Hours },
): string {
  if (start === null) return "no time";
  const day = dayOf(start.slice(0, 10));
  const time = start.length > 10 ? clockOf(start, hours) : "all day";
  return `${isNarrow ? `${day.weekday} ${day.date}` : describeDay(day, { year: false })} ${time}`;
}
