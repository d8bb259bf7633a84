import { childEnvironment } from "../../src/config/environment.js";
import { dryRunError, usageError } from "../../src/errors.js";
import { isUnicodeLocale } from "../../src/output/style.js";
import { selfCommand } from "../../src/system/child-process.js";
import { isPostgresUrl, parseDatabase } from "../../src/system/database-location.js";
import { MEMORY } from "../../src/system/sqlite/connection.js";
import { checkFileInChild } from "../../src/system/sqlite/file-check.js";
import { checkStore, type Finding } from "../store/check.js";
import { type CopiedTable, copyStore } from "../store/copy.js";
import { openStore } from "../store/open.js";
import { type Backup, backUp } from "../store/sqlite/backup.js";
import type { LongWorkOptions, Store } from "../store/store.js";
import { type AccessRun, chooseDatabase, messagesOf } from "./admin.js";

/**
 * Copies the database, an SQLite file, into a new file while others use it.
 * @throws CliError usage when the file exists, or the database is not an SQLite file; configuration when it cannot be copied
 */
export async function backUpDatabase(
  run: AccessRun,
  { database, file }: { readonly database: string | undefined; readonly file: string },
): Promise<Backup> {
  if (run.flags.dryRun) throw dryRunError();
  const { machine } = run;
  const path = chooseDatabase(run, database) ?? machine.database();
  if (isPostgresUrl(path)) {
    throw usageError("a backup is made of SQLite files", "use pg_dump for PostgreSQL");
  }
  return withProgress(run, (progress) => backUp(path, file, { ...progress, now: machine.clock.now() }));
}

/** Verifies the database. @throws CliError configuration when it cannot be read, or has another version */
export async function checkDatabase(run: AccessRun, flag: string | undefined): Promise<readonly Finding[]> {
  const { signal, database: localDatabase } = run.machine;
  const database = chooseDatabase(run, flag) ?? localDatabase();
  return withProgress(run, (progress) =>
    whileOpen(openStore(database, { signal, readOnly: true }), (store) => checkStore(store, progress)),
  );
}

/**
 * Copies a database to one that is empty, and compares them.
 * @throws CliError configuration when one of them cannot be used, or the target has something else
 */
export async function copyDatabase(
  run: AccessRun,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly CopiedTable[]> {
  if (run.flags.dryRun) throw dryRunError();
  const { signal } = run.machine;
  const { note } = messagesOf(run);
  const read = parseDatabase(from, { source: "--from", note });
  const written = parseDatabase(to, { source: "--to", note });
  if (written === MEMORY)
    throw usageError("--to: nothing of a database in memory would be left", "write the path of a new file");
  return withProgress(run, (progress) =>
    whileOpen(openStore(read, { signal, readOnly: true }), (source) =>
      whileOpen(openStore(written, { signal, migrate: false }), (target) => {
        note("writes to the source from now on are not copied");
        return copyStore({ source, target }, progress);
      }),
    ),
  );
}

/** Signals are handled from the beginning of the work on. */
async function withProgress<T>(
  { machine: { process, env, stderr, signal }, flags: { quiet } }: AccessRun,
  work: (options: LongWorkOptions) => Promise<T>,
): Promise<T> {
  const interruption = signal();
  const { createProgressBar } = await import("../../src/terminal/progress-bar.js");
  const bar = createProgressBar(stderr, { quiet, unicode: () => isUnicodeLocale(process) });
  try {
    const checking = { self: selfCommand(process), env: childEnvironment(env), signal: interruption };
    const checkElsewhere = (path: string) => checkFileInChild(path, checking);
    return await work({ signal: interruption, onProgress: bar.show, checkElsewhere });
  } finally {
    bar.clear();
  }
}

async function whileOpen<T>(opening: Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await opening;
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
