import type { Command } from "commander";
import type { Context } from "../../context.js";
import { CliError, missingFlagsError, usageError } from "../../errors.js";
import { describeCommand } from "../../help/facts.js";
import { calendarView, labelView, userView } from "../../output/views/calendar.js";
import type { CalendarContent } from "../../service/admin/admin.js";
import {
  addAction,
  addSilentAction,
  type ContextOf,
  requireConfirmation,
  requireSubcommand,
} from "../command.js";
import {
  type AdminContext,
  addAdminCommand,
  type DatabaseFlag,
  openAdmin,
  requiredCalendar,
  USER_ARGUMENT,
} from "./admin-command.js";

const CALENDAR_ARGUMENT = "id, name or unique prefix of a name";

export interface CalendarsAddOptions extends DatabaseFlag {
  readonly name: string;
  /** Id, name or login of a user; the only one by default. */
  readonly owner?: string;
  readonly calendarColor?: string;
}

export function registerServiceCalendars(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add <name>", "add a calendar with ten labels")
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
    .argument("<calendar>", CALENDAR_ARGUMENT)
    .option("--name <name>", "name")
    .option("--calendar-color <#RRGGBB>", "color")
    .option("--description <text>", "description; empty removes it");
  describeCommand(set, {
    prints: { view: calendarView, count: "one" },
    examples: () => [["Rename a calendar", 'calctl service calendars set Club --name "Chess club"']],
  });
  addAction(set, contextOf, runCalendarsSet);
  const remove = addAdminCommand(command, "remove", "remove a calendar and everything in it")
    .argument("<calendar>", CALENDAR_ARGUMENT)
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

export async function runCalendarsAdd(context: AdminContext, options: CalendarsAddOptions): Promise<void> {
  const output = context.output(calendarView);
  const { db, name, owner, calendarColor: color } = options;
  const admin = await openAdmin(context, db, owner === undefined ? {} : { "--owner": owner });
  const calendar = await admin.calendars.add({ name, owner, color });
  await output.print(calendar, `calendar ${calendar.id} was added`);
}

export async function runCalendarsList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(calendarView);
  const admin = await openAdmin(context, db);
  await output.print(await admin.calendars.list());
}

export interface CalendarsSetOptions extends DatabaseFlag {
  /** Id or name. */
  readonly calendar: string;
  readonly name?: string;
  readonly calendarColor?: string;
  readonly description?: string;
}

export async function runCalendarsSet(context: AdminContext, options: CalendarsSetOptions): Promise<void> {
  const output = context.output(calendarView);
  const { db, calendar, name, calendarColor: color, description } = options;
  if (name === undefined && color === undefined && description === undefined)
    throw missingFlagsError(["--name, --calendar-color or --description"]);
  const admin = await openAdmin(context, db, { CALENDAR: calendar });
  const changed = await admin.calendars.set(calendar, { name, color, description });
  await output.print(changed, `calendar ${changed.id} was set`);
}

export interface CalendarsRemoveOptions extends DatabaseFlag {
  /** Id or name. */
  readonly calendar: string;
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

/** Removes a calendar, after a confirmation that shows what goes with it. */
export async function runCalendarsRemove(
  context: AdminContext & Pick<Context, "prompt" | "warn">,
  { db, calendar, yes = false }: CalendarsRemoveOptions,
): Promise<void> {
  requireConfirmation(yes, context.prompt.available);
  const { calendars } = await openAdmin(context, db, { CALENDAR: calendar });
  const content = await calendars.inspect(calendar);
  if (!yes) {
    const members = content.calendar.members.map(({ name, id }) => name ?? id);
    context.warn(`  ${content.calendar.name}: ${eventCount(content)}, members: ${members.join(", ")}`);
    if (!(await context.prompt.confirm("Remove this calendar and everything in it?")))
      throw new CliError("interrupted", "nothing was removed");
  }
  const removed = await calendars.remove(content.calendar.id);
  context.note(`calendar ${removed.calendar.name} removed, with ${eventCount(removed)}`);
}

function eventCount({ events }: CalendarContent): string {
  return events === 1 ? "1 event" : `${events} events`;
}

export interface MemberOptions extends DatabaseFlag {
  /** Name or id. */
  readonly user: string;
}

export function registerServiceMembers(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add", "add a user to --calendar").argument("<user>", USER_ARGUMENT);
  describeCommand(add, {
    prints: { view: userView, count: "one" },
    examples: () => [["Let a user see and change a calendar", "calctl service members add Caro -c Club"]],
  });
  addAction(add, contextOf, runMembersAdd);
  const remove = addAdminCommand(command, "remove", "remove a user from --calendar");
  describeCommand(remove.argument("<user>", USER_ARGUMENT), {
    examples: () => [
      ["All but the last member can be removed", "calctl service members remove Dora -c Club"],
    ],
  });
  addSilentAction(remove, contextOf, runMembersRemove);
  const list = addAdminCommand(command, "list", "list the members of --calendar");
  describeCommand(list, {
    prints: { view: userView, count: "list" },
    examples: () => [["Who is in it?", "calctl service members list -c Club"]],
  });
  addAction(list, contextOf, runMembersList);
}

export async function runMembersAdd(context: AdminContext, { user, db }: MemberOptions): Promise<void> {
  const output = context.output(userView);
  const calendar = requiredCalendar(context);
  const admin = await openAdmin(context, db, { USER: user });
  const member = await admin.members.add(user, calendar);
  await output.print(member, `${member.id} was added`);
}

export async function runMembersRemove(context: AdminContext, { user, db }: MemberOptions): Promise<void> {
  const calendar = requiredCalendar(context);
  const admin = await openAdmin(context, db, { USER: user });
  const { name, id } = await admin.members.remove(user, calendar);
  context.note(`${name ?? id} is no longer a member`);
}

export async function runMembersList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(userView);
  const calendar = requiredCalendar(context);
  const admin = await openAdmin(context, db);
  await output.print(await admin.members.list(calendar));
}

export interface LabelsSetOptions extends DatabaseFlag {
  /** Number of the label, as typed. */
  readonly number: string;
  readonly name?: string;
  readonly labelColor?: string;
}

export function registerServiceLabels(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const set = addAdminCommand(command, "set", "set name or color of a label of --calendar")
    .argument("<number>", "1 to 10")
    .option("--name <name>", "name; empty removes it")
    .option("--label-color <#RRGGBB>", "color");
  describeCommand(set, {
    prints: { view: labelView, count: "one" },
    examples: () => [
      [
        "Give a label a name and a color",
        'calctl service labels set 3 -c Club --name Match --label-color "#e73b3b"',
      ],
    ],
  });
  addAction(set, contextOf, runLabelsSet);
}

export async function runLabelsSet(context: AdminContext, options: LabelsSetOptions): Promise<void> {
  const output = context.output(labelView);
  const { db, number, name, labelColor: color } = options;
  const missing = name === undefined && color === undefined ? ["--name or --label-color"] : [];
  const calendar = requiredCalendar(context, missing);
  if (!/^\d{1,3}$/.test(number))
    throw usageError(`NUMBER: "${number}" is not the number of a label`, "write 1 to 10");
  const admin = await openAdmin(context, db);
  const label = await admin.labels.set(calendar, Number(number), { name, color });
  await output.print(label, `label ${label.id} was set`);
}
