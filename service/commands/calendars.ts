import type { Command } from "commander";
import {
  addAction,
  addSilentAction,
  type ContextOf,
  requireConfirmation,
  requireSubcommand,
} from "../../src/cli/command.js";
import { describeCommand } from "../../src/cli/command-facts.js";
import { completeValues } from "../../src/commands/missing-values.js";
import type { Context } from "../../src/context.js";
import { CliError } from "../../src/errors.js";
import { calendarView } from "../../src/output/views/calendar.js";
import type { CalendarContent } from "../admin/admin.js";
import {
  type AdminContext,
  type AskingContext,
  addAdminCommand,
  type DatabaseFlag,
  neededCalendar,
  neededChange,
  neededName,
  openAdmin,
} from "./admin-command.js";

const CALENDAR_ARGUMENT = "id, name or unique prefix of a name";

interface CalendarsAddOptions extends DatabaseFlag {
  readonly name?: string;
  /** Id, name or login of a user; the only one by default. */
  readonly owner?: string;
  readonly calendarColor?: string;
}

export function registerServiceCalendars(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add [name]", "add a calendar with ten labels")
    .option("--owner <user>", "id, name or login of its first member (default: the only user)")
    .option("--calendar-color <#RRGGBB>", "color (default: the next one of the palette)");
  describeCommand(add, {
    prints: { view: calendarView, count: "one" },
    examples: () => [
      ["A calendar of one member", "calctl service calendars add Choir --owner Ben"],
      [
        "With a color of its own",
        'calctl service calendars add Garden --owner Ben --calendar-color "#2ecc87"',
      ],
    ],
  });
  addAction(add, contextOf, runCalendarsAdd);
  const set = addAdminCommand(command, "set", "set name, color or description of a calendar")
    .argument("[calendar]", CALENDAR_ARGUMENT)
    .option("--name <name>", "name")
    .option("--calendar-color <#RRGGBB>", "color")
    .option("--description <text>", "description; empty removes it");
  describeCommand(set, {
    prints: { view: calendarView, count: "one" },
    examples: () => [["Rename a calendar", 'calctl service calendars set Club --name "Chess club"']],
  });
  addAction(set, contextOf, runCalendarsSet);
  const remove = addAdminCommand(command, "remove", "remove a calendar and everything in it")
    .argument("[calendar]", CALENDAR_ARGUMENT)
    .option("-y, --yes", "skip the confirmation");
  describeCommand(remove, {
    examples: () => [
      ["With all its events, without a question", "calctl service calendars remove Club --yes"],
    ],
  });
  addSilentAction(remove, contextOf, runCalendarsRemove);
  const list = addAdminCommand(command, "list", "list every calendar");
  describeCommand(list, {
    prints: { view: calendarView, count: "list" },
    examples: () => [["Those of all users", "calctl service calendars list"]],
  });
  addAction(list, contextOf, runCalendarsList);
}

async function runCalendarsAdd(
  context: AskingContext,
  options: CalendarsAddOptions,
  command: Command,
): Promise<void> {
  const output = () => context.output.of(calendarView);
  const { db, owner, calendarColor: color } = options;
  const needed = { name: neededName(context, options.name) };
  const { name } = await completeValues(context.terminal.prompt, needed, { command, check: output });
  const admin = await openAdmin(context, db, owner === undefined ? {} : { "--owner": owner });
  const calendar = await admin.calendars.add({ name, owner, color });
  await output().print(calendar, `calendar ${calendar.id} was added`);
}

async function runCalendarsList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output.of(calendarView);
  const admin = await openAdmin(context, db);
  await output.print(await admin.calendars.list());
}

interface CalendarsSetOptions extends DatabaseFlag {
  /** Id or name. */
  readonly calendar?: string;
  readonly name?: string;
  readonly calendarColor?: string;
  readonly description?: string;
}

async function runCalendarsSet(
  context: AskingContext,
  options: CalendarsSetOptions,
  command: Command,
): Promise<void> {
  const output = () => context.output.of(calendarView);
  const { db, calendarColor: color, description } = options;
  const others = color === undefined && description === undefined ? undefined : null;
  const change = "--name, --calendar-color or --description";
  const needed = {
    calendar: neededCalendar(context, db, { name: "CALENDAR", given: options.calendar }),
    name: neededChange(context, change, options.name ?? others),
  };
  const { calendar, name } = await completeValues(context.terminal.prompt, needed, {
    command,
    check: output,
  });
  const admin = await openAdmin(context, db);
  const changed = await admin.calendars.set(calendar, { name: name ?? undefined, color, description });
  await output().print(changed, `calendar ${changed.id} was set`);
}

interface CalendarsRemoveOptions extends DatabaseFlag {
  /** Id or name. */
  readonly calendar?: string;
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

/** Removes a calendar, after a confirmation that shows what goes with it. */
async function runCalendarsRemove(
  context: AskingContext & Pick<Context, "names" | "output">,
  { db, calendar: given, yes = false }: CalendarsRemoveOptions,
  command: Command,
): Promise<void> {
  const needed = { calendar: neededCalendar(context, db, { name: "CALENDAR", given }) };
  const { calendar } = await completeValues(context.terminal.prompt, needed, { command });
  requireConfirmation(yes, context.terminal.prompt.available);
  const { calendars } = await openAdmin(context, db);
  const content = await calendars.inspect(calendar);
  if (!yes) {
    const members = content.calendar.members.map(({ name, id }) => name ?? id);
    context.output.warn(`  ${content.calendar.name}: ${eventCount(content)}, members: ${members.join(", ")}`);
    if (!(await context.terminal.prompt.confirm("Remove this calendar and everything in it?")))
      throw new CliError("interrupted", "nothing was removed");
  }
  const removed = await calendars.remove(content.calendar.id);
  // Completion would offer the calendar, its labels and its events.
  if (db === undefined) context.names.dropCache("local");
  context.output.note(`calendar ${removed.calendar.name} removed, with ${eventCount(removed)}`);
}

function eventCount({ events }: CalendarContent): string {
  return events === 1 ? "1 event" : `${events} events`;
}
