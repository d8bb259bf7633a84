import type { Command } from "commander";
import { CliError, missingFlagsError } from "../errors.js";
import type { Run } from "../run/run.js";
import type { Choice } from "../terminal/prompt.js";
import { addAction, pathOf, type RunCommand, type RunOf } from "./command.js";
import { readGlobalFlags } from "./global-flags.js";

/** A value that a command needs, and asks for where its command line leaves it out. @template V the values before it */
export interface NeededValue<T, V = object> {
  /** The flag, or the argument in capitals, as messages name it. */
  readonly name: string;
  readonly given: T | undefined;
  readonly ask: (values: Partial<V>) => Promise<T>;
  /** Whether `ask` may find the value without a terminal; `ask` throws if it cannot. */
  readonly hasDefault?: boolean;
  /** Whether it is needed, by the values before it; always by default. */
  readonly when?: (values: Partial<V>) => boolean;
}

interface MissingOptions {
  readonly command: Command;
  /** For what is missing. */
  readonly hint?: string | undefined;
  /** Throws for a wrong format or field. */
  readonly check?: () => unknown;
}

type NeededValues<V> = { readonly [K in keyof V]: NeededValue<V[K], V> };

/**
 * The values as given, and the answers to what is missing, asked in the order of the keys.
 * @throws CliError usage that names all that is missing where nothing can be asked; then what `check` throws
 */
export async function completeValues<V extends object>(
  { available }: Pick<Run["terminal"]["prompt"], "available">,
  needed: NeededValues<V>,
  { command, hint, check }: MissingOptions,
): Promise<V> {
  if (!available) requireGiven(needed, { command, hint });
  check?.();
  const values: Partial<V> = {};
  for (const key of Object.keys(needed) as (keyof V)[]) {
    const value = isMissing(needed[key], values) ? await needed[key].ask(values) : needed[key].given;
    if (value !== undefined) values[key] = value;
  }
  return values as V;
}

function requireGiven<V extends object>(needed: NeededValues<V>, { command, hint }: MissingOptions): void {
  const given: Partial<V> = {};
  const missing: NeededValue<unknown, V>[] = [];
  for (const key of Object.keys(needed) as (keyof V)[]) {
    const value = needed[key];
    if (isMissing(value, given)) missing.push(value);
    else if (value.given !== undefined) given[key] = value.given;
  }
  if (missing.every(({ hasDefault }) => hasDefault === true)) return;
  const names = missing.map(({ name }) => name);
  if (names.some((name) => !name.startsWith("--"))) throw missingArgumentError(command, names, hint);
  throw missingFlagsError(names, hint);
}

function isMissing<T, V>({ given, when }: NeededValue<T, V>, values: Partial<V>): boolean {
  return given === undefined && (when === undefined || when(values));
}

/** What is picked from a list: its name in messages, what it is called, and what there is. */
export interface NeededChoice<V> extends Pick<NeededValue<string>, "name" | "given"> {
  /** `Target`; with an s for several. */
  readonly noun: string;
  readonly list: (values: Partial<V>) => Promise<readonly Choice<string>[]>;
}

/** One of what there is: as given, or picked. `ask` throws CliError not_found where there is nothing. */
export function neededChoice<V = object>(
  { terminal }: Run,
  { name, given, noun, list }: NeededChoice<V>,
): NeededValue<string, V> {
  return {
    name,
    given,
    async ask(values) {
      const choices = await list(values);
      if (choices.length === 0) throw new CliError("not_found", `there are no ${noun.toLowerCase()}s`);
      return terminal.prompt.choose(`${noun}:`, choices);
    },
  };
}

/** Adds the action of a command whose first argument can be picked on a terminal: elsewhere it is required. */
export function addPickAction<O>(command: Command, runOf: RunOf, action: RunCommand<O>): void {
  addAction<O>(command, runOf, async (run, options) => {
    if (command.args.length === 0 && !run.terminal.prompt.available) throw missingArgumentError(command);
    await action(run, options, command);
  });
}

/**
 * The error for missing arguments, the first of which `--fields` may have taken as its value.
 * @param names of all that is missing; by default the first argument that is
 */
export function missingArgumentError(
  command: Command,
  names: readonly string[] = [command.registeredArguments[command.args.length]?.name().toUpperCase() ?? ""],
  hint = `${pathOf(command)} -h shows what it takes`,
): CliError {
  const { fields } = readGlobalFlags(command);
  const taken = typeof fields === "string";
  return missingFlagsError(
    names,
    taken ? `"${fields}" is the value of --fields; put --fields at the end to list the fields` : hint,
    `${pathOf(command)} needs`,
  );
}
