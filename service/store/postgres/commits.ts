import pg from "pg";
import { CliError } from "../../../src/errors.js";
import { sleepFor } from "../../../src/system/clock.js";
import { type OnConnection, query } from "./connection.js";
import { ConnectionError } from "./errors.js";
import type { PostgresLocation } from "./location.js";

/**
 * The table in which every write leaves a row. By that it is found out whether a write was committed whose answer was lost.
 * The number of its transaction would not tell: after a crash the server gives it to another one.
 */
const WRITES_TABLE = "calctl_writes";

/** Leaves the row of a write. Run it inside the transaction. */
export function insertInto(schema: string, id: string): string {
  return `insert into ${writesTable(schema)} (id) values (${pg.escapeLiteral(id)})`;
}

/** Its name with that of the schema, for SQL. */
export const writesTable = (schema: string): string => `${pg.escapeIdentifier(schema)}.${WRITES_TABLE}`;

/** After how many writes of a process old rows are deleted, and how many at a time: more than those writes have left. */
const CLEANING = { writes: 1_000, rows: 2_000 };

/** How long that may take (ms): it can be done as well after later writes. */
const CLEANING_TIMEOUT = 5_000;

/** Deletes rows of writes for which nobody asks any more, now and then. Call it after each write, which need not wait for it. */
export function createCleaning(onConnection: OnConnection, schema: string): () => Promise<void> {
  const table = writesTable(schema);
  // Others may be cleaning too.
  const text = `select set_config('statement_timeout', '${CLEANING_TIMEOUT}', true); delete from ${table} where id in (select id from ${table}
    where written_at < now() - interval '1 day' limit ${CLEANING.rows} for update skip locked)`;
  let writes = 0;
  return async () => {
    writes += 1;
    if (writes % CLEANING.writes !== 0) return;
    // The write is done: what prevents this prevents the next one too.
    await onConnection((client) => query(client, text)).catch(() => undefined);
  };
}

/** Thrown when the answer to a commit was lost, so that it may have been done. */
export class LostCommitError extends ConnectionError {
  readonly id: string;

  constructor(id: string, cause: ConnectionError) {
    super(cause.cause);
    this.id = id;
  }
}

/** Ends a transaction. @throws LostCommitError, the server's error */
export async function commit(client: pg.PoolClient, id: string): Promise<void> {
  try {
    const { command } = await query(client, "commit");
    if (command !== "COMMIT") throw new Error("a transaction went on after one of its queries had failed");
  } catch (error) {
    throw error instanceof ConnectionError ? new LostCommitError(id, error) : error;
  }
}

/** For how long it is asked whether a write was committed, how long an answer may take, and the pause after none (ms). */
const COMMIT_CHECK = { deadline: 10_000, timeout: 5_000, pause: 250 };

export interface CommitCheck {
  readonly onConnection: OnConnection;
  readonly location: PostgresLocation;
  readonly schema: string;
}

/** @throws ConnectionError when it was surely not committed, CliError outcome_unknown when that cannot be found out */
export async function requireCommitted(check: CommitCheck, lost: LostCommitError): Promise<void> {
  const isCommitted = await wasCommitted(check, lost.id);
  if (isCommitted === true) return;
  if (isCommitted === false) throw new ConnectionError(lost.cause);
  throw new CliError(
    "outcome_unknown",
    `the connection to the database ${check.location.name} was lost at the end of a write, which may have been done`,
    { hint: "look before you repeat it", cause: lost },
  );
}

/** Whether a write was committed; null if that cannot be found out. */
async function wasCommitted({ onConnection, schema }: CommitCheck, id: string): Promise<boolean | null> {
  // Waits for the end of the transaction if it is still going on. It leaves no row: the next question would find it.
  const text = `begin; ${insertInto(schema, id)} on conflict do nothing; rollback`;
  const deadline = performance.now() + COMMIT_CHECK.deadline;
  do {
    try {
      const results: unknown = await onConnection((client) =>
        query(client, text, { timeout: COMMIT_CHECK.timeout }),
      );
      // Several statements have several results, which the types do not say.
      return Array.isArray(results) ? results[1]?.rowCount === 0 : null;
    } catch {
      // The server is starting, most often.
    }
    await sleepFor(COMMIT_CHECK.pause);
  } while (performance.now() < deadline);
  return null;
}
