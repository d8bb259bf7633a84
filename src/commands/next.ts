import type { Command } from "commander";
import { lastOfDays, parseDuration } from "../calendar/dates.js";
import type { DayRange } from "../calendar/day-list.js";
import { readStart } from "../calendar/event-span.js";
import type { LocalizedEvent } from "../calendar/event-view.js";
import { addDuration, localDate, wallClockAt } from "../calendar/zoned-time.js";
import { addAction, type ContextOf, describeCommand } from "../cli/command.js";
import { usageError } from "../errors.js";
import { describeWait } from "../output/event-when.js";
import { eventView } from "../output/views/event.js";
import { type EventQuery, parseLimit, readQuery } from "./events/event-query.js";
import { type EventContext, type EventList, readEvents } from "./events/event-reader.js";
import { printList } from "./events/list.js";

/** As typed. */
export interface NextOptions {
  readonly limit?: string;
  readonly within?: string;
  readonly allDay?: boolean;
}

/** What every service lists. */
const WEEK = 7;
/** How far events are looked for that are not in the week, in days. */
const YEAR = 365;

export function registerNext(command: Command, contextOf: ContextOf): void {
  command
    .option("-n, --limit <number>", "how many events at most (default: 1)")
    .option(
      "--within <duration>",
      `only events that are on or begin within this time, such as 2h (default: ${YEAR}d, the most)`,
    )
    .option("--all-day", "all-day events too");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The event that is on, or comes next", "calctl next"],
      [
        "One line for a status bar, empty if nothing begins within the next two hours",
        "calctl next --within 2h --template '{{ start_local }} {{ title }}'",
      ],
      ["The next three for a script, all-day ones too", "calctl next -n 3 --all-day -o json"],
    ],
  });
  addAction(command, contextOf, runNext);
}

/** Shows the events that are on or come next, of every calendar or of those of `--calendar`. */
export async function runNext(context: EventContext, options: NextOptions): Promise<void> {
  // Checks format and fields before any request.
  context.output.of(eventView);
  const limit = options.limit === undefined ? 1 : parseLimit(options.limit);
  const { timezone: zone } = context.config.settings();
  const now = context.now();
  const within = options.within === undefined ? null : parseDuration(options.within, "--within");
  const furthest = addDuration(now, { days: YEAR, minutes: 0 }, zone);
  const until = within === null ? furthest : addDuration(now, within, zone);
  if (until > furthest)
    throw usageError(`--within: "${within?.text}" is more than ${YEAR} days`, `write ${YEAR}d or less`);
  const filters = { allCalendars: context.flags.calendars.length === 0, remaining: true };
  const isNext = (event: LocalizedEvent): boolean => {
    const [start, isAllDay] = [readStart(event), event.all_day === true];
    if (start === null || (isAllDay && options.allDay !== true)) return false;
    return start <= (isAllDay ? wallClockAt(until, zone) : until);
  };
  const days = { first: localDate(now, zone), last: null };
  const week = await readQuery(context, { days: String(WEEK), ...filters });
  const windows = windowsAfterWeek(days.first, localDate(until, zone));
  const queries: readonly [EventQuery, ...EventQuery[]] = [
    week,
    ...windows.map((each) => ({ ...week, upcoming: null, days: each, isAfterWeek: true })),
  ];
  const found = await readFirst(context, queries, { limit, isWanted: isNext });
  await printList(context, found, { days, layout: "list", noteOf: (event) => describeWait(event, now) });
  if (found.events.length === 0 && context.terminal.isTerminal)
    context.output.note(within === null ? "no event is on or comes next" : `no event within ${within.text}`);
}

/** The days after the week, up to `last`: 8, then 16, and so on, since the next event is mostly near. */
function windowsAfterWeek(today: string, last: string): readonly DayRange[] {
  const windows: DayRange[] = [];
  for (let after = WEEK; after <= YEAR; after = 2 * after + 1) {
    const first = lastOfDays(today, after + 1);
    const end = lastOfDays(today, 2 * after + 1);
    if (first <= last) windows.push({ first, last: end < last ? end : last });
  }
  return windows;
}

interface FirstOptions {
  readonly limit: number;
  readonly isWanted: (event: LocalizedEvent) => boolean;
}

/** The first events that are wanted, of queries for one time after another; those that follow are not read. */
async function readFirst(
  context: EventContext,
  [first, ...others]: readonly [EventQuery, ...EventQuery[]],
  { limit, isWanted }: FirstOptions,
): Promise<EventList> {
  const read = async (query: EventQuery): Promise<EventList> => {
    const list = await readEvents(context, query);
    return { ...list, events: list.events.filter(isWanted) };
  };
  let found = await read(first);
  for (const query of others) {
    if (found.events.length >= limit || found.listsOnlyWeek() || found.calendarsRead === 0) break;
    found = joinLists(found, await read(query));
  }
  return { ...found, events: found.events.slice(0, limit) };
}

/** The events of both, each once; of the calendars that could not be read, those of the list that lacks more. */
function joinLists(one: EventList, other: EventList): EventList {
  const ids = new Set(one.events.map(({ id }) => id));
  const events = [...one.events, ...other.events.filter(({ id }) => !ids.has(id))];
  return { ...(one.calendarsRead < other.calendarsRead ? one : other), events };
}
