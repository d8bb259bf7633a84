import type { Command } from "commander";
import type { Calendar } from "../../../contract/shapes.js";
import type { CalendarInclude } from "../../api/endpoints.js";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { processEach } from "../../cli/items.js";
import { usageError } from "../../errors.js";
import { chooseCalendar, namedCalendars, resolveCalendars } from "../../events/find/calendar-choice.js";
import { calendarView, labelView, userView } from "../../events/views/calendar.js";
import type { Run } from "../../run/run.js";

interface CalendarsOptions {
  /** As typed: a comma-separated list. */
  readonly include?: string;
}

export function registerCalendars(command: Command, runOf: RunOf): void {
  command.option("--include <labels,members>", "include the labels or the members of each calendar, or both");
  describeCommand(command, {
    prints: { view: calendarView, count: "one or list" },
    examples: () => [
      ["Names and ids of all calendars", "calctl calendars"],
      [
        "One calendar with its labels and members, as JSON",
        "calctl calendars -c Family --include labels,members -o json",
      ],
      [
        "Add a calendar to the embedded service (other services: in their own app)",
        "calctl service calendars add Garden",
      ],
    ],
  });
  addAction(command, runOf, runCalendars);
}

/** Lists calendars; with one `--calendar`, shows only that one. */
async function runCalendars(run: Run, options: CalendarsOptions): Promise<void> {
  const output = run.output.of(calendarView);
  const include = parseInclude(options.include);
  const named = namedCalendars(run);
  const api = await run.api();
  if (named.length === 0) {
    const calendars = await api.listCalendars(include);
    if (calendars.length === 0 && run.terminal.isTerminal) run.output.note("no calendars");
    await output.print([...calendars].sort(byOrder));
    return;
  }
  const { results, reportFailures } = await processEach(await resolveCalendars(run, named), {
    noun: "calendar",
    verb: "read",
    name: ({ id }) => id,
    warn: run.output.warn,
    work: ({ id }) => api.getCalendar(id, include),
  });
  const [first] = results;
  if (first !== undefined) await output.print(named.length === 1 ? first : results);
  reportFailures();
}

function byOrder(one: Calendar, other: Calendar): number {
  return (one.order ?? Number.MAX_SAFE_INTEGER) - (other.order ?? Number.MAX_SAFE_INTEGER);
}

function parseInclude(text: string | undefined): readonly CalendarInclude[] {
  return (text?.split(",") ?? []).map((word) => {
    const value = word.trim();
    if (value === "labels" || value === "members") return value;
    throw usageError(`--include: "${value}" cannot be included`, "choose from labels, members");
  });
}

export function registerLabels(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    prints: { view: labelView, count: "list" },
    examples: () => [
      ["The labels of a calendar with their colors", "calctl labels -c Family"],
      ["Numbers and names, for a script", "calctl labels -c Family --fields number,name"],
      [
        "Name a label of the embedded service (other services: in their own app)",
        "calctl service labels set 2 -c Family --name Visits",
      ],
    ],
  });
  addAction(command, runOf, runLabels);
}

/** Lists the labels of a calendar. */
async function runLabels(run: Run): Promise<void> {
  const output = run.output.of(labelView);
  const api = await run.api();
  await output.print(await api.listLabels((await chooseCalendar(run)).id));
}

export function registerMembers(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    prints: { view: userView, count: "list" },
    examples: () => [
      ["Everyone who can be invited", "calctl members -c Work"],
      ["Their names, one per line", "calctl members -c Work --fields name"],
    ],
  });
  addAction(command, runOf, runMembers);
}

/** Lists the members of a calendar. */
async function runMembers(run: Run): Promise<void> {
  const output = run.output.of(userView);
  const api = await run.api();
  await output.print(await api.listMembers((await chooseCalendar(run)).id));
}
