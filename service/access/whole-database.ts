import { childEnvironment } from "../../src/config/environment.js";
import { CliError, usageError } from "../../src/errors.js";
import { isUnicodeLocale } from "../../src/output/style.js";
import { selfCommand } from "../../src/system/child-process.js";
import { isPostgresUrl } from "../../src/system/database-location.js";
import { MEMORY } from "../../src/system/sqlite/connection.js";
import { checkFileInChild } from "../../src/system/sqlite/file-check.js";
import type { Messages } from "../../src/terminal/messages.js";
import { checkStore } from "../store/check.js";
import { copyStore } from "../store/copy.js";
import { openStore } from "../store/open.js";
import { backUp } from "../store/sqlite/backup.js";
import { DatabaseUnavailableError, type LongWorkOptions, type Store } from "../store/store.js";
import type { AccessContext, ServiceAccess } from "./access.js";

export interface WholeDatabaseOptions extends AccessContext {
  readonly messages: Pick<Messages, "note" | "warn">;
  /** The database of `--db`, or the default. @throws CliError usage */
  readonly choose: (flag: string | undefined) => string;
  /** The database of another flag. @throws CliError usage */
  readonly parse: (database: string, source: string) => string;
}

/** What is done with a database as a whole. */
export function createWholeDatabase(
  options: WholeDatabaseOptions,
): Pick<ServiceAccess, "backup" | "check" | "copy"> {
  const { messages, choose, parse } = options;
  const { signal, clock } = options.machine;
  return {
    async backup({ database, file }) {
      const path = choose(database);
      if (isPostgresUrl(path)) {
        throw usageError("a backup is made of SQLite files", "use pg_dump for PostgreSQL");
      }
      return withProgress(options, (progress) => backUp(path, file, { ...progress, now: clock.now() }));
    },
    async check(flag) {
      const database = choose(flag);
      return withProgress(options, (progress) =>
        whileOpen(openStore(database, { signal, readOnly: true }), (store) => checkStore(store, progress)),
      );
    },
    async copy({ from, to }) {
      const read = parse(from, "--from");
      const written = parse(to, "--to");
      if (written === MEMORY)
        throw usageError(
          "--to: nothing of a database in memory would be left",
          "write the path of a new file",
        );
      let isInProgress = false;
      try {
        return await withProgress(options, (progress) =>
          whileOpen(openStore(read, { signal, readOnly: true }), (source) =>
            whileOpen(openStore(written, { signal, migrate: false, allowUnfinished: true }), (target) => {
              isInProgress = true;
              messages.note("what is written to the source from now on is not copied");
              return copyStore({ source, target }, progress);
            }),
          ),
        );
      } catch (error) {
        if (isInProgress && leavesUnfinished(error))
          messages.warn("the copy is unfinished: the same command goes on with it");
        throw error;
      }
    },
  };
}

/** Whether what ended a copy had nothing to do with the data. */
function leavesUnfinished(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError || (error instanceof CliError && error.code === "interrupted")
  );
}

/** Signals are handled from the beginning of the work on. */
async function withProgress<T>(
  { machine: { process, env, stderr, signal }, flags: { quiet } }: WholeDatabaseOptions,
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
