import { childEnvironment, type Environment } from "../../src/config/environment.js";
import type { ServiceAccess } from "../../src/context.js";
import { CliError, usageError } from "../../src/errors.js";
import { selfCommand } from "../../src/system/child-process.js";
import { isPostgresUrl } from "../../src/system/database-location.js";
import { MEMORY } from "../../src/system/sqlite/connection.js";
import { checkFileInChild } from "../../src/system/sqlite/file-check.js";
import type { ProgressBar } from "../../src/terminal/progress-bar.js";
import { checkStore } from "../store/check.js";
import { copyStore } from "../store/copy.js";
import { openStore } from "../store/open.js";
import { backUp } from "../store/sqlite/backup.js";
import { DatabaseUnavailableError, type LongWorkOptions, type Store } from "../store/store.js";

/** What this needs of the program. */
export interface WholeDatabaseParts {
  readonly env: Environment;
  /** What starts this program again. */
  readonly process: Parameters<typeof selfCommand>[0];
  readonly signal: () => AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly messages: { note(text: string): void; warn(text: string): void };
  readonly createProgressBar: () => Promise<ProgressBar>;
}

export interface WholeDatabaseOptions extends WholeDatabaseParts {
  /** The database of `--db`, or the default. @throws CliError usage */
  readonly choose: (flag: string | undefined) => string;
  /** The database of another flag. @throws CliError usage */
  readonly parse: (database: string, source: string) => string;
}

/** What is done with a database as a whole. */
export function createWholeDatabase(
  options: WholeDatabaseOptions,
): Pick<ServiceAccess, "backup" | "check" | "copy"> {
  const { signal, now, messages, choose, parse } = options;
  return {
    async backup({ database, file }) {
      const path = choose(database);
      if (isPostgresUrl(path)) {
        throw usageError("a backup is made of SQLite files", "use pg_dump for PostgreSQL");
      }
      return withProgress(options, (progress) => backUp(path, file, { ...progress, now: now() }));
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
  { env, process, signal, createProgressBar }: WholeDatabaseOptions,
  work: (options: LongWorkOptions) => Promise<T>,
): Promise<T> {
  const interruption = signal();
  const bar = await createProgressBar();
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
