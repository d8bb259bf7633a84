import type { Command } from "commander";
import type { Event } from "../../../contract/shapes.js";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { usageError } from "../../errors.js";
import { type EventQuery, parseLimit, readQuery } from "../../events/find/event-query.js";
import { type ChooseCalendars, type EventList, readEvents } from "../../events/find/event-reader.js";
import { printList } from "../../events/find/list.js";
import { readStart } from "../../events/times.js";
import { eventView } from "../../events/views/event.js";
import { describeWait } from "../../events/views/event-when.js";
import type { Run } from "../../run/run.js";
import { lastOfDays, parseDuration } from "../../time/dates.js";
import { addDuration, localDate, wallClockAt } from "../../time/zoned-time.js";

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

export function registerNext(command: Command, runOf: RunOf): void {
  command
    .option("-n, --limit <number>", "maximum number of events (default: 1)")
    .option(
      "--within <duration>",
      `only events that are on or begin within this time, such as 2h (default: ${YEAR}d, the most)`,
    )
    .option("--all-day", "include all-day events");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The current event, or the next one", "calctl next"],
      [
        "One line for a status bar, empty if nothing begins within the next two hours",
        "calctl next --within 2h --template '{{ start_local }} {{ title }}'",
      ],
      ["The next three as JSON, including all-day events", "calctl next -n 3 --all-day -o json"],
    ],
  });
  addAction(command, runOf, runNext);
}

/** Shows the events that are on or come next, of every calendar or of those of `--calendar`. */
export async function runNext(run: Run, options: NextOptions): Promise<void> {
  // Checks format and fields before any request.
  run.output.of(eventView);
  const limit = options.limit === undefined ? 1 : parseLimit(options.limit);
  const { timezone: zone } = run.config.settings();
  const now = run.now();
  const within = options.within === undefined ? null : parseDuration(options.within, "--within");
  const furthest = addDuration(now, { days: YEAR, minutes: 0 }, zone);
  const until = within === null ? furthest : addDuration(now, within, zone);
  if (until > furthest)
    throw usageError(`--within: "${within?.text}" is more than ${YEAR} days`, `write ${YEAR}d or less`);
  const filters = { allCalendars: run.flags.calendars.length === 0, remaining: true };
  const isWanted = (event: Event): boolean => {
    const [start, isAllDay] = [readStart(event), event.all_day === true];
    if (start === null || (isAllDay && options.allDay !== true)) return false;
    return start <= (isAllDay ? wallClockAt(until, zone) : until);
  };
  const today = localDate(now, zone);
  const week = await readQuery(run, { days: String(WEEK), ...filters });
  const [first, last] = [lastOfDays(today, WEEK + 1), localDate(until, zone)];
  const read = async (query: EventQuery, choose?: ChooseCalendars): Promise<EventList> => {
    const list = await readEvents(run, query, choose);
    return { ...list, events: list.events.filter(isWanted) };
  };
  const near = await read(week);
  const isEnough = near.events.length >= limit || near.calendarsRead === 0 || last < first;
  const later = { ...week, upcoming: null, days: { first, last }, takeFirst: createTake(limit, isWanted) };
  const list = isEnough ? near : joinLists(near, await read(later, async () => near.calendars));
  const found = { ...list, events: list.events.slice(0, limit) };
  const days = { first: today, last: null };
  await printList(run, found, { days, layout: "list", noteOf: (event) => describeWait(event, now) });
  if (found.events.length === 0 && run.terminal.isTerminal)
    run.output.note(within === null ? "no current or upcoming events" : `no event within ${within.text}`);
}

/** Passes on pages that are ordered by start, until they have the first events that are wanted. */
function createTake(
  limit: number,
  isWanted: (event: Event) => boolean,
): NonNullable<EventQuery["takeFirst"]> {
  return async function* takeFirst(pages) {
    const starts: (number | null)[] = [];
    for await (const page of pages) {
      yield page;
      starts.push(...page.filter(isWanted).map(readStart));
      const [wanted, last] = [starts[limit - 1], page.at(-1)];
      if (!wanted || last === undefined) continue;
      // What begins more than a day later is after it in every zone.
      if ((readStart(last) ?? 0) > addDuration(wanted, { days: 1, minutes: 0 }, "UTC")) return;
    }
  };
}

/** The events of both, each once; of the calendars that could not be read, those of the list that lacks more. */
function joinLists(one: EventList, other: EventList): EventList {
  const ids = new Set(one.events.map(({ id }) => id));
  const events = [...one.events, ...other.events.filter(({ id }) => !ids.has(id))];
  return { ...(one.calendarsRead < other.calendarsRead ? one : other), events };
}
