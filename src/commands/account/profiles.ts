import type { Command } from "commander";
import { addAction, addCommand, describeCommand, type RunOf, requireSubcommand } from "../../cli/command.js";
import { readGlobalFlags } from "../../cli/global-flags.js";
import { completeValues, neededChoice } from "../../cli/missing-values.js";
import type { ProfileSummary } from "../../config/profile-store.js";
import { usageError } from "../../errors.js";
import { createValueView } from "../../output/views/plain.js";
import type { Run } from "../../run/run.js";
import { parseDuration } from "../../time/dates.js";
import { CONFIG_KEYS, createConfigView, profileView } from "./view.js";

export function registerProfiles(command: Command, runOf: RunOf): void {
  requireSubcommand(command);
  const list = addCommand(command, "list", "list profiles");
  describeCommand(list, {
    prints: { view: profileView, count: "list" },
    examples: () => [
      ["All profiles, and which one is in use", "calctl profiles list"],
      ["The name of the profile in use", "calctl profiles list --jq '.[] | select(.in_use).name'"],
    ],
  });
  addAction(list, runOf, runProfilesList);
  const use = addCommand(command, "use [name]", "switch to a profile");
  describeCommand(use, {
    examples: () => [
      ["Use the embedded service of this machine", "calctl profiles use local"],
      ["Use a profile for a single command", "calctl whoami -p local"],
    ],
  });
  addAction(use, runOf, runProfilesUse);
  const remove = addCommand(command, "remove [name]", "remove a profile and its token");
  describeCommand(remove, {
    examples: () => [["Remove a profile and its token", "calctl profiles remove calendar.example"]],
  });
  addAction(remove, runOf, runProfilesRemove);
}

interface NameArgument {
  readonly name?: string;
}

async function runProfilesList(run: Run): Promise<void> {
  const output = run.output.of(profileView);
  await output.print(run.config.profiles().list());
}

async function runProfilesUse(run: Run, options: NameArgument, command: Command): Promise<void> {
  const name = await chooseProfile(run, () => run.config.profiles().list(), { ...options, command });
  await run.config.profiles().use(name);
  run.output.note(`profile in use: ${name}`);
}

async function runProfilesRemove(run: Run, options: NameArgument, command: Command): Promise<void> {
  const profiles = run.config.profiles();
  // `local` cannot be removed.
  const removable = () => profiles.list().filter(({ base_url }) => base_url !== null);
  const name = await chooseProfile(run, removable, { ...options, command });
  const found = profiles.list().find((profile) => profile.name === name);
  if (found !== undefined) await run.session.removeToken(name);
  await profiles.remove(name);
  run.names.dropCache(name);
  run.output.note(`removed profile ${name}`);
  if (found?.in_use === true)
    run.output.note("no profile is in use now; choose one: calctl profiles use NAME");
}

/** The name of the argument, or of the profile that is picked. */
async function chooseProfile(
  run: Run,
  profiles: () => readonly ProfileSummary[],
  { name: given, command }: NameArgument & { readonly command: Command },
): Promise<string> {
  const list = async () =>
    profiles().map(({ name, base_url }) => ({ value: name, name, description: base_url ?? "" }));
  const needed = { name: neededChoice(run, { name: "NAME", given, noun: "Profile", list }) };
  return (await completeValues(run.terminal.prompt, needed, { command })).name;
}

/** Every key, as far as help and schema know it. */
const CONFIG = createConfigView("", Object.keys(CONFIG_KEYS));

const PATH = createValueView("path");

export function registerConfig(command: Command, runOf: RunOf): void {
  requireSubcommand(command);
  const list = addCommand(command, "list", "list the settings of a profile");
  describeCommand(list, {
    prints: { view: CONFIG, count: "one" },
    examples: () => [
      ["The settings of the profile in use", "calctl config list"],
      ["The settings of another profile, as JSON", "calctl config list -p local -o json"],
    ],
  });
  addAction(list, runOf, runConfigList);
  const get = addCommand(command, "get <key>", "print the value of a setting");
  describeCommand(get, {
    prints: { view: CONFIG, count: "one", partial: true },
    examples: () => [
      ["The URL of the service", "calctl config get base_url"],
      ["The default calendar of the embedded service", "calctl config get calendar -p local"],
    ],
  });
  addAction(get, runOf, runConfigGet);
  const set = addCommand(
    command,
    "set <key> <value>",
    "change a setting; base_url of a new --profile creates the profile",
  );
  describeCommand(set, {
    examples: () => [
      ["Set the default calendar", "calctl config set calendar Family"],
      [
        "Create events in one calendar, but list those of every calendar",
        "calctl config set write_calendar Family",
      ],
      ["Add another service", "calctl config set base_url https://calendar.example/api -p club"],
    ],
  });
  addAction(set, runOf, runConfigSet);
  const unset = addCommand(command, "unset <key>", "remove a setting");
  describeCommand(unset, {
    examples: () => [["Return to the time zone of this machine", "calctl config unset timezone"]],
  });
  addAction(unset, runOf, runConfigUnset);
  const path = addCommand(command, "path", "print the path of the configuration file or the state folder");
  path.addArgument(
    path.createArgument("[file]", "which path (default: config)").choices(["config", "state"]),
  );
  describeCommand(path, {
    prints: { view: PATH, count: "one" },
    examples: () => [
      ["The path of the settings", "calctl config path"],
      ["Show the whole file", 'cat "$(calctl config path)"'],
      ["The folder of state kept between runs", "calctl config path state"],
    ],
  });
  addAction(path, runOf, runConfigPath);
}

interface KeyArgument {
  readonly key: string;
}

async function runConfigList(run: Run): Promise<void> {
  const profile = run.config.profileName();
  const values = run.config.profiles().values(profile);
  await run.output.of(createConfigView(profile, Object.keys(values))).print(values);
}

/** Prints only the value, nothing for a key that is not set. */
async function runConfigGet(run: Run, { key }: KeyArgument): Promise<void> {
  const values: Readonly<Record<string, string | null>> = run.config
    .profiles()
    .values(run.config.profileName());
  const value = values[key];
  if (value === undefined) {
    throw usageError(`there is no key "${key}"`, `keys: ${Object.keys(values).join(", ")}`);
  }
  await run.output.of(createValueView(key)).print({ [key]: value });
}

async function runConfigSet(
  run: Run,
  { key, value }: KeyArgument & { readonly value: string },
  command: Command,
): Promise<void> {
  const profile = run.config.profileName();
  if (key === "duration" && value !== "") parseDuration(value, key);
  const writes = key === "journal" && /^off$/i.test(value) ? await run.writes() : null;
  await run.config.profiles().set(profile, key, value);
  noteProfile(run, profile, command);
  // Last, since it may fail.
  await writes?.forget();
  if (profile !== "local" || !/^(?:(?:write_)?calendar|label)$/.test(key)) return;
  const { findNameProblem } = await import("./local-names.js");
  const problem = await findNameProblem(run, key === "label" ? key : "calendar", value);
  if (problem !== null) run.output.note(`${key} was set, although ${problem}`);
}

async function runConfigUnset(run: Run, { key }: KeyArgument, command: Command): Promise<void> {
  const profile = run.config.profileName();
  await run.config.profiles().unset(profile, key);
  noteProfile(run, profile, command);
}

/** CALCTL_BASE_URL names a service, of which nothing is configured. */
function noteProfile({ machine, output }: Run, profile: string, command: Command): void {
  const { CALCTL_BASE_URL: service, CALCTL_PROFILE: chosen } = machine.env;
  if (service && !chosen && readGlobalFlags(command).profile === undefined)
    output.note(`this is of profile ${profile}, which commands with CALCTL_BASE_URL do not use`);
}

async function runConfigPath(
  { config, machine, output }: Run,
  { file }: { readonly file?: "config" | "state" },
): Promise<void> {
  const path = file === "state" ? machine.stateFile() : config.profiles().path;
  await output.of(PATH).print({ path });
}
