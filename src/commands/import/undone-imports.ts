import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { CliError, isOutcomeUnknown } from "../../errors.js";
import type { ImportRecord } from "../../import/plan.js";
import type { ImportMemo, JournalEntry, NotedWrite } from "../../journal/entry.js";
import type { Machine } from "../../machine.js";
import { appendRecord, FOLDER, parseRecords, readText, withRecordsLock } from "./records.js";

/** Runs the undo of a write, which gives the id of its event afterwards, and notes it. */
export type UndoNoted = (write: NotedWrite, undo: () => Promise<string>) => Promise<string>;

/**
 * What an undo changes in what is remembered: a later run of the same file does again what was taken back of an import. The
 * work runs while no import writes to the same records.
 * @param entry of the command that is taken back, which may be an import that is still running
 * @throws CliError unavailable while one does
 */
export async function withUndoneImports(
  machine: Pick<Machine, "stateDirectory" | "process" | "clock" | "signal">,
  entry: JournalEntry,
  work: (undoNoted: UndoNoted) => Promise<void>,
): Promise<void> {
  const folder = join(machine.stateDirectory(), FOLDER);
  // It may have been removed since.
  if (!existsSync(folder)) return work((_, undo) => undo());
  const problem = "an import of the same source is running";
  const lockAll = ([path, ...others]: readonly string[]): Promise<void> =>
    path === undefined
      ? work(openUndoneImports(folder))
      : withRecordsLock(machine, { path, problem }, () => lockAll(others));
  return lockAll(filesOf(entry, readPlaces(folder)).map((file) => join(folder, file)));
}

/** Where an event is remembered. */
interface Place {
  readonly path: string;
  readonly identity: string;
  readonly record: ImportRecord;
}

function readPlaces(folder: string): readonly Place[] {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths
    .filter((path) => path.endsWith(".jsonl"))
    .flatMap((path) =>
      // What is damaged, the next import of its source says.
      [...parseRecords(readText(path)).records].map(([identity, record]) => ({ path, identity, record })),
    );
}

/** The names of the files that remember what a command wrote. */
function filesOf({ records, writes }: JournalEntry, places: readonly Place[]): readonly string[] {
  const ids = new Set(writes.flatMap(({ eventId, after }) => [eventId, after?.id]));
  const noted = [records, ...writes.map(({ memo }) => memo?.file)].filter((file) => file !== undefined);
  const found = places.filter(({ record: { id } }) => ids.has(id) || ids.has(id.replace(/_[^_]*$/, "")));
  return [...new Set([...noted, ...found.map(({ path }) => basename(path))])];
}

function openUndoneImports(folder: string): UndoNoted {
  const places = readPlaces(folder);
  const restored = new Map<string, ImportRecord | null>();
  const restore = ({ file, lines }: ImportMemo, ids: IdChange): void => {
    const path = join(folder, file);
    for (const [identity, before] of existsSync(path) ? lines : []) {
      const record = before && withNewId(before, ids);
      restored.set(`${path} ${identity}`, record);
      appendRecord(path, identity, record);
    }
  };
  /** An event that another command deleted is there again. */
  const findAgain = (ids: IdChange): void => {
    for (const { path, identity, record } of places)
      if (record.id === ids.from || record.id.startsWith(`${ids.from}_`)) {
        const deleted = record.deleted === "elsewhere" ? undefined : record.deleted;
        appendRecord(path, identity, { ...withNewId(record, ids), deleted });
      }
  };
  const noteUndone = ({ kind, eventId = "", memo }: NotedWrite, id: string): void => {
    const ids = { from: eventId, to: id };
    const place = places.find(({ record }) => record.id === id);
    if (memo !== undefined) restore(memo, ids);
    else if (kind === "delete") findAgain(ids);
    if (memo !== undefined || kind !== "create" || place === undefined) return;
    const { path, identity, record } = place;
    const before = restored.get(`${path} ${identity}`);
    const isAnother = before && before.id !== id;
    appendRecord(path, identity, isAnother ? { ...before, undone: id } : { ...record, deleted: "here" });
  };
  return async (write, undo) => {
    const created = write.kind === "create" ? write.after?.id : undefined;
    const place = places.find(({ record }) => record.id === created);
    const record = place && (restored.get(`${place.path} ${place.identity}`) ?? place.record);
    const note = (noted: ImportRecord) => place && appendRecord(place.path, place.identity, noted);
    // A later import looks whether it is deleted, should this process be killed before that is noted.
    if (record !== undefined) note({ ...record, deleted: "begun" });
    try {
      const id = await undo();
      noteUndone(write, id);
      return id;
    } catch (error) {
      const isKept = error instanceof CliError && !isOutcomeUnknown(error);
      if (record !== undefined && isKept) note(record);
      throw error;
    }
  };
}

interface IdChange {
  readonly from: string;
  readonly to: string;
}

/** An event that was made again has another id, and so have the events of a series. */
function withNewId(record: ImportRecord, { from, to }: IdChange): ImportRecord {
  return record.id.startsWith(from) ? { ...record, id: to + record.id.slice(from.length) } : record;
}
