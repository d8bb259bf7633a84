import type { Command } from "commander";
import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { missingFlagsError, usageError } from "../../errors.js";
import type { ServiceAdmin } from "../../service/admin/admin.js";
import { addCommand } from "../command.js";

export type AdminContext = Pick<Context, "service" | "output" | "note" | "calendarFlags">;

/** `sqlite:PATH` or `postgres://…` as typed; undefined for that of CALCTL_SERVICE_DB or of the profile `local`. */
export interface DatabaseFlag {
  readonly db?: string;
}

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
