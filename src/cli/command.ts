import type { Command } from "commander";
import type { Settings } from "../config/settings.js";
import { configurationError, usageError } from "../errors.js";
import type { Document, Format, Shape } from "../output/view.js";
import type { Run } from "../run/run.js";
import { readGlobalFlags } from "./global-flags.js";
import type { Example } from "./help/page.js";
import { suggestCommand } from "./suggestion.js";

/** Loads and creates what a command may use, once its flags are parsed. */
export type RunOf = (command: Command, options?: RunOfOptions) => Promise<Run>;

interface RunOfOptions {
  /** Whether a scheduler runs it, which mails all that is printed: retries that helped are not worth an email. */
  readonly isJob?: boolean;
}

/** For the commands that a scheduler runs. */
export function forJobs(runOf: RunOf): RunOf {
  return (command) => runOf(command, { isJob: true });
}

/** Adds a subcommand. It has the global flags once it is parsed. */
export function addCommand(parent: Command, nameAndArguments: string, summary: string): Command {
  // A group allows arguments, to report them itself; its commands do not inherit that.
  return parent.command(nameAndArguments).description(summary).allowExcessArguments(false);
}

/** Declares the arguments and flags of a command, or its subcommands. */
type Register = (command: Command, runOf: RunOf) => void;

/** Name, summary, and a function that loads the command: how it is declared, or its subcommands. */
export type CommandEntry = readonly [
  name: string,
  summary: string,
  load: () => Promise<Register | readonly CommandEntry[]>,
];

/** What loads each command when it is used. */
export type CommandLoaders = ReadonlyMap<Command, CommandEntry[2]>;

/** Adds commands without their arguments and flags. */
export function addCommands(parent: Command, entries: readonly CommandEntry[]): CommandLoaders {
  return new Map(entries.map(([name, summary, load]) => [addCommand(parent, name, summary), load]));
}

/** Loads a command. @returns what loads its subcommands; empty if they were declared with it, or it has none */
export async function loadCommand(
  command: Command,
  load: CommandEntry[2],
  runOf: RunOf,
): Promise<CommandLoaders> {
  const loaded = await load();
  if (typeof loaded === "function") {
    loaded(command, runOf);
    return new Map();
  }
  requireSubcommand(command);
  return addCommands(command, loaded);
}

/** @param options arguments and flags under their names */
export type RunCommand<O> = (run: Run, options: O, command: Command) => Promise<void>;

/**
 * Runs a command with what it may use, and with its arguments and flags as one object under their names. Flags that shape
 * data are refused as far as what it prints (`describeCommand`) cannot be shaped; `--fields` without a value prints the
 * names of its fields instead.
 */
export function addAction<O>(command: Command, runOf: RunOf, action: RunCommand<O>): void {
  command.action(async () => {
    const { registeredArguments, processedArgs } = command;
    const named = registeredArguments.map((argument, index) => [argument.name(), processedArgs[index]]);
    const run = await runOf(command);
    await run.output.prepare();
    refuseOutputFlags(command);
    const fields = listedFields(command);
    if (fields !== null) return run.output.document(LINES, fields);
    try {
      const options = { ...command.opts(), ...confirmed(command, run), ...Object.fromEntries(named) };
      await action(run, options as O, command);
    } catch (error) {
      // Why the command failed matters more than that its requests could not be printed.
      await run.output.requests().catch(() => undefined);
      throw error;
    }
    await run.output.requests();
  });
}

/** A dry run changes nothing, so that it needs no confirmation. */
function confirmed({ options }: Command, { flags }: Run): { readonly yes?: true } {
  return flags.dryRun && options.some(({ long }) => long === "--yes") ? { yes: true } : {};
}

function refuseOutputFlags(command: DescribedCommand): void {
  const { prints, anyFormat = false, takesTemplate = false } = command.facts ?? {};
  const { fields, jq, template, csvSafe, output = "json" } = readGlobalFlags(command);
  if (prints === "json" && !anyFormat) {
    refuseFlags({ fields, "csv-safe": csvSafe }, "this command prints JSON as it is");
    if (output !== "json")
      throw usageError(`--output: this command has no format "${output}"`, "formats: json");
  } else if (prints === undefined || prints === "text") {
    refuseFlags({ fields, jq, ...(!takesTemplate && { template }) }, "this command prints no data");
  }
}

/** The names that `--fields` without a value asks for; null where it has one, or was not given. */
function listedFields(command: DescribedCommand): readonly string[] | null {
  const { prints } = command.facts ?? {};
  if (typeof prints !== "object" || readGlobalFlags(command).fields !== true) return null;
  return Object.keys(prints.view.keys);
}

const LINES: Document<readonly string[]> = { render: (lines) => lines.map((line) => `${line}\n`).join("") };

function refuseFlags(flags: Readonly<Record<string, unknown>>, why: string): void {
  const given = Object.entries(flags).find(([, value]) => value !== undefined);
  if (given !== undefined) throw usageError(`--${given[0]}: ${why}`);
}

/** What help and `calctl schema` say about a command beyond its arguments and flags. */
export interface CommandFacts {
  /** Two or three. Called only when they are shown. */
  readonly examples: () => readonly Example[];
  /** What it prints; absent when it prints no data. */
  readonly prints?: PrintedValue | "json" | "text";
  /** Whether it takes any `--output`, and prints JSON all the same. */
  readonly anyFormat?: boolean;
  /** Whether it takes `--template` although it prints no data. */
  readonly takesTemplate?: boolean;
}

/** What a command prints in its formats. */
export interface PrintedValue {
  readonly view: PrintedView;
  /** By default those of the view. */
  readonly formats?: readonly Format[];
  /** Whether that is one value, a list, or either, depending on the arguments. */
  readonly count: "one" | "list" | "one or list";
  /** Whether only some of the keys are printed, depending on the arguments. */
  readonly partial?: boolean;
}

/** The part of a view that does not depend on the type of its values. */
interface PrintedView extends Shape {
  /** Absent where there is no such format. */
  readonly tsv?: readonly string[];
  readonly formats?: { readonly [F in Format]?: unknown };
}

export interface DescribedCommand extends Command {
  readonly facts?: CommandFacts;
}

/** Adds what help and `calctl schema` say about a command. */
export function describeCommand(command: Command, facts: CommandFacts): Command {
  return Object.assign(command, { facts });
}

/** `calctl events list`, from the top. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Makes a group of commands fail with a hint when it is run without one of them. */
export function requireSubcommand(group: Command): void {
  group
    .enablePositionalOptions()
    .usage("<command> [flags]")
    .allowExcessArguments()
    .action(() => throwUnknownCommand(group));
}

/** @throws CliError usage for `calctl nonsense --help`, which asks for help about an unknown command */
export function refuseUnknownCommand(group: Command): void {
  const [name] = group.args;
  if (group.commands.length > 0 && name !== undefined && !name.startsWith("-")) throwUnknownCommand(group);
}

function throwUnknownCommand(group: Command): never {
  const [name] = group.args;
  const hint = `commands: ${group.commands.map((command) => command.name()).join(", ")}`;
  const path = pathOf(group);
  if (name === undefined) throw usageError(`${path} needs a command`, hint);
  const names = group.commands.map((command) => command.name());
  const suggestion = suggestCommand(name, names, group.parent === null);
  throw usageError(
    `${path} has no command "${name}"`,
    suggestion === undefined ? hint : `did you mean ${path} ${suggestion}?`,
  );
}

/** @throws CliError usage without `--yes` where calctl cannot prompt */
export function requireConfirmation(yes: boolean, canAsk: boolean): void {
  if (!yes && !canAsk)
    throw usageError("--yes is required where calctl cannot prompt", "add --yes to skip the confirmation");
}

/**
 * For commands that run unattended: a job with the wrong home folder must not find the empty calendar of `local`.
 * @param options.sends whether the command has effects; if not, it may use `local` when there is no other profile
 * @throws CliError configuration when nothing chose the service
 */
export function requireChosenService(
  { isChosen, isOnlyLocal }: Pick<Settings, "isChosen" | "isOnlyLocal">,
  { sends }: { readonly sends: boolean },
): void {
  if (isChosen || (isOnlyLocal && !sends)) return;
  throw configurationError("no service was chosen, and this command does not use `local` by default", {
    hint: "for the calendar on this machine, add -p local, or run calctl profiles use local once. For another service, set CALCTL_PROFILE, or HOME to the folder of the user who signed in",
  });
}
