import type { Command } from "commander";
import type { Context } from "../context.js";
import { profileView } from "../output/views/profile.js";
import { addCommand, type ContextOf, requireSubcommand } from "./command.js";

type ProfilesContext = Pick<Context, "profiles" | "session" | "output" | "note">;

export function registerProfiles(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const list = addCommand(command, "list", "list the profiles");
  list.action(() => runProfilesList(contextOf(list)));
  const use = addCommand(command, "use", "make a profile the one in use").argument("<name>");
  use.action((name: string) => runProfilesUse(contextOf(use), name));
  const remove = addCommand(command, "remove", "forget a profile").argument("<name>");
  remove.action((name: string) => runProfilesRemove(contextOf(remove), name));
}

export async function runProfilesList(context: ProfilesContext): Promise<void> {
  const output = context.output(profileView);
  await output.print(context.profiles().list());
}

export async function runProfilesUse(context: ProfilesContext, name: string): Promise<void> {
  await context.profiles().use(name);
  context.note(`profile in use: ${name}`);
}

export async function runProfilesRemove(context: ProfilesContext, name: string): Promise<void> {
  const profiles = context.profiles();
  const wasInUse = profiles.list().some((profile) => profile.name === name && profile.in_use);
  if (profiles.list().some((profile) => profile.name === name)) await context.session.forget(name);
  await profiles.remove(name);
  context.note(wasInUse ? `removed profile ${name}; in use is now: local` : `removed profile ${name}`);
}
