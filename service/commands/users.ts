import type { Command } from "commander";
import { usageError } from "../../src/errors.js";
import type { Run } from "../../src/run/run.js";
import { checkNewPassword } from "../access/admin.js";
import { serviceUserView } from "../views/service.js";
import { adminCommand, needsName, needsUser } from "./admin-command.js";

/** Id, name or login. */
interface UserArgument {
  readonly user: string;
}

export const USER_ARGUMENT = "id, name or login";
const declare = (command: Command) => command.argument("[user]", USER_ARGUMENT);
const needs = { user: needsUser("USER") };

/** A user without a password cannot sign in, but can have tokens. */
const add = adminCommand({
  name: "add [name]",
  summary: "add a user; the password comes from a prompt or stdin",
  declare: (command) => command.option("--login <login>", "login name (default: the name)"),
  prints: { view: serviceUserView, count: "one" },
  examples: [
    [
      "A user who signs in as eva; the password is prompted for",
      'calctl service users add "Eva Silva" --login eva',
    ],
    [
      "A user without a password, for a program with a token",
      'id="$(calctl service users add Display --fields id </dev/null)"',
    ],
  ],
  needs: { name: needsName },
  create: true,
  async run(open, { name, login }: { readonly name: string; readonly login?: string }, run) {
    const password = await readPassword(run, `Password for ${name} (empty for none)`, "none");
    const { users } = await open();
    const user = await users.add({ name, login, ...(password !== "" && { password }) });
    if (password === "") {
      run.output.note(
        `${name} has no password yet and cannot sign in: calctl service users password ${user.id}`,
      );
    }
    return user;
  },
  completed: ({ id }) => `user ${id} was added`,
});

const list = adminCommand({
  name: "list",
  summary: "list the users",
  prints: { view: serviceUserView, count: "list" },
  examples: [["Names, logins and ids", "calctl service users list"]],
  run: async (open) => (await open()).users.list(),
});

const password = adminCommand({
  name: "password",
  summary: "set a password, from a prompt or stdin",
  declare,
  examples: [["Set a password from a file", "calctl service users password Ben <password-file"]],
  needs,
  async run(open, { user }: UserArgument, run) {
    const password = await readPassword(run, `New password for ${user}`, "refused");
    if (password === "")
      throw usageError("the password is empty", "type it at the prompt, or pass it on stdin");
    const { name } = await (await open()).users.setPassword(user, password);
    return `password of ${name} set`;
  },
});

const rename = adminCommand({
  name: "rename",
  summary: "change a user's name; the login stays",
  declare: (command) => declare(command).argument("[name]", "the new name"),
  examples: [["Change the name that others see", 'calctl service users rename Caro "Caro Lima"']],
  needs: { ...needs, name: needsName },
  async run(open, { user, name }: UserArgument & { readonly name: string }) {
    const renamed = await (await open()).users.rename(user, name);
    return `user ${renamed.id} is now called ${renamed.name}, and signs in as ${renamed.login} as before`;
  },
});

const disable = adminCommand({
  name: "disable",
  summary: "reject a user's tokens and sign-ins",
  declare,
  examples: [["Lock a user out; their data stays", "calctl service users disable Ben"]],
  needs,
  async run(open, { user }: UserArgument) {
    const { name } = await (await open()).users.disable(user);
    return `${name} is disabled`;
  },
});

const enable = adminCommand({
  name: "enable",
  summary: "accept a disabled user's tokens and sign-ins again",
  declare,
  examples: [["Let a disabled user in again", "calctl service users enable Ben"]],
  needs,
  async run(open, { user }: UserArgument) {
    const { name } = await (await open()).users.enable(user);
    return `${name} is enabled`;
  },
});

const unlock = adminCommand({
  name: "unlock",
  summary: "let a user sign in again after too many failed attempts",
  declare,
  examples: [["Unlock a user after too many wrong passwords", "calctl service users unlock Ben"]],
  needs,
  async run(open, { user }: UserArgument) {
    const { login, wasLocked } = await (await open()).users.unlock(user);
    return wasLocked ? `the login ${login} is unlocked` : `the login ${login} was not locked`;
  },
});

export const userCommands = [add, list, password, rename, disable, enable, unlock];

/** One line from a prompt, which asks twice, or from stdin if it is not a terminal; otherwise empty. */
async function readPassword({ terminal }: Run, question: string, empty: "none" | "refused"): Promise<string> {
  const check = async (answer: string): Promise<void> => {
    if (answer !== "" || empty === "refused") await checkNewPassword(answer);
  };
  if (terminal.prompt.available) return terminal.prompt.password(question, { repeat: true, check });
  if (terminal.input.isTerminal) return "";
  const text = await terminal.input.text("-", "the password");
  // In a shell loop, stdin is the rest of the loop's own input, which is not a password.
  if (text.includes("\n"))
    throw usageError("stdin: a password must be one line", "in a loop, add </dev/null");
  return text;
}
