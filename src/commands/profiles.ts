import type { Command } from "commander";
import type { Context } from "../context.js";
import { usageError } from "../errors.js";
import { createBareView } from "../output/views/plain.js";
import { createConfigView, profileView } from "../output/views/profile.js";
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

type ConfigContext = Pick<Context, "profiles" | "output" | "profileName">;

export function registerConfig(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const list = addCommand(command, "list", "show every key of a profile");
  list.action(() => runConfigList(contextOf(list)));
  const get = addCommand(command, "get", "print the value of a key").argument("<key>");
  get.action((key: string) => runConfigGet(contextOf(get), key));
  const set = addCommand(command, "set", "set a key; base_url of a new --profile makes that profile");
  set.argument("<key>").argument("<value>");
  set.action((key: string, value: string) => runConfigSet(contextOf(set), key, value));
  const unset = addCommand(command, "unset", "remove a key").argument("<key>");
  unset.action((key: string) => runConfigUnset(contextOf(unset), key));
  const path = addCommand(command, "path", "print the path of the configuration file");
  path.action(() => runConfigPath(contextOf(path)));
}

export async function runConfigList(context: ConfigContext): Promise<void> {
  const values = context.profiles().values(context.profileName());
  await context.output(createConfigView(Object.keys(values))).print(values);
}

/** Prints the value alone, nothing for a key that is not set. */
export async function runConfigGet(context: ConfigContext, key: string): Promise<void> {
  const values: Readonly<Record<string, string | null>> = context.profiles().values(context.profileName());
  const value = values[key];
  if (value === undefined) {
    throw usageError(`there is no key "${key}"`, `keys: ${Object.keys(values).join(", ")}`);
  }
  await context.output(createBareView(key)).print({ [key]: value });
}

export async function runConfigSet(context: ConfigContext, key: string, value: string): Promise<void> {
  await context.profiles().set(context.profileName(), key, value);
}

export async function runConfigUnset(context: ConfigContext, key: string): Promise<void> {
  await context.profiles().unset(context.profileName(), key);
}

export async function runConfigPath(context: ConfigContext): Promise<void> {
  await context.output(createBareView("path")).print({ path: context.profiles().path });
}
