import type { Command } from "commander";
import type { Api } from "../../api/client.js";
import { parseDays } from "../../calendar/dates.js";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
import { parseCategory } from "../../calendar/event-text.js";
import { localizeEvent } from "../../calendar/event-view.js";
import { resolveLabel } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { CliError, EXIT_EMPTY, usageError } from "../../errors.js";
import { eventView } from "../../output/views/event.js";
import { type CalendarContext, type ChosenCalendar, chooseCalendars } from "../calendar-choice.js";
import type { ContextOf } from "../command.js";
import { collectEach } from "../each-item.js";

export interface EventsListOptions {
  /** Flags as typed. */
  readonly days?: string;
  readonly allCalendars?: boolean;
  readonly category?: string;
  readonly label?: string;
  /** Created by me or attended by me. */
  readonly mine?: boolean;
  /** Leave out what is over. */
  readonly remaining?: boolean;
  readonly failEmpty?: boolean;
}

type ListContext = CalendarContext &
  Pick<Context, "output" | "warn" | "note" | "now" | "isTerminal" | "setExitCode">;

export function registerEventsList(command: Command, contextOf: ContextOf): void {
  command
    .option("-A, --all-calendars", "events of every calendar")
    .option("--days <1-7>", "number of days, today included (default: 1)")
    .option("--category <schedule|keep>", "only this category")
    .option("--label <number|id|name>", "only this label")
    .option("--mine", "only events that I created or attend")
    .option("--remaining", "leave out what is over")
    .option("--fail-empty", "exit with 3 when there is nothing")
    .action((options: EventsListOptions) => runEventsList(contextOf(command), options));
}

/** Lists upcoming events of one or more calendars, by day. */
export async function runEventsList(context: ListContext, options: EventsListOptions): Promise<void> {
  const output = context.output(eventView);
  const days = options.days === undefined ? 1 : parseDays(options.days, "--days");
  const category = options.category === undefined ? undefined : parseCategory(options.category, "--category");
  const { timezone } = context.settings();
  const calendars = await calendarsOf(context, options);
  const api = await context.api();
  // Asked first: once something has failed for all, what was read could no longer be filtered.
  const mine = options.mine === true ? { userId: (await api.getCurrentUser()).id } : undefined;
  const labels = createLabelFinder(api, options.label);
  const { results, finish } = await collectEach(calendars, {
    noun: "calendar",
    verb: "read",
    name: ({ id }) => id,
    warn: context.warn,
    work: async ({ id }) => {
      await labels.find(id);
      return api.listUpcomingEvents({ calendarId: id, timezone, days });
    },
  });
  const labelIds = labels.found({ everywhere: results.length === calendars.length, warn: context.warn });
  const remaining = options.remaining === true ? { now: context.now() } : undefined;
  const wanted = filterEvents(results.flat(), { category, labelIds, mine, remaining }, timezone);
  const events = sortEvents(wanted, timezone);
  if (results.length > 0 || calendars.length === 0) {
    await output.print(events.map((event) => localizeEvent(event, timezone)));
  }
  finish();
  if (events.length > 0) return;
  if (context.isTerminal) context.note(days === 1 ? "no events today" : `no events in ${days} days`);
  if (options.failEmpty === true) context.setExitCode(EXIT_EMPTY);
}

async function calendarsOf(
  context: ListContext,
  { allCalendars = false }: EventsListOptions,
): Promise<readonly ChosenCalendar[]> {
  if (!allCalendars) return chooseCalendars(context);
  if (context.calendarFlags.length > 0)
    throw usageError("give either --calendar or --all-calendars, not both");
  const api = await context.api();
  return api.listCalendars();
}

interface LabelFinder {
  /** Looks for the label in a calendar, which need not have it. */
  find(calendarId: string): Promise<void>;
  /**
   * Its ids; undefined when no label is wanted. None where no calendar has it: that is only said, not thrown, as long
   * as a calendar that could not be read may have it.
   * @throws CliError not_found when all calendars could be read, and none has it
   */
  found(reading: {
    /** Whether all calendars could be read. */
    readonly everywhere: boolean;
    readonly warn: (text: string) => void;
  }): ReadonlySet<string> | undefined;
}

function createLabelFinder(api: Pick<Api, "listLabels">, value: string | undefined): LabelFinder {
  const ids = new Set<string>();
  let missing: CliError | null = null;
  return {
    async find(calendarId) {
      if (value === undefined) return;
      const labels = await api.listLabels(calendarId);
      try {
        ids.add(resolveLabel(value, labels, { calendarId, source: "--label" }).id);
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== "not_found") throw error;
        missing = error;
      }
    },
    found({ everywhere, warn }) {
      if (ids.size === 0 && missing !== null) {
        if (everywhere) throw missing;
        warn(missing.message);
      }
      return value === undefined ? undefined : ids;
    },
  };
}
