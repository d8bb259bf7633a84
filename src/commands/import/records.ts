import { isJsonObject, parseJson } from "../../../contract/json.js";
import type { CalendarEvent, EventDraft } from "../../../contract/shapes.js";
import { isSeries } from "../../calendar/series.js";
import { type ImportRecord, occurrenceRecords } from "../../import/plan.js";
import { type ImportedRow, saveImported } from "../../state/imported.js";
import type { StateTransaction } from "../../state/state.js";

/** A create that was sent, or was about to be. With its key it is sent again, and makes no second event. */
export interface PendingCreate extends Pick<ImportRecord, "hash" | "slot" | "isAlone" | "series"> {
  readonly key: string;
  readonly draft: EventDraft;
}

/** What was imported from one source to one calendar. */
export interface ImportRecords {
  readonly byIdentity: ReadonlyMap<string, ImportRecord>;
  /** The SEQUENCE last imported for each event, cancelled ones included; 0 only where it replaced another one. */
  readonly sequences: ReadonlyMap<string, number>;
  /** The creates of a killed run whose outcome it did not note. */
  readonly pending: ReadonlyMap<string, PendingCreate>;
  /** What is damaged: sentences for the user. */
  readonly problems: readonly string[];
  /** Changes what is remembered of an event, which ends a create of it that was begun; null forgets it. It may be repeated. */
  note(db: StateTransaction, identity: string, record: ImportRecord | null): void;
  /** Notes a create before it is sent. It may be repeated. */
  notePending(db: StateTransaction, identity: string, pending: PendingCreate): void;
  /** Notes the SEQUENCE of an event. It may be repeated. */
  noteSequence(db: StateTransaction, identity: string, sequence: number): void;
  /** What is remembered of the occurrences of a series; empty for any other event. */
  partsOf(identity: string, event: CalendarEvent): ReturnType<typeof occurrenceRecords>;
  /** The rows of an event that is about to be written, and of the occurrences of a series. */
  rowsOf(identity: string, event: CalendarEvent | null): readonly ImportedRow[];
}

/** @param rows of the source */
export function openRecords(source: string, rows: readonly ImportedRow[]): ImportRecords {
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
  const rowOf = (identity: string): ImportedRow => {
    const [record, pending] = [records.get(identity) ?? null, creates.get(identity)];
    const row = { source, identity, sequence: sequences.get(identity) ?? null };
    return {
      ...row,
      ...columnsOf(record),
      pending: pending === undefined ? null : JSON.stringify(pending),
    };
  };
  const partsOf = (identity: string, event: CalendarEvent | null) =>
    event !== null && isSeries(event) ? occurrenceRecords(records, identity) : [];
  return {
    byIdentity: records,
    sequences,
    pending: creates,
    problems,
    note(db, identity, record) {
      creates.delete(identity);
      if (record === null) records.delete(identity);
      else records.set(identity, record);
      saveImported(db, rowOf(identity));
    },
    notePending(db, identity, pending) {
      creates.set(identity, pending);
      saveImported(db, rowOf(identity));
    },
    noteSequence(db, identity, sequence) {
      sequences.set(identity, sequence);
      saveImported(db, rowOf(identity));
    },
    partsOf,
    rowsOf: (identity, event) => [identity, ...partsOf(identity, event).map(([part]) => part)].map(rowOf),
  };
}

/** The columns of a row that have what is remembered of an event; null for nothing. */
export function columnsOf(record: ImportRecord | null): Pick<ImportedRow, "eventId" | "record"> {
  if (record === null) return { eventId: null, record: null };
  const { id, ...others } = record;
  return { eventId: id === "" ? null : id, record: JSON.stringify(others) };
}

/** What the columns have; null for nothing. A damaged record is that of an event that somebody changed. */
export function recordOfRow(row: ImportedRow): ImportRecord | null {
  if (row.record === null) return null;
  // No event has this hash.
  return parseRecord(row) ?? { id: row.eventId ?? "", hash: "", left: "damaged" };
}

/** Null if it is damaged. */
function parseRecord({ eventId, record }: ImportedRow): ImportRecord | null {
  const parsed = parseJson(record ?? "");
  // calctl wrote it.
  return isJsonObject(parsed) ? ({ id: eventId ?? "", ...parsed } as unknown as ImportRecord) : null;
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
  // calctl wrote it.
  return { record: recordOfRow(row), pending: parsed as PendingCreate | null, problem };
}

/** Of an event that is not created again: whether it was is unknown, or it was deleted since. */
export const SKIPPED: ImportRecord = { id: "", hash: "", left: "", deleted: "elsewhere" };
