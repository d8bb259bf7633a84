import type { Command } from "commander";
import { userView } from "../../output/views/user.js";
import { type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag, requiredCalendar } from "./admin-command.js";

export interface MemberOptions extends DatabaseFlag {
  /** Name or id. */
  readonly user: string;
}

export function registerServiceMembers(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add", "make a user a member of --calendar");
  add
    .argument("<user>", "name or id")
    .action((user: string, options: DatabaseFlag) => runMembersAdd(contextOf(add), { ...options, user }));
  const remove = addAdminCommand(command, "remove", "take a member out of --calendar");
  remove
    .argument("<user>", "name or id")
    .action((user: string, options: DatabaseFlag) =>
      runMembersRemove(contextOf(remove), { ...options, user }),
    );
  const list = addAdminCommand(command, "list", "list the members of --calendar");
  list.action((options: DatabaseFlag) => runMembersList(contextOf(list), options));
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
  context.note(`${name ?? id} is no member any more`);
}

export async function runMembersList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(userView);
  const calendar = requiredCalendar(context);
  const admin = await context.service.admin(db);
  await output.print(await admin.members.list(calendar));
}
