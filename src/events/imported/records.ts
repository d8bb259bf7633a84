import { isJsonObject, parseJson } from "../../../contract/json.js";
import type { Event, EventDraft } from "../../../contract/shapes.js";
import type { CliError } from "../../errors.js";
import { type ImportedRow, saveImported, writeImported } from "../../state/imported.js";
import type { State, StateTransaction } from "../../state/state.js";
import { isOccurrenceId, isSeries } from "../repeat/series.js";
import type { AlsoNoted } from "../write.js";

/** What is remembered of a series of the file. */
export interface SeriesRecord {
  /** Its exceptions (ms). */
  readonly excepted: readonly number[];
  /** Where its rule begins, with the zone. */
  readonly begins: string;
}

/** What is remembered of an event that was imported. */
export interface ImportRecord {
  /** Of the event in the calendar. */
  readonly id: string;
  /** `hashContent` of what the file said. */
  readonly hash: string;
  /** `hashEvent` of the event as the import left it; empty for an occurrence that was not changed on its own. */
  readonly lastWrittenHash: string;
  readonly originalStart?: number | undefined;
  /** Of a series. */
  readonly series?: SeriesRecord | undefined;
  /** `isAlone` of the event. */
  readonly isAlone?: boolean | undefined;
  /** `pending`: a delete, or an undo, was sent. `by_import`: an import or its undo deleted it. `by_user`: somebody else did. */
  readonly deleted?: "pending" | "by_import" | "by_user" | undefined;
  /** The event that an undo deleted, where another one took its place before. */
  readonly undone?: string | undefined;
}

/** The version of an event in a file. */
interface EventVersion {
  readonly identity: string;
  /** Its SEQUENCE; undefined if it has none. */
  readonly sequence?: number | undefined;
}

/** A create that was sent, or was about to be. With its key it is sent again, and makes no second event. */
export interface PendingCreate extends Pick<ImportRecord, "hash" | "originalStart" | "isAlone" | "series"> {
  readonly key: string;
  readonly draft: EventDraft;
}

/** What is remembered of an event from now on, with its identity; null for nothing. */
export type RecordChange = readonly [identity: string, record: ImportRecord | null];

/** What is noted of a write. */
interface Notes<T> {
  readonly pending?: (db: StateTransaction) => void;
  readonly done: (result: T) => readonly RecordChange[];
  readonly refused?: (error: CliError) => readonly RecordChange[];
}

/** What was imported from one source to one calendar. What notes something may be repeated. */
export interface ImportRecords {
  readonly byIdentity: ReadonlyMap<string, ImportRecord>;
  /** The SEQUENCE last imported for each event, cancelled ones included; 0 only where it replaced another one. */
  readonly sequences: ReadonlyMap<string, number>;
  /** The creates of a killed run whose outcome it did not note. */
  readonly pending: ReadonlyMap<string, PendingCreate>;
  /** What is damaged: sentences for the user. */
  readonly problems: readonly string[];
  /** Runs a transaction. @throws CliError configuration, unavailable */
  transact(work: (db: StateTransaction) => void): Promise<void>;
  /** Changes what is remembered of an event, which ends a pending create of it. */
  note(db: StateTransaction, ...change: RecordChange): void;
  /** Notes a create before it is sent. */
  notePending(db: StateTransaction, identity: string, pending: PendingCreate): void;
  /** Notes the SEQUENCE of the events of a file. */
  noteSequences(versions: readonly EventVersion[]): Promise<void>;
  /** What `write` notes of a write to an event, and keeps for undo. @param current null before it is created */
  alsoNoted<T>(identity: string, current: Event | null, notes: Notes<T>): AlsoNoted<T>;
  /** What is remembered of the occurrences of a series; empty for any other event. */
  partsOf(identity: string, event: Event): ReturnType<typeof occurrenceRecords>;
}

/** @param rows of the source */
export function openRecords(state: State, source: string, rows: readonly ImportedRow[]): ImportRecords {
  const { records, sequences, creates, problems } = readRows(rows);
  const rowOf = (identity: string): ImportedRow => {
    const pending = creates.get(identity);
    return {
      ...{ source, identity, sequence: sequences.get(identity) ?? null },
      ...columnsOf(records.get(identity) ?? null),
      pending: pending === undefined ? null : JSON.stringify(toStored(pending)),
    };
  };
  const partsOf = (identity: string, event: Event | null) =>
    event !== null && isSeries(event) ? occurrenceRecords(records, identity) : [];
  const note = (db: StateTransaction, ...[identity, record]: RecordChange): void => {
    creates.delete(identity);
    if (record === null) records.delete(identity);
    else records.set(identity, record);
    saveImported(db, rowOf(identity));
  };
  /** Notes what is found once, since a transaction may be repeated. */
  const noteOnce = <T>(find: (value: T) => readonly RecordChange[]) => {
    let changes: readonly RecordChange[] | undefined;
    return (db: StateTransaction, value: T): void => {
      changes ??= find(value);
      for (const change of changes) note(db, ...change);
    };
  };
  const transact = (work: (db: StateTransaction) => void) => writeImported(state, work);
  return {
    byIdentity: records,
    sequences,
    pending: creates,
    problems,
    transact,
    note,
    notePending(db, identity, pending) {
      creates.set(identity, pending);
      saveImported(db, rowOf(identity));
    },
    async noteSequences(versions) {
      const changed = versions.filter(
        ({ identity, sequence }) => sequence !== undefined && sequence !== (sequences.get(identity) ?? 0),
      );
      for (const { identity, sequence = 0 } of changed) sequences.set(identity, sequence);
      await transact((db) => {
        for (const { identity } of changed) saveImported(db, rowOf(identity));
      });
    },
    alsoNoted: (identity, current, { pending = () => undefined, done, refused = () => [] }) => ({
      imported: [identity, ...partsOf(identity, current).map(([part]) => part)].map(rowOf),
      ...{ transact, pending, done: noteOnce(done), refused: noteOnce(refused) },
    }),
    partsOf,
  };
}

function readRows(rows: readonly ImportedRow[]) {
  const records = new Map<string, ImportRecord>();
  const sequences = new Map<string, number>();
  const creates = new Map<string, PendingCreate>();
  const problems: string[] = [];
  for (const row of rows) {
    const { identity, sequence } = row;
    const { record, pending, problem } = readRow(row);
    if (record !== null) records.set(identity, record);
    if (pending !== null) creates.set(identity, pending);
    if (sequence !== null) sequences.set(identity, sequence);
    if (problem !== null) problems.push(problem);
  }
  return { records, sequences, creates, problems };
}

/** The columns of a row that have what is remembered of an event; null for nothing. */
export function columnsOf(record: ImportRecord | null): Pick<ImportedRow, "eventId" | "record"> {
  if (record === null) return { eventId: null, record: null };
  const { id, ...rest } = record;
  return { eventId: id === "" ? null : id, record: JSON.stringify(toStored(rest)) };
}

/** Words for `deleted` in the database, and in code. */
const DELETED = [
  ["begun", "pending"],
  ["here", "by_import"],
  ["elsewhere", "by_user"],
] as const;

/** A record or a pending create as the database has it: rows of earlier versions stay readable. */
function toStored({ originalStart, lastWrittenHash, deleted, ...rest }: Partial<ImportRecord>): object {
  const [word] = DELETED.find(([, each]) => each === deleted) ?? [];
  return { ...rest, left: lastWrittenHash, slot: originalStart, deleted: word };
}

/** The reverse of `toStored`. calctl wrote it. */
function fromStored<T>({ slot, left, deleted, ...rest }: Readonly<Record<string, unknown>>): T {
  const [, state] = DELETED.find(([each]) => each === deleted) ?? [];
  return {
    ...rest,
    ...(left === undefined ? {} : { lastWrittenHash: left }),
    ...(slot === undefined ? {} : { originalStart: slot }),
    ...(state === undefined ? {} : { deleted: state }),
  } as unknown as T;
}

/** What the columns have; null for nothing. A damaged record is that of an event that somebody changed. */
export function recordOfRow(row: ImportedRow): ImportRecord | null {
  if (row.record === null) return null;
  // No event has this hash.
  return parseRecord(row) ?? { id: row.eventId ?? "", hash: "", lastWrittenHash: "damaged" };
}

/** Null if it is damaged. */
function parseRecord({ eventId, record }: ImportedRow): ImportRecord | null {
  const parsed = parseJson(record ?? "");
  return isJsonObject(parsed) ? { id: eventId ?? "", ...fromStored<Omit<ImportRecord, "id">>(parsed) } : null;
}

function readRow(row: ImportedRow) {
  const { identity, eventId } = row;
  const parsed = row.pending === null ? null : parseJson(row.pending);
  // Another create could make a second event.
  if (row.pending !== null && !isJsonObject(parsed)) {
    const problem = `the import record of ${identity} is damaged: if its event is missing, create it by hand (imports skip it)`;
    return { record: SKIPPED, pending: null, problem };
  }
  const isDamaged = row.record !== null && parseRecord(row) === null;
  const problem = isDamaged
    ? `the import record of event ${eventId} is damaged: the event counts as changed in the calendar; --overwrite replaces it`
    : null;
  return {
    record: recordOfRow(row),
    pending: isJsonObject(parsed) ? fromStored<PendingCreate>(parsed) : null,
    problem,
  };
}

/** Of an event that is not created again: whether it was is unknown, or it was deleted since. */
export const SKIPPED: ImportRecord = { id: "", hash: "", lastWrittenHash: "", deleted: "by_user" };

/** Null without a record, and for what an import or its undo has deleted. */
export function unlessDeleted(record: ImportRecord | undefined): ImportRecord | null {
  return record === undefined || record.deleted === "by_import" ? null : record;
}

/** Whether it is of a series that is not deleted by an import. */
export function isSeriesRecord(record: ImportRecord | undefined): boolean {
  return unlessDeleted(record)?.series !== undefined;
}

/** What is remembered of occurrences of a series, with their identities. */
export function occurrenceRecords(records: ReadonlyMap<string, ImportRecord>, series: string) {
  return [...records].filter(([each, { id }]) => isOccurrenceId(id) && seriesOf(each) === series);
}

/** The identity of the series of an occurrence. */
export function seriesOf(identity: string): string {
  return identity.slice(0, identity.lastIndexOf(" "));
}
