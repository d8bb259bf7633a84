import type { Command } from "commander";
import { addAction, addSilentAction, type ContextOf, requireSubcommand } from "../../src/cli/command.js";
import { describeCommand } from "../../src/cli/command-facts.js";
import { completeValues } from "../../src/commands/missing-values.js";
import type { Context } from "../../src/context.js";
import { usageError } from "../../src/errors.js";
import { createServiceAccess } from "../access/service-access.js";
import { serviceUserView } from "../views/service.js";
import {
  type AdminContext,
  type AskingContext,
  addAdminCommand,
  type DatabaseFlag,
  neededName,
  neededUser,
  openAdmin,
  USER_ARGUMENT,
} from "./admin-command.js";

type UsersContext = AskingContext & Pick<Context, "terminal">;

interface UsersAddOptions extends DatabaseFlag {
  readonly name?: string;
  /** Login name; the name by default. */
  readonly login?: string;
}

export function registerServiceUsers(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add [name]", "add a user; the password comes from a prompt or stdin");
  describeCommand(add.option("--login <login>", "login name (default: the name)"), {
    prints: { view: serviceUserView, count: "one" },
    examples: () => [
      [
        "A user who signs in as eva; a terminal is asked for the password",
        'calctl service users add "Eva Silva" --login eva',
      ],
      [
        "Without a password, for a program that gets a token",
        'id="$(calctl service users add Display --fields id </dev/null)"',
      ],
    ],
  });
  addAction(add, contextOf, runUsersAdd);
  const list = addAdminCommand(command, "list", "list the users");
  describeCommand(list, {
    prints: { view: serviceUserView, count: "list" },
    examples: () => [["Names, logins and ids", "calctl service users list"]],
  });
  addAction(list, contextOf, runUsersList);
  const password = addAdminCommand(command, "password", "set a password, from a prompt or stdin");
  describeCommand(password.argument("[user]", USER_ARGUMENT), {
    examples: () => [["From a file, in a script", "calctl service users password Ben <password-file"]],
  });
  addSilentAction(password, contextOf, runUsersPassword);
  const rename = addAdminCommand(command, "rename", "change a user's name; the login stays");
  describeCommand(rename.argument("[user]", USER_ARGUMENT).argument("[name]", "the new name"), {
    examples: () => [["As everyone sees it from now on", 'calctl service users rename Caro "Caro Lima"']],
  });
  addSilentAction(rename, contextOf, runUsersRename);
  const disable = addAdminCommand(command, "disable", "reject a user's tokens and sign-ins");
  describeCommand(disable.argument("[user]", USER_ARGUMENT), {
    examples: () => [["Keep someone out; nothing of theirs is removed", "calctl service users disable Ben"]],
  });
  addSilentAction(disable, contextOf, runUsersDisable);
  const enable = addAdminCommand(command, "enable", "accept a disabled user's tokens and sign-ins again");
  describeCommand(enable.argument("[user]", USER_ARGUMENT), {
    examples: () => [["Let someone in again", "calctl service users enable Ben"]],
  });
  addSilentAction(enable, contextOf, runUsersEnable);
  const unlock = addAdminCommand(
    command,
    "unlock",
    "let a user sign in again after too many failed attempts",
  );
  describeCommand(unlock.argument("[user]", USER_ARGUMENT), {
    examples: () => [["After too many wrong passwords", "calctl service users unlock Ben"]],
  });
  addSilentAction(unlock, contextOf, runUsersUnlock);
}

interface UserArgument extends DatabaseFlag {
  /** Id, name or login. */
  readonly user?: string;
}

/** A user without a password cannot sign in, but can have tokens. */
async function runUsersAdd(
  context: UsersContext,
  { login, db, ...options }: UsersAddOptions,
  command: Command,
): Promise<void> {
  const output = () => context.output.of(serviceUserView);
  const needed = { name: neededName(context, options.name) };
  const { name } = await completeValues(context.terminal.prompt, needed, { command, check: output });
  const password = await readPassword(context, `Password for ${name} (empty for none)`, "none");
  const admin = await createServiceAccess(context).admin(db, { create: true });
  const user = await admin.users.add({
    name,
    login,
    ...(password === "" ? {} : { password }),
  });
  if (password === "") {
    context.output.note(
      `${name} has no password yet and cannot sign in: calctl service users password ${user.id}`,
    );
  }
  await output().print(user, `user ${user.id} was added`);
}

async function runUsersList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output.of(serviceUserView);
  const admin = await openAdmin(context, db);
  await output.print(await admin.users.list());
}

async function runUsersPassword(
  context: UsersContext,
  options: UserArgument,
  command: Command,
): Promise<void> {
  const { user, admin } = await chooseUser(context, options, command);
  const password = await readPassword(context, `New password for ${user}`, "refused");
  if (password === "")
    throw usageError("the password is empty", "type it at the prompt, or pass it on stdin");
  const { name } = await (await admin()).users.setPassword(user, password);
  context.output.note(`password of ${name} set`);
}

async function runUsersRename(
  context: AskingContext,
  { user, name: typed, db }: UserArgument & { readonly name?: string },
  command: Command,
): Promise<void> {
  const needed = {
    id: neededUser(context, db, { name: "USER", given: user }),
    name: neededName(context, typed),
  };
  const { id, name } = await completeValues(context.terminal.prompt, needed, { command });
  const renamed = await (await openAdmin(context, db)).users.rename(id, name);
  context.output.note(
    `user ${renamed.id} is now called ${renamed.name}, and signs in as ${renamed.login} as before`,
  );
}

async function runUsersDisable(
  context: AskingContext,
  options: UserArgument,
  command: Command,
): Promise<void> {
  const { user, admin } = await chooseUser(context, options, command);
  const { name } = await (await admin()).users.disable(user);
  context.output.note(`${name} is disabled`);
}

async function runUsersEnable(
  context: AskingContext,
  options: UserArgument,
  command: Command,
): Promise<void> {
  const { user, admin } = await chooseUser(context, options, command);
  const { name } = await (await admin()).users.enable(user);
  context.output.note(`${name} is enabled`);
}

async function runUsersUnlock(
  context: AskingContext,
  options: UserArgument,
  command: Command,
): Promise<void> {
  const { user, admin } = await chooseUser(context, options, command);
  const { login, wasLocked } = await (await admin()).users.unlock(user);
  context.output.note(wasLocked ? `the login ${login} is unlocked` : `the login ${login} was not locked`);
}

/** The user of the argument or one that is picked, and what opens the database. */
async function chooseUser(context: AskingContext, { user: given, db }: UserArgument, command: Command) {
  const needed = { user: neededUser(context, db, { name: "USER", given }) };
  const { user } = await completeValues(context.terminal.prompt, needed, { command });
  return { user, admin: () => openAdmin(context, db) };
}

/** One line from a prompt, which asks twice, or from stdin if it is not a terminal; otherwise empty. */
async function readPassword(
  context: UsersContext,
  question: string,
  empty: "none" | "refused",
): Promise<string> {
  const { terminal } = context;
  const check = async (answer: string): Promise<void> => {
    if (answer !== "" || empty === "refused") await createServiceAccess(context).checkPassword(answer);
  };
  if (terminal.prompt.available) return terminal.prompt.password(question, { repeat: true, check });
  if (terminal.input.isTerminal) return "";
  const text = await terminal.input.text("-", "the password");
  // In a shell loop, stdin is the rest of the loop's own input, which is not a password.
  if (text.includes("\n"))
    throw usageError("stdin: a password must be one line", "in a loop, add </dev/null");
  return text;
}
