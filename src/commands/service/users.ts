import type { Command } from "commander";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { serviceUserView } from "../../output/views/service.js";
import { type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag } from "./admin-command.js";

type UsersContext = AdminContext & Pick<Context, "prompt" | "input">;

export interface UsersAddOptions extends DatabaseFlag {
  readonly name: string;
  /** What signs in; the name by default. */
  readonly login?: string;
}

export function registerServiceUsers(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add", "add a user; the password comes from a prompt or stdin");
  add
    .argument("<name>")
    .option("--login <login>", "what signs in (default: the name)")
    .action((name: string, options: DatabaseFlag & { readonly login?: string }) =>
      runUsersAdd(contextOf(add), { ...options, name }),
    );
  const list = addAdminCommand(command, "list", "list the users");
  list.action((options: DatabaseFlag) => runUsersList(contextOf(list), options));
  const password = addAdminCommand(command, "password", "set a password, from a prompt or stdin");
  password
    .argument("<user>", "name or id")
    .action((user: string, options: DatabaseFlag) =>
      runUsersPassword(contextOf(password), { ...options, user }),
    );
  const disable = addAdminCommand(command, "disable", "refuse a user's tokens and sign-ins");
  disable
    .argument("<user>", "name or id")
    .action((user: string, options: DatabaseFlag) =>
      runUsersDisable(contextOf(disable), { ...options, user }),
    );
}

/** Without a password the user exists, but cannot sign in; tokens can be made all the same. */
export async function runUsersAdd(
  context: UsersContext,
  { name, login, db }: UsersAddOptions,
): Promise<void> {
  const output = context.output(serviceUserView);
  const password = await readPassword(context, `Password for ${name} (empty for none)`);
  const admin = await context.service.admin(db, { create: true });
  const user = await admin.users.add({
    name,
    ...(login === undefined ? {} : { login }),
    ...(password === "" ? {} : { password }),
  });
  if (password === "") {
    context.note(`${name} has no password yet and cannot sign in: calctl service users password ${user.id}`);
  }
  await output.print(user, `user ${user.id} was added`);
}

export async function runUsersList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(serviceUserView);
  const admin = await context.service.admin(db);
  await output.print(await admin.users.list());
}

export async function runUsersPassword(
  context: UsersContext,
  { user, db }: DatabaseFlag & { readonly user: string },
): Promise<void> {
  const password = await readPassword(context, `New password for ${user}`);
  if (password === "")
    throw usageError("the password is empty", "type it at the prompt, or pass it on stdin");
  const admin = await context.service.admin(db);
  const { name } = await admin.users.setPassword(user, password);
  context.note(`password of ${name} set`);
}

export async function runUsersDisable(
  context: AdminContext,
  { user, db }: DatabaseFlag & { readonly user: string },
): Promise<void> {
  const admin = await context.service.admin(db);
  const { name } = await admin.users.disable(user);
  context.note(`${name} is disabled`);
}

/** One line from a prompt, or from stdin where that is no terminal; empty when there is none. */
async function readPassword({ prompt, input }: UsersContext, question: string): Promise<string> {
  if (prompt.available) return prompt.password(question);
  if (input.isTerminal) return "";
  const text = (await input.text("-", "the password")).replace(/\r?\n$/, "");
  // A loop around this command hands it the rest of its own input: nothing of that is a password.
  if (text.includes("\n")) throw usageError("stdin: a password is one line", "in a loop, add </dev/null");
  return text;
}
