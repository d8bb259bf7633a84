import type { SqliteDatabase } from "kysely";
import Libsql from "libsql";
import { errorCodeOf } from "../../../errors.js";

/**
 * Opens a file with the SQLite driver. Only this file knows which driver that is.
 * @param timeout how long a statement waits for the lock of another process (ms)
 */
export function openDatabase(path: string, timeout: number): SqliteDatabase {
  const database = new Libsql(path, { timeout });
  return {
    close: () => {
      database.close();
    },
    prepare: (text) => database.prepare(text),
  };
}

/** The primary result code of a driver's error, such as `BUSY`; undefined for other errors. @see https://www.sqlite.org/rescode.html */
export function resultCode(error: unknown): string | undefined {
  // Extended codes begin with their primary code, `SQLITE_IOERR_FSYNC`, or have it in the low byte of their number.
  const code = errorCodeOf(error) ?? "";
  const [, name, number] = /^(?:SQLITE_([A-Z]+)|UNKNOWN_SQLITE_ERROR_(\d+)$)/.exec(code) ?? [];
  return number === undefined ? name : PRIMARY_CODES[Number(number) & 0xff];
}

const PRIMARY_CODES: Readonly<Record<number, string>> = {
  3: "PERM",
  5: "BUSY",
  6: "LOCKED",
  8: "READONLY",
  10: "IOERR",
  11: "CORRUPT",
  13: "FULL",
  14: "CANTOPEN",
  26: "NOTADB",
};
