import type { Command } from "commander";
import { addAction, addCommand, describeCommand, type RunOf } from "../../src/cli/command.js";
import { completeValues, type NeededValue, neededChoice } from "../../src/cli/missing-values.js";
import { emptyValueError, usageError } from "../../src/errors.js";
import { checkId, describeCandidates } from "../../src/events/names.js";
import type { View } from "../../src/output/view.js";
import type { Run } from "../../src/run/run.js";
import type { Choice } from "../../src/terminal/prompt.js";
import { openAdmin } from "../access/admin.js";
import type { ServiceAdmin } from "../admin/admin.js";

/** A command of administration. @template V its arguments and flags, under their names */
interface AdminCommand<V, T> {
  /** With its arguments, but for those that `declare` describes. */
  readonly name: string;
  readonly summary: string;
  readonly declare?: (command: Command) => Command;
  /** What for, and the line. */
  readonly examples: readonly (readonly [string, string])[];
  /** Absent if `run` gives a sentence for stderr instead. */
  readonly prints?: { readonly view: View<T>; readonly count: "one" | "list" };
  /** What is asked for where it was not given, in this order. */
  readonly needs?: { readonly [K in keyof V]?: Need<NonNullable<V[K]>> };
  /** Whether a missing database is created, as for `openAdmin`. */
  readonly create?: boolean;
  run(open: OpenAdmin, values: V & DatabaseFlag, run: Run): Promise<T | readonly T[]>;
  /** What has happened, in case the value cannot be printed. */
  readonly completed?: (value: T) => string;
}

/** Opens the database of the command. */
type OpenAdmin = () => Promise<ServiceAdmin>;

export interface DatabaseFlag {
  /** `sqlite:PATH` or `postgres://…` as typed; undefined for that of CALCTL_SERVICE_DB or of the profile `local`. */
  readonly db?: string;
}

/** Describes a command. @returns adds it to its group */
export function adminCommand<V extends object = object, T = string>(description: AdminCommand<V, T>) {
  const { name, summary, declare = (command) => command, examples, prints } = description;
  return (group: Command, runOf: RunOf): void => {
    const command = declare(addDatabaseFlag(addCommand(group, name, summary)));
    describeCommand(command, { ...(prints && { prints }), examples: () => examples });
    addAction<Values>(command, runOf, (run, options) => runAdmin(description, { run, options, command }));
  };
}

export function addDatabaseFlag(command: Command): Command {
  return command.option(
    "--db <database>",
    "sqlite:PATH or postgres://… (default: CALCTL_SERVICE_DB, or that of the profile local)",
  );
}

interface CommandRun {
  readonly run: Run;
  /** As typed. */
  readonly options: Values & DatabaseFlag;
  readonly command: Command;
}

type Values = Readonly<Record<string, unknown>>;

async function runAdmin<V, T>(
  { prints, needs = {}, create, completed, ...description }: AdminCommand<V, T>,
  { run, options, command }: CommandRun,
): Promise<void> {
  const output = prints && (() => run.output.of(prints.view));
  let opened: Promise<ServiceAdmin> | undefined;
  const open: OpenAdmin = () => {
    opened ??= openAdmin(run, options.db, { create });
    return opened;
  };
  const needed = Object.entries(needs as Readonly<Record<string, Need<unknown>>>).map(([name, need]) => [
    name,
    need(options[name], { run, open, options }),
  ]);
  const answers = await completeValues<Values>(run.terminal.prompt, Object.fromEntries(needed), {
    command,
    ...(output && { check: output }),
  });
  const value = await description.run(open, { ...options, ...answers } as V & DatabaseFlag, run);
  if (output === undefined) return run.output.note(String(value));
  await output().print(value, Array.isArray(value) ? undefined : completed?.(value as T));
}

/** What a command needs, by what was given for it. @throws CliError usage for what can never be right */
type Need<T> = (given: T | undefined, asking: Asking) => NeededValue<T, Values>;

interface Asking {
  readonly run: Run;
  readonly open: OpenAdmin;
  /** As typed. */
  readonly options: Values;
}

/** The name of something new. */
export const needsName: Need<string> = (given, { run }) => {
  if (given === "") throw emptyValueError("the name");
  return { name: "NAME", given, ask: () => askName(run) };
};

/** A new name, unless one of the other flags changes something. @param flags how messages name all of them */
export function needsChange(flags: string, others: readonly string[]): Need<string> {
  return (given, { run, options }) => ({
    name: flags,
    given,
    ask: () => askName(run),
    when: () => others.every((other) => options[other] === undefined),
  });
}

function askName({ terminal }: Run): Promise<string> {
  const check = (name: string): void => {
    if (name.trim() === "") throw usageError("the name is empty");
  };
  return terminal.prompt.text("Name:", { check });
}

/** The calendar of `-c`, else the only one. The default of a profile does not count here. */
export const needsCalendarFlag: Need<string> = (_, asking) => {
  const { flags, terminal } = asking.run;
  const [given, another] = flags.calendars;
  if (another !== undefined) throw usageError("--calendar: this command takes one calendar");
  const needed = needsCalendar("--calendar")(given, asking);
  return {
    ...needed,
    hasDefault: true,
    async ask(values) {
      const calendars = await (await asking.open()).calendars.list();
      if (calendars.length === 1 && calendars[0] !== undefined) return calendars[0].id;
      if (terminal.prompt.available || calendars.length === 0) return needed.ask(values);
      throw usageError(
        "missing --calendar: there are several calendars",
        `name one of: ${describeCandidates(calendars)}`,
      );
    },
  };
};

/** @param name that of the flag or argument, in messages */
export function needsCalendar(name: string): Need<string> {
  return needsOneOf({
    name,
    noun: "Calendar",
    list: async ({ calendars }) => choicesOf(await calendars.list()),
  });
}

export function needsUser(name: string): Need<string> {
  return needsOneOf({
    name,
    noun: "User",
    list: async ({ users }) =>
      (await users.list()).map(({ id, name, login }) => ({ value: id, name, description: login })),
  });
}

interface OneOf {
  readonly name: string;
  readonly noun: string;
  /** @param calendar what was given or picked for `calendar`; empty before that */
  readonly list: (admin: ServiceAdmin, calendar: string) => Promise<readonly Choice<string>[]>;
  readonly when?: (options: Values) => boolean;
}

/** Something in the database: as given, or picked. Refuses an id that is empty, `.` or `..`. */
export function needsOneOf({ list, when = () => true, ...place }: OneOf): Need<string> {
  return (given, { run, open, options }) => {
    if (given !== undefined) checkId(given, place.name);
    const pick = async (values: Values) => list(await open(), String(values["calendar"] ?? ""));
    return { ...neededChoice<Values>(run, { ...place, given, list: pick }), when: () => when(options) };
  };
}

/** Those that have a name show it. */
export function choicesOf(
  items: readonly { readonly id: string; readonly name: string | null }[],
): readonly Choice<string>[] {
  return items.map(({ id, name }) => ({ value: id, name: name ?? id, description: name === null ? "" : id }));
}
