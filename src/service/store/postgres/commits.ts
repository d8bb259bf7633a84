import { randomUUID } from "node:crypto";
import { type SchemaModule, sql } from "kysely";
import pg from "pg";
import { CliError } from "../../../errors.js";
import { sleepFor } from "../../../system/clock.js";
import { type OnConnection, query } from "./connection.js";
import { ConnectionError } from "./errors.js";
import type { PostgresLocation } from "./location.js";

/**
 * The table in which every write leaves a row. By that it is found out whether a write was committed whose answer was lost.
 * The number of its transaction would not tell: after a crash the server gives it to another one.
 */
export const WRITES = "calctl_writes";

/** Creates the table, for a migration. */
export async function createWrites(schema: SchemaModule): Promise<void> {
  await schema
    .createTable(WRITES)
    .addColumn("id", "uuid", (column) => column.primaryKey())
    .addColumn("written_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
    .execute();
  await schema.createIndex(`${WRITES}_by_time`).on(WRITES).column("written_at").execute();
}

/** One attempt of a write. */
export interface CommitMark {
  readonly id: string;
  /** A statement that leaves the row; it belongs into the transaction. */
  readonly statement: string;
}

/** After how many writes of a process old rows are deleted. */
const WRITES_PER_CLEANING = 1_000;

/** How many rows are deleted at a time: more than those writes have left. */
const CLEANED = 2 * WRITES_PER_CLEANING;

/** @param schema where the tables are */
export function createCommitMarks(schema: string): () => CommitMark {
  const table = tableOf(schema);
  // Others may be cleaning too. Nobody asks for an hour whether a write was committed.
  const clean = `delete from ${table} where id in (select id from ${table}
    where written_at < now() - interval '1 hour' limit ${CLEANED} for update skip locked)`;
  let writes = 0;
  return () => {
    const id = randomUUID();
    const insert = `insert into ${table} (id) values (${pg.escapeLiteral(id)})`;
    writes += 1;
    return { id, statement: writes % WRITES_PER_CLEANING === 0 ? `${insert}; ${clean}` : insert };
  };
}

const tableOf = (schema: string) => `${pg.escapeIdentifier(schema)}.${WRITES}`;

/** Thrown when the answer to a commit was lost, so that it may have been done. */
export class LostCommitError extends ConnectionError {
  readonly id: string;

  constructor(id: string, cause: ConnectionError) {
    super(cause.cause);
    this.id = id;
  }
}

/** Ends a transaction. @throws LostCommitError, the server's error */
export async function commit(client: pg.PoolClient, { id }: CommitMark): Promise<void> {
  try {
    const { command } = await query(client, "commit");
    if (command !== "COMMIT") throw new Error("a transaction went on after one of its queries had failed");
  } catch (error) {
    throw error instanceof ConnectionError ? new LostCommitError(id, error) : error;
  }
}

/** For how long it is asked whether a write was committed, how long an answer may take, and the pause after none (ms). */
const INQUIRY = { deadline: 10_000, timeout: 5_000, pause: 250 };

export interface Inquiry {
  readonly onConnection: OnConnection;
  readonly location: PostgresLocation;
  readonly schema: string;
}

/** @throws ConnectionError when it was surely not committed, CliError outcome_unknown when that cannot be found out */
export async function requireCommitted(inquiry: Inquiry, lost: LostCommitError): Promise<void> {
  const wasCommitted = await findOut(inquiry, lost.id);
  if (wasCommitted === true) return;
  if (wasCommitted === false) throw new ConnectionError(lost.cause);
  throw new CliError(
    "outcome_unknown",
    `the connection to the database ${inquiry.location.name} was lost at the end of a write, which may have been done`,
    { hint: "look before you repeat it", cause: lost },
  );
}

/** Whether a write was committed; null if that cannot be found out. */
async function findOut({ onConnection, schema }: Inquiry, id: string): Promise<boolean | null> {
  // Waits for the end of the transaction if it is still going on. The row that it leaves if there was none is cleaned too.
  const text = `insert into ${tableOf(schema)} (id) values ($1) on conflict do nothing`;
  const deadline = performance.now() + INQUIRY.deadline;
  do {
    try {
      const { rowCount } = await onConnection((client) =>
        query(client, text, { parameters: [id], timeout: INQUIRY.timeout }),
      );
      return rowCount === 0;
    } catch {
      // The server is starting, most often.
    }
    await sleepFor(INQUIRY.pause);
  } while (performance.now() < deadline);
  return null;
}
