import { exclusively } from "./holders.js";
import type { State, StateTransaction } from "./state.js";

/** The table `imported`: a row for each event that was imported, with what imports remember of it. */

/** A row of `imported`. */
export interface ImportedRow {
  /** The hash of a profile, its service, a calendar and the name of a source. */
  readonly source: string;
  /** What identifies the event in the source. */
  readonly identity: string;
  /** Of the event in the calendar; null if none is known. */
  readonly eventId: string | null;
  /** The SEQUENCE last imported, also of an event that is not in the calendar; null if there was none. */
  readonly sequence: number | null;
  /** What is remembered of the event, as JSON that only imports read. */
  readonly record: string | null;
  /** A pending create: one whose outcome is not noted yet, as JSON that only imports read. */
  readonly pending: string | null;
}

const COLUMNS = "source, identity, event_id as eventId, sequence, record, pending";

/** The rows of a source, in the order in which they were added. */
export function findImported(db: StateTransaction, source: string): readonly ImportedRow[] {
  // Of thousands of rows, one text costs the driver less than their objects.
  const row = `json_object('source', source, 'identity', identity, 'eventId', event_id, 'sequence', sequence, 'record', record,
    'pending', pending)`;
  const ordered = "select * from imported where source = ? order by rowid";
  const [found] = db.all(`select json_group_array(${row}) as rows from (${ordered})`, source);
  return JSON.parse(String(found?.["rows"]));
}

/** The row of an identity; null if there is none. */
export function findIdentity(
  db: StateTransaction,
  { source, identity }: Pick<ImportedRow, "source" | "identity">,
): ImportedRow | null {
  const query = `select ${COLUMNS} from imported where source = ? and identity = ?`;
  return readRows(db.all(query, source, identity))[0] ?? null;
}

/** The rows of an event, and of the occurrences of a series, in any source. */
export function findOfEvent(db: StateTransaction, eventId: string): readonly ImportedRow[] {
  // The id of an occurrence begins with that of its series and "_", which "`" follows in ASCII.
  const query = `select ${COLUMNS} from imported
    where event_id = ? or (event_id > ? and event_id < ?) order by rowid`;
  return readRows(db.all(query, eventId, `${eventId}_`, `${eventId}\``));
}

function readRows(rows: ReturnType<StateTransaction["all"]>): readonly ImportedRow[] {
  // The columns are of these types: the table is strict.
  return rows as unknown as readonly ImportedRow[];
}

/** Writes a row, in place of the one of its identity. One that says nothing is removed. */
export function saveImported(db: StateTransaction, row: ImportedRow): void {
  const { source, identity, eventId, sequence, record, pending } = row;
  if (sequence === null && record === null && pending === null) {
    db.run("delete from imported where source = ? and identity = ?", source, identity);
    return;
  }
  db.run(
    `insert into imported (source, identity, event_id, sequence, record, pending) values (?, ?, ?, ?, ?, ?)
     on conflict (source, identity) do update set event_id = excluded.event_id, sequence = excluded.sequence,
     record = excluded.record, pending = excluded.pending`,
    ...[source, identity, eventId, sequence, record, pending],
  );
}

/** Runs a transaction that writes rows: a power cut may lose it, as it may lose what the writes to the service are noted with. */
export function writeImported(state: State, work: (db: StateTransaction) => void): Promise<void> {
  return state.write(work, { sync: "normal", evenIfInterrupted: true });
}

/**
 * Runs work while no other process imports from a source, or undoes that.
 * @throws CliError unavailable when another process takes too long
 */
export function withImportLock<T>(state: State, source: string, work: () => Promise<T>): Promise<T> {
  const doing = "importing from the same source, or undoing such an import";
  return exclusively(state, { name: `import ${source}`, doing }, work);
}
