import type { Command } from "commander";
import { checkId } from "../../src/calendar/names.js";
import { addCommand } from "../../src/cli/command.js";
import { type NeededChoice, type NeededValue, neededChoice } from "../../src/commands/missing-values.js";
import type { Context } from "../../src/context.js";
import { emptyValueError, usageError } from "../../src/errors.js";
import type { Choice } from "../../src/terminal/prompt.js";
import type { AccessContext } from "../access/access.js";
import { createServiceAccess } from "../access/service-access.js";
import type { ServiceAdmin } from "../admin/admin.js";

export type AdminContext = AccessContext & Pick<Context, "output" | "flags">;

/** `sqlite:PATH` or `postgres://…` as typed; undefined for that of CALCTL_SERVICE_DB or of the profile `local`. */
export interface DatabaseFlag {
  readonly db?: string;
}

/** How help describes what names a user. */
export const USER_ARGUMENT = "id, name or login";

/** Adds an administration command with its `--db`. */
export function addAdminCommand(parent: Command, nameAndArguments: string, summary: string): Command {
  return addDatabaseFlag(addCommand(parent, nameAndArguments, summary));
}

export function addDatabaseFlag(command: Command): Command {
  return command.option(
    "--db <database>",
    "sqlite:PATH or postgres://… (default: CALCTL_SERVICE_DB, or that of the profile local)",
  );
}

/**
 * Opens the database after a check of the ids in it that were given.
 * @param ids by how messages name them
 * @throws CliError usage for an id that is empty, `.` or `..`
 */
export async function openAdmin(
  context: AccessContext,
  db: string | undefined,
  ids: Readonly<Record<string, string>> = {},
): Promise<ServiceAdmin> {
  for (const [source, id] of Object.entries(ids)) checkId(id, source);
  return createServiceAccess(context).admin(db);
}

/** What a command that may ask uses. */
export type AskingContext = AdminContext & Pick<Context, "terminal">;

/** The calendar of `-c`, which has no default here, or one that is picked. @throws CliError usage */
export function neededCalendarFlag(context: AskingContext, db: string | undefined): NeededValue<string> {
  const [given, another] = context.flags.calendars;
  if (another !== undefined) throw usageError("--calendar: this command takes one calendar");
  return neededCalendar(context, db, { name: "--calendar", given });
}

/** A calendar: as given, or picked from all. @throws CliError usage for an empty one */
export function neededCalendar(context: AskingContext, db: string | undefined, place: Place) {
  const list = async ({ calendars }: ServiceAdmin) => choicesOf(await calendars.list());
  return neededAmong(context, db, { ...place, noun: "Calendar", list });
}

/** The name of something new: the argument as given, or asked for. @throws CliError usage for an empty one */
export function neededName(
  { terminal }: Pick<Context, "terminal">,
  given: string | undefined,
): NeededValue<string> {
  if (given === "") throw emptyValueError("the name");
  return { name: "NAME", given, ask: () => askName(terminal.prompt) };
}

/** @param changed null where only other things are changed; undefined for nothing */
export function neededChange(
  { terminal }: Pick<Context, "terminal">,
  name: string,
  changed: string | null | undefined,
): NeededValue<string | null> {
  return { name, given: changed, ask: () => askName(terminal.prompt) };
}

function askName(prompt: Context["terminal"]["prompt"]): Promise<string> {
  const check = (name: string): void => {
    if (name.trim() === "") throw usageError("the name is empty");
  };
  return prompt.text("Name:", { check });
}

/** A user: as given, or picked from all. @throws CliError usage for an empty one */
export function neededUser(context: AskingContext, db: string | undefined, place: Place) {
  const list = async ({ users }: ServiceAdmin) =>
    (await users.list()).map(({ id, name, login }) => ({ value: id, name, description: login }));
  return neededAmong(context, db, { ...place, noun: "User", list });
}

/** The calendar that was asked for before what is in it. */
export interface OfCalendar {
  readonly calendar?: string;
}

/** The name in messages, and what was given. */
type Place = Pick<NeededValue<string>, "name" | "given">;

interface Among<V> extends Omit<NeededChoice<V>, "list"> {
  readonly list: (admin: ServiceAdmin, values: Partial<V>) => Promise<readonly Choice<string>[]>;
}

/** Something in the database: as given, or picked. @throws CliError usage for an id that is empty, `.` or `..` */
export function neededAmong<V = object>(
  context: AskingContext,
  db: string | undefined,
  { list, ...place }: Among<V>,
): NeededValue<string, V> {
  if (place.given !== undefined) checkId(place.given, place.name);
  return neededChoice<V>(context, {
    ...place,
    list: async (values) => list(await createServiceAccess(context).admin(db), values),
  });
}

/** Those that have a name show it. */
export function choicesOf(
  items: readonly { readonly id: string; readonly name: string | null }[],
): readonly Choice<string>[] {
  return items.map(({ id, name }) => ({ value: id, name: name ?? id, description: name === null ? "" : id }));
}
