import type { Command } from "commander";
import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { emptyValueError, missingFlagsError, usageError } from "../../errors.js";
import type { ServiceAdmin } from "../../service/admin/admin.js";
import { addCommand } from "../command.js";
import type { NeededValue } from "../missing-values.js";

export type AdminContext = Pick<Context, "service" | "output" | "note" | "calendarFlags">;

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
  { service }: Pick<Context, "service">,
  db: string | undefined,
  ids: Readonly<Record<string, string>> = {},
): Promise<ServiceAdmin> {
  for (const [source, id] of Object.entries(ids)) checkId(id, source);
  return service.admin(db);
}

/**
 * The calendar of `-c`, which has no default here.
 * @param missing other missing flags, so that one message names all of them
 * @throws CliError usage
 */
export function requiredCalendar(
  { calendarFlags }: Pick<Context, "calendarFlags">,
  missing: readonly string[] = [],
): string {
  const [calendar, another] = calendarFlags;
  if (calendar === undefined) throw missingFlagsError(["--calendar", ...missing]);
  if (missing.length > 0) throw missingFlagsError(missing);
  if (another !== undefined) throw usageError("--calendar: this command takes one calendar");
  return checkId(calendar, "--calendar");
}

/** The name of something new: the argument as given, or asked for. @throws CliError usage for an empty one */
export function neededName(
  { prompt }: Pick<Context, "prompt">,
  given: string | undefined,
): NeededValue<string> {
  if (given === "") throw emptyValueError("the name");
  const check = (name: string): void => {
    if (name.trim() === "") throw usageError("the name is empty");
  };
  return { name: "NAME", given, ask: () => prompt.text("Name:", { check }) };
}

/** A user: as given, or picked from all. @throws CliError usage for an empty one */
export function neededUser(
  { service, prompt }: Pick<Context, "service" | "prompt">,
  db: string | undefined,
  { name, given }: Pick<NeededValue<string>, "name" | "given">,
): NeededValue<string> {
  if (given !== undefined) checkId(given, name);
  return {
    name,
    given,
    async ask() {
      const users = await (await service.admin(db)).users.list();
      const choices = users.map((user) => ({ value: user.id, name: user.name, description: user.login }));
      return prompt.choose("User:", choices);
    },
  };
}
