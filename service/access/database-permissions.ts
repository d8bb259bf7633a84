import { chmodSync, realpathSync, statSync } from "node:fs";
import type { OpenService } from "./access.js";

export interface DatabasePermissionsOptions {
  /** Of the user who runs the program; null on Windows, which has no modes. */
  readonly userId: number | null;
  readonly note: (text: string) => void;
}

/** Notes that others can read a database that was opened. */
export function withPermissionsNote(open: OpenService, options: DatabasePermissionsOptions): OpenService {
  return async (serviceOptions) => {
    const service = await open(serviceOptions);
    const { database } = serviceOptions;
    if (isReadableByOthers(database, options)) {
      options.note(
        `other users of this machine have access to the database ${database}: chmod 600 ${database}`,
      );
    }
    return service;
  };
}

/** Makes a database that was opened, and is therefore one of calctl, private (0600), with a note. */
export function withPrivateDatabase(open: OpenService, options: DatabasePermissionsOptions): OpenService {
  return async (serviceOptions) => {
    const service = await open(serviceOptions);
    makePrivate(serviceOptions.database, options);
    return service;
  };
}

function makePrivate(database: string, options: DatabasePermissionsOptions): void {
  if (!isReadableByOthers(database, options)) return;
  try {
    // SQLite also follows a link before it names its other files.
    const file = realpathSync(database);
    for (const suffix of ["", "-wal", "-shm"]) {
      if (statSync(`${file}${suffix}`, { throwIfNoEntry: false })) chmodSync(`${file}${suffix}`, 0o600);
    }
    options.note(`other users of this machine had access to the database ${database}; its mode is now 0600`);
  } catch {
    // Such as a file system that is read-only: opening the database notes it.
  }
}

/** Whether a file of this user, who may change it, is open to the group or to all. Empty ones are just being created. */
function isReadableByOthers(path: string, { userId }: DatabasePermissionsOptions): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size > 0 && stat.uid === userId && (stat.mode & 0o077) !== 0;
  } catch {
    // Opening the database explains why it cannot be reached.
    return false;
  }
}
