import { readVariable } from "../../src/config/environment.js";
import type { RunSettings } from "../../src/config/run-settings.js";
import type { Settings } from "../../src/config/settings.js";
import { dryRunError, hasCode } from "../../src/errors.js";
import type { Machine } from "../../src/run/machine.js";
import { isPostgresUrl, parseDatabase } from "../../src/system/database-location.js";
import { readOnlyIf } from "../../src/system/read-only.js";
import { createMessages, type Messages } from "../../src/terminal/messages.js";
import type { ServiceAdmin } from "../admin/admin.js";
import type { Service, ServiceOptions } from "../service.js";
import { openDatabase, openLocalDatabase } from "./open.js";

/** What the commands of the embedded service use of a run. */
export interface AccessRun {
  readonly machine: Pick<
    Machine,
    "clock" | "database" | "env" | "process" | "resources" | "signal" | "stderr" | "userId"
  >;
  readonly flags: Pick<RunSettings, "debug" | "dryRun" | "quiet">;
  /** The service in use: if it is another one, a note says so. Undefined for no note. */
  readonly config?: { readonly settings: () => Pick<Settings, "profile" | "service"> };
}

/**
 * Opens the database of `--db`, by default that of the profile `local`. With `--dry-run` it only reads.
 * @param create whether a missing one is created; by default only that of `local` is, with its user, unless another service
 * is in use
 * @throws CliError configuration when it is missing and not created
 */
export async function openAdmin(
  run: AccessRun,
  flag: string | undefined,
  { create }: { readonly create?: boolean | undefined } = {},
): Promise<ServiceAdmin> {
  const { dryRun } = run.flags;
  // One that does not exist is not created either.
  if (dryRun && create === true) throw dryRunError();
  const database = chooseDatabase(run, flag);
  const mayCreate = create ?? otherService(run) === null;
  const isLocal = database === undefined && mayCreate;
  const options = { rateLimit: null, ...(!isLocal && { create: create === true }) };
  const { admin } = await openChosen(run, { database, isLocal, isServed: false }, options);
  const { users, calendars, members, labels, clients, tokens } = admin;
  return {
    ...readOnlyIf(dryRun, admin, []),
    users: readOnlyIf(dryRun, users, ["list"]),
    calendars: readOnlyIf(dryRun, calendars, ["list", "inspect"]),
    members: readOnlyIf(dryRun, members, ["list"]),
    labels: readOnlyIf(dryRun, labels, []),
    clients: readOnlyIf(dryRun, clients, ["list"]),
    tokens: readOnlyIf(dryRun, tokens, ["list"]),
  };
}

export interface ChosenDatabase {
  /** Undefined for the one of the profile `local`. */
  readonly database: string | undefined;
  /** Whether it has the user of that profile. */
  readonly isLocal: boolean;
  readonly isServed: boolean;
}

/** Opens the service over a database that was chosen, and notes what was created. */
export async function openChosen(
  run: AccessRun,
  { database: chosen, isLocal, isServed }: ChosenDatabase,
  options: Omit<ServiceOptions, "now" | "database">,
): Promise<Service> {
  const { machine } = run;
  const { note } = messagesOf(run);
  const opening = { machine, note, isServed };
  const database = chosen ?? machine.database();
  if (isLocal) return (await openLocalDatabase(opening, { database, ...options })).service;
  const service = await openDatabase(opening, { database, ...options });
  if (service.created !== null) note(`created the database ${service.created}`);
  return service;
}

/**
 * The database of `--db` or CALCTL_SERVICE_DB, as `parseDatabase` gives it; undefined for none. If no flag names it and
 * another service is in use, a note says which database is used.
 * @throws CliError usage
 */
export function chooseDatabase(run: AccessRun, flag: string | undefined): string | undefined {
  const { note } = messagesOf(run);
  if (flag !== undefined) return parseDatabase(flag, { source: "--db", note });
  const variable = readVariable(run.machine.env, "CALCTL_SERVICE_DB");
  const database =
    variable === undefined ? undefined : parseDatabase(variable, { source: "CALCTL_SERVICE_DB" });
  const other = otherService(run);
  const path = database ?? run.machine.database();
  if (other !== null && !isPostgresUrl(path))
    note(`using the database of this machine, ${path}, not ${other}`);
  return database;
}

/** How messages name the service in use; null for `local`, and where it is not known. */
function otherService({ config }: AccessRun): string | null {
  try {
    const selected = config?.settings();
    if (selected === undefined || selected.service.kind === "local") return null;
    const { profile } = selected;
    return profile === null ? "the service of CALCTL_BASE_URL" : `the service of the profile ${profile}`;
  } catch (error) {
    // An invalid setting does not matter here.
    if (hasCode(error, "configuration", "usage")) return null;
    throw error;
  }
}

export function messagesOf({ machine, flags }: AccessRun): Messages {
  return createMessages(machine, flags);
}

/** @throws CliError usage for a password that nobody may choose */
export async function checkNewPassword(password: string): Promise<void> {
  const { requireNewPassword } = await import("../admin/users.js");
  requireNewPassword(password);
}

/** The contract as an OpenAPI document. */
export async function describeContract(): Promise<unknown> {
  const { openApiDocument } = await import("../openapi/document.js");
  return openApiDocument({ baseUrl: "{base_url}", authUrl: "{auth_url}" });
}
