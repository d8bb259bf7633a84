import { chmodSync, realpathSync, statSync } from "node:fs";
import type { LocalService, Machine } from "../../src/run/machine.js";
import { systemUserName } from "../../src/system/ownership.js";
import type { Service, ServiceOptions } from "../service.js";

/** What a database is opened with. */
export interface Opening {
  readonly machine: Pick<Machine, "clock" | "resources" | "signal" | "userId">;
  readonly note: (text: string) => void;
  /** Whether others will use the service: its database is made private (0600). By default that is only advised. */
  readonly isServed?: boolean;
}

/**
 * Opens the service over a database, and closes it at the end of the run. It is loaded only now: commands that use a remote
 * service load no SQLite. By default an interruption ends the wait for a database that another process locks.
 */
export async function openDatabase(
  { machine, note, isServed = false }: Opening,
  options: Omit<ServiceOptions, "now">,
): Promise<Service> {
  const { openService } = await import("../service.js");
  const { clock, resources, signal, userId } = machine;
  const service = await openService({ signal, isServed, ...options, now: clock.now });
  resources.add(() => service.close());
  const { database } = options;
  if (isReadableByOthers(database, userId)) {
    if (isServed) makePrivate(database, note);
    else note(`other users of this machine have access to the database ${database}: chmod 600 ${database}`);
  }
  return service;
}

/** Opens the database of the profile `local`. The first use creates it, its user and its calendar, with a note. */
export async function openLocalDatabase(
  opening: Opening,
  options: Omit<ServiceOptions, "now">,
): Promise<LocalService> {
  const { database } = options;
  const service = await openDatabase(opening, options);
  const { userId, created } = await service.admin.ensureLocalUser({ name: systemUserName() });
  if (service.created !== null)
    opening.note(`created the calendar database of the profile local: ${database}`);
  else if (created !== null)
    opening.note(`created the user ${created.user} and the calendar ${created.calendar} in ${database}`);
  return { service, userId };
}

/** Whether a file of this user, who may change it, is open to the group or to all. Empty ones are just being created. */
function isReadableByOthers(path: string, userId: number | null): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size > 0 && stat.uid === userId && (stat.mode & 0o077) !== 0;
  } catch {
    // Opening the database explains why it cannot be reached.
    return false;
  }
}

/** Makes a database private that was opened, and is therefore one of calctl. */
function makePrivate(database: string, note: Opening["note"]): void {
  try {
    // SQLite also follows a link before it names its other files.
    const file = realpathSync(database);
    for (const suffix of ["", "-wal", "-shm"]) {
      if (statSync(`${file}${suffix}`, { throwIfNoEntry: false })) chmodSync(`${file}${suffix}`, 0o600);
    }
    note(`other users of this machine had access to the database ${database}; its mode is now 0600`);
  } catch {
    // Such as a file system that is read-only: opening the database notes it.
  }
}
