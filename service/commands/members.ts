import type { Command } from "commander";
import { addAction, addSilentAction, type ContextOf, requireSubcommand } from "../../src/cli/command.js";
import { describeCommand } from "../../src/cli/command-facts.js";
import { completeValues } from "../../src/commands/missing-values.js";
import { userView } from "../../src/output/views/calendar.js";
import type { ServiceAdmin } from "../admin/admin.js";
import {
  type AskingContext,
  addAdminCommand,
  choicesOf,
  type DatabaseFlag,
  neededAmong,
  neededCalendarFlag,
  neededUser,
  type OfCalendar,
  openAdmin,
  USER_ARGUMENT,
} from "./admin-command.js";

interface MemberOptions extends DatabaseFlag {
  /** Name or id. */
  readonly user?: string;
}

export function registerServiceMembers(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add", "add a user to --calendar").argument("[user]", USER_ARGUMENT);
  describeCommand(add, {
    prints: { view: userView, count: "one" },
    examples: () => [["Let a user see and change a calendar", "calctl service members add Caro -c Club"]],
  });
  addAction(add, contextOf, runMembersAdd);
  const remove = addAdminCommand(command, "remove", "remove a user from --calendar");
  describeCommand(remove.argument("[user]", USER_ARGUMENT), {
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

async function runMembersAdd(
  context: AskingContext,
  { user: given, db }: MemberOptions,
  command: Command,
): Promise<void> {
  const output = () => context.output.of(userView);
  const needed = {
    user: neededUser(context, db, { name: "USER", given }),
    calendar: neededCalendarFlag(context, db),
  };
  const { user, calendar } = await completeValues(context.terminal.prompt, needed, {
    command,
    check: output,
  });
  const admin = await openAdmin(context, db);
  const member = await admin.members.add(user, calendar);
  await output().print(member, `${member.id} was added`);
}

async function runMembersRemove(
  context: AskingContext,
  { user: given, db }: MemberOptions,
  command: Command,
): Promise<void> {
  const list = async ({ members }: ServiceAdmin, { calendar = "" }: OfCalendar) =>
    // Administration names users by the part of a member's id that follows the calendar's.
    choicesOf((await members.list(calendar)).map(({ id, name }) => ({ id: id.replace(/^.*,/, ""), name })));
  const { user, calendar } = await completeValues<{ calendar: string; user: string }>(
    context.terminal.prompt,
    {
      calendar: neededCalendarFlag(context, db),
      user: neededAmong<OfCalendar>(context, db, { name: "USER", given, noun: "Member", list }),
    },
    { command },
  );
  const admin = await openAdmin(context, db);
  const { name, id } = await admin.members.remove(user, calendar);
  context.output.note(`${name ?? id} is no longer a member`);
}

async function runMembersList(context: AskingContext, { db }: DatabaseFlag, command: Command): Promise<void> {
  const output = context.output.of(userView);
  const needed = { calendar: neededCalendarFlag(context, db) };
  const { calendar } = await completeValues(context.terminal.prompt, needed, { command });
  const admin = await openAdmin(context, db);
  await output.print(await admin.members.list(calendar));
}
