import type { Command } from "commander";
import { missingFlags } from "../../calendar/event-text.js";
import { usageError } from "../../errors.js";
import { calendarView, labelView, userView } from "../../output/views/calendar.js";
import { addAction, type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag, requiredCalendar } from "./admin-command.js";

export interface CalendarsAddOptions extends DatabaseFlag {
  readonly name: string;
  /** Name or id of a user. */
  readonly owner?: string;
  readonly calendarColor?: string;
}

export function registerServiceCalendars(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add <name>", "add a calendar with ten labels")
    .option("--owner <user>", "name or id of its first member (required)")
    .option("--calendar-color <#RRGGBB>", "color");
  addAction(add, contextOf, runCalendarsAdd);
  addAction(addAdminCommand(command, "list", "list every calendar"), contextOf, runCalendarsList);
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

export interface MemberOptions extends DatabaseFlag {
  /** Name or id. */
  readonly user: string;
}

export function registerServiceMembers(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add", "add a user to --calendar").argument("<user>", "name or id");
  addAction(add, contextOf, runMembersAdd);
  const remove = addAdminCommand(command, "remove", "remove a user from --calendar");
  addAction(remove.argument("<user>", "name or id"), contextOf, runMembersRemove);
  addAction(addAdminCommand(command, "list", "list the members of --calendar"), contextOf, runMembersList);
}

export async function runMembersAdd(context: AdminContext, { user, db }: MemberOptions): Promise<void> {
  const output = context.output(userView);
  const calendar = requiredCalendar(context);
  const admin = await context.service.admin(db);
  const member = await admin.members.add(user, calendar);
  await output.print(member, `${member.id} was added`);
}

export async function runMembersRemove(context: AdminContext, { user, db }: MemberOptions): Promise<void> {
  const calendar = requiredCalendar(context);
  const admin = await context.service.admin(db);
  const { name, id } = await admin.members.remove(user, calendar);
  context.note(`${name ?? id} is no longer a member`);
}

export async function runMembersList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(userView);
  const calendar = requiredCalendar(context);
  const admin = await context.service.admin(db);
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
  addAction(set, contextOf, runLabelsSet);
}

export async function runLabelsSet(context: AdminContext, options: LabelsSetOptions): Promise<void> {
  const output = context.output(labelView);
  const { db, number, name, labelColor: color } = options;
  const missing = name === undefined && color === undefined ? ["--name or --label-color"] : [];
  const calendar = requiredCalendar(context, missing);
  if (!/^\d{1,3}$/.test(number))
    throw usageError(`NUMBER: "${number}" is not the number of a label`, "write 1 to 10");
  const admin = await context.service.admin(db);
  const change = { ...(name === undefined ? {} : { name }), ...(color === undefined ? {} : { color }) };
  const label = await admin.labels.set(calendar, Number(number), change);
  await output.print(label, `label ${label.id} was set`);
}
