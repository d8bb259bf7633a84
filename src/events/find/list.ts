import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { EXIT_EMPTY } from "../../errors.js";
import type { Run } from "../../run/run.js";
import type { DayRange } from "../day-list.js";
import { eventView } from "../views/event.js";
import { createEventListView, type EventListViewOptions } from "../views/event-list.js";
import {
  addCalendarFlag,
  addDayFlags,
  addFilterFlags,
  type DayFlags,
  describeEmpty,
  type FilterFlags,
  parseLimit,
  readQuery,
} from "./event-query.js";
import { type EventList, readEvents, rememberShown } from "./event-reader.js";

interface EventsListOptions extends DayFlags, FilterFlags {
  readonly failEmpty?: boolean;
  /** As typed. */
  readonly limit?: string;
}

export function registerEventsList(command: Command, runOf: RunOf): void {
  addDayFlags(command, "1");
  addCalendarFlag(command);
  command.option(
    "--search <text>",
    "only events with this text in title, description or location; without day flags, on any day, with each series once",
  );
  addFilterFlags(command, "only events of this category; keep includes keeps without a date");
  command
    .optionsGroup("Output")
    .option("-n, --limit <number>", "maximum number of events")
    .option("--fail-empty", "exit with 3 if there are no events");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The next seven days, in every calendar", "calctl events list -A --days 7"],
      [
        "Every event of December, for a spreadsheet",
        'calctl events list --from "1 dec" --to "31 dec" -o csv',
      ],
      ["All events that mention a word, for a script", "calctl events list --search dentist -o json"],
    ],
  });
  addAction(command, runOf, runEventsList);
}

/** Lists events of one or more calendars, by day. */
async function runEventsList(run: Run, options: EventsListOptions): Promise<void> {
  // Checks format and fields before any request.
  const { stream } = run.output.of(eventView);
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : parseLimit(options.limit);
  const query = { ...(await readQuery(run, options)), keepsWithoutTimes: options.category === "keep" };
  let isEmpty: boolean;
  // The occurrence to list of each series is known only at the end.
  if (stream !== null && query.upcoming === null && query.oncePerSeries !== true) {
    const { streamEvents } = await import("./event-stream.js");
    isEmpty = await streamEvents(run, query, { stream, limit });
  } else {
    const list = await readEvents(run, query);
    list.noteMissingKeeps();
    const events = list.events.slice(0, limit);
    await printList(run, { ...list, events }, { days: query.days, layout: "list" });
    isEmpty = events.length === 0;
    if (run.terminal.isTerminal && events.length < list.events.length)
      run.output.note(`the first ${limit} of ${list.events.length} events`);
  }
  if (!isEmpty) return;
  if (run.terminal.isTerminal) run.output.note(describeEmpty(query));
  if (options.failEmpty === true) run.program.setExitCode(EXIT_EMPTY);
}

/**
 * Prints the events of some days, and reports what could not be read.
 * @throws CliError when a calendar could not be read
 */
export async function printList(
  run: Run,
  { calendars, events, calendarsRead, reportFailures }: EventList,
  {
    days: range,
    ...options
  }: { readonly days: DayRange } & Pick<EventListViewOptions, "layout" | "noteOf" | "weekStart">,
): Promise<void> {
  if (calendarsRead > 0 || calendars.length === 0) {
    const shorten = await rememberShown(run, events);
    await run.output.of(createEventListView({ range, calendars, shorten, ...options })).print(events);
  }
  reportFailures();
}
