import type { Command } from "commander";
import { missingFlags } from "../../calendar/missing-flags.js";
import { calendarView } from "../../output/views/calendar.js";
import { type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag } from "./admin-command.js";

export interface CalendarsAddOptions extends DatabaseFlag {
  readonly name: string;
  /** Name or id of a user. */
  readonly owner?: string;
  readonly calendarColor?: string;
}

export function registerServiceCalendars(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add", "add a calendar with ten labels");
  add
    .argument("<name>")
    .option("--owner <user>", "name or id of its first member (required)")
    .option("--calendar-color <#RRGGBB>", "colour")
    .action((name: string, options: Omit<CalendarsAddOptions, "name">) =>
      runCalendarsAdd(contextOf(add), { ...options, name }),
    );
  const list = addAdminCommand(command, "list", "list every calendar");
  list.action((options: DatabaseFlag) => runCalendarsList(contextOf(list), options));
}

export async function runCalendarsAdd(context: AdminContext, options: CalendarsAddOptions): Promise<void> {
  const output = context.output(calendarView);
  const { db, name, owner, calendarColor: color } = options;
  if (owner === undefined) throw missingFlags(["--owner"]);
  const admin = await context.service.admin(db);
  const calendar = await admin.calendars.add({ name, owner, ...(color === undefined ? {} : { color }) });
  await output.print(calendar, `calendar ${calendar.id} was added`);
}

export async function runCalendarsList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(calendarView);
  const admin = await context.service.admin(db);
  await output.print(await admin.calendars.list());
}
