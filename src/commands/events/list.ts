import type { Command } from "commander";
import { addAction, type ContextOf } from "../../cli/command.js";
import { describeCommand } from "../../cli/command-facts.js";
import type { Context } from "../../context.js";
import { EXIT_EMPTY } from "../../errors.js";
import { eventView } from "../../output/views/event.js";
import { describeEmpty, readSelection, type SelectionFlags } from "./event-selection.js";
import {
  addCalendarFlag,
  addFilterFlags,
  createListing,
  type FilterFlags,
  type ListingContext,
  listedEvents,
  readListing,
} from "./listing.js";
import { printEvents } from "./print-events.js";
import { type EventListing, type OpenListing, openStream } from "./stream.js";

export interface EventsListOptions extends SelectionFlags, FilterFlags {
  readonly failEmpty?: boolean;
}

type ListContext = ListingContext & Pick<Context, "output" | "terminal" | "program">;

export function registerEventsList(command: Command, contextOf: ContextOf): void {
  addCalendarFlag(command);
  command
    .option("--days <1-7>", "number of days, including today or the day of --from (default: 1)")
    .option("--on <date>", "events of this day: a date, or words such as tomorrow or fri")
    .option("--from <date>", "events of this day and later, up to --to")
    .option("--to <date>", "events up to this day, from today or --from on")
    .option("--search <text>", "events with this text in title, description or location, of any day")
    .option("--strict-dates", "read only ISO 8601 dates, no words");
  addFilterFlags(command, "only events of this category; of keeps also those without times, of any day");
  command.option("--fail-empty", "exit with code 3 when there are no events");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The next seven days of every calendar", "calctl events list -A --days 7"],
      [
        "Every event of December, for a spreadsheet",
        'calctl events list --from "1 dec" --to "31 dec" -o csv',
      ],
      ["Every event about one thing, for a script", "calctl events list --search dentist -o json"],
    ],
  });
  addAction(command, contextOf, runEventsList);
}

/** Lists events of one or more calendars, by day. */
export async function runEventsList(context: ListContext, options: EventsListOptions): Promise<void> {
  // Checks format and fields before any request.
  const { stream } = context.output.of(eventView);
  const selection = await readSelection(context, options);
  let isComplete = true;
  const onMissing = () => {
    isComplete = false;
  };
  const keeps = options.category === "keep" ? { onMissing } : undefined;
  const listing = await context.names.withCachedNames(async () => {
    const list = await createListing(context, listedEvents(context, selection, keeps), options);
    return stream === null || selection.kind === "upcoming"
      ? readList(context, list)
      : openStream(context, list, stream);
  });
  if (!isComplete) context.output.note("this service does not list keeps without times");
  const isEmpty = await listing.print();
  if (!isEmpty) return;
  if (context.terminal.isTerminal) context.output.note(describeEmpty(selection));
  if (options.failEmpty === true) context.program.setExitCode(EXIT_EMPTY);
}

/** Reads everything before the first event is printed. */
async function readList(context: ListContext, list: EventListing): Promise<OpenListing> {
  const { calendars, days } = list;
  const { events, calendarsRead, reportFailures } = await readListing(context, list);
  return {
    async print() {
      if (calendarsRead > 0 || calendars.length === 0) {
        await printEvents(context, events, { calendars, days, layout: "list" });
      }
      reportFailures();
      return events.length === 0;
    },
  };
}
