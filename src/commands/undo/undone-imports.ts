import { CliError, isOutcomeUnknown } from "../../errors.js";
import { columnsOf, type ImportRecord, recordOfRow, seriesOf } from "../../events/imported/records.js";
import {
  findIdentity,
  findImported,
  findOfEvent,
  type ImportedRow,
  saveImported,
  withImportLock,
  writeImported,
} from "../../state/imported.js";
import type { State, StateTransaction } from "../../state/state.js";
import type { WriteRow, WrittenCommand } from "../../state/writes.js";

/** Runs the undo of a write, which returns the id of its event afterwards. */
export type UndoNoted = (write: WriteRow, undo: () => Promise<string>) => Promise<NotedUndo>;

interface NotedUndo {
  readonly id: string;
  /** Notes in the transaction that marks the write as undone what imports must know. */
  readonly also?: (db: StateTransaction) => void;
}

/**
 * What an undo changes in what imports remember: a later run of the same file does again what was undone. The work runs while
 * no import of the same sources does.
 * @param command that is undone, which may be an import that is still running
 * @throws CliError unavailable while one does
 */
export async function withUndoneImports(
  state: State,
  command: WrittenCommand,
  work: (undoNoted: UndoNoted) => Promise<void>,
): Promise<void> {
  const own = ownSource(command.writes);
  const others = await state.read((db) => sourcesOf(db, command));
  const lockAll = async ([source, ...rest]: readonly string[]): Promise<void> =>
    source === undefined
      ? work(await openUndoneImports(state, own))
      : withImportLock(state, source, () => lockAll(rest));
  return lockAll([...new Set([...(own === null ? [] : [own]), ...others])]);
}

/** The source of the import that made some writes; null for other commands. */
function ownSource(writes: readonly WriteRow[]): string | null {
  return writes.find(({ imported }) => imported !== undefined)?.imported?.[0]?.source ?? null;
}

/** The sources of the events that a command wrote. */
function sourcesOf(db: StateTransaction, { writes }: WrittenCommand): readonly string[] {
  const ids = new Set(writes.flatMap(({ eventId, after }) => [eventId ?? [], after?.id ?? []].flat()));
  return [...ids].flatMap((id) => findOfEvent(db, id).map(({ source }) => source));
}

/** @param own the source of the import that is undone; null for other commands */
async function openUndoneImports(state: State, own: string | null): Promise<UndoNoted> {
  const rows = await state.read((db) => (own === null ? [] : findImported(db, own)));
  const cancelled = rows.filter(({ record, pending }) => record === null && pending === null);
  return async (write, undo) => {
    const { pending, refused, done } = notesOf(write, cancelled);
    // A later import looks at the event, should this process be killed before it has noted what it did.
    await writeImported(state, pending);
    const id = await undo().catch(async (error: unknown) => {
      if (error instanceof CliError && !isOutcomeUnknown(error)) await writeImported(state, refused);
      throw error;
    });
    return { id, also: (db) => done(db, id) };
  };
}

/** @param cancelled rows of cancelled events of the source that is undone, of which nothing is remembered but their SEQUENCE */
function notesOf(write: WriteRow, cancelled: readonly ImportedRow[]) {
  const { kind, eventId = "", after, imported } = write;
  let written: readonly ImportedRow[] = [];
  return {
    pending(db: StateTransaction): void {
      const id = kind === "create" ? after?.id : eventId;
      written = kind === "delete" ? [] : findOfEvent(db, id ?? "").filter((row) => row.eventId === id);
      for (const row of written) changeRecord(db, row, { deleted: "pending" });
    },
    refused(db: StateTransaction): void {
      for (const row of written) saveImported(db, row);
    },
    /** @param id of the event that is there again */
    done(db: StateTransaction, id: string): void {
      const ids = { from: eventId, to: id };
      if (kind === "create") {
        for (const row of written)
          changeRecord(db, { ...row, sequence: null }, { deleted: "by_import", isAlone: undefined });
        forgetCancelled(db, cancelled, written);
      } else if (imported !== undefined) {
        for (const row of imported) restore(db, row, ids);
        forgetCancelled(db, cancelled, imported);
      } else if (kind === "delete") findAgain(db, ids);
    },
  };
}

function changeRecord(db: StateTransaction, row: ImportedRow, change: Partial<ImportRecord>): void {
  const record = recordOfRow(row);
  if (record !== null) saveImported(db, { ...row, ...columnsOf({ ...record, ...change }), pending: null });
}

/** Forgets the cancelled occurrences of series that the import created or changed. */
function forgetCancelled(
  db: StateTransaction,
  cancelled: readonly ImportedRow[],
  series: readonly ImportedRow[],
): void {
  for (const row of cancelled)
    if (series.some(({ source, identity }) => source === row.source && identity === seriesOf(row.identity)))
      saveImported(db, { ...row, sequence: null });
}

/** The row as it was before the import wrote. */
function restore(db: StateTransaction, row: ImportedRow, ids: IdChange): void {
  const before = recordOfRow(row);
  const found = findIdentity(db, row);
  const current = (found && recordOfRow(found)) ?? before;
  // What took its place is deleted by this undo as well, after it.
  const undone = current?.id === before?.id ? current?.undone : current?.id;
  saveImported(db, { ...row, ...columnsOf(before && { ...withNewId(before, ids), undone }), pending: null });
}

/** An event that another command deleted is there again. */
function findAgain(db: StateTransaction, ids: IdChange): void {
  for (const row of findOfEvent(db, ids.from)) {
    const record = recordOfRow(row);
    if (record === null) continue;
    const deleted = record.deleted === "by_user" ? undefined : record.deleted;
    changeRecord(db, row, { ...withNewId(record, ids), deleted });
  }
}

interface IdChange {
  readonly from: string;
  readonly to: string;
}

/** An event that was made again has another id, and so have the events of a series. */
function withNewId(record: ImportRecord, { from, to }: IdChange): ImportRecord {
  return record.id.startsWith(from) ? { ...record, id: to + record.id.slice(from.length) } : record;
}
