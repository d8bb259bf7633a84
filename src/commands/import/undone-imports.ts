import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CliError, isOutcomeUnknown } from "../../errors.js";
import { type ImportRecord, seriesOf } from "../../import/plan.js";
import type { Machine } from "../../machine.js";
import type { ImportSnapshot, WriteRow, WrittenCommand } from "../../state/writes.js";
import { appendRecord, FOLDER, parseRecords, readText, withRecordsLock } from "./records.js";

/** Runs the undo of a write, which returns the id of its event afterwards, and notes it. */
export type UndoNoted = (write: WriteRow, undo: () => Promise<string>) => Promise<string>;

/**
 * What an undo changes in what imports remember: a later run of the same file does again what was undone. The work runs while
 * no import writes to the same records.
 * @param command that is undone, which may be an import that is still running
 * @throws CliError unavailable while one does
 */
export async function withUndoneImports(
  machine: Pick<Machine, "stateDirectory" | "process" | "clock" | "signal">,
  command: WrittenCommand,
  work: (undoNoted: UndoNoted) => Promise<void>,
): Promise<void> {
  const folder = join(machine.stateDirectory(), FOLDER);
  // It may have been removed since.
  if (!existsSync(folder)) return work((_, undo) => undo());
  const own = command.records === null ? null : join(folder, command.records);
  const problem = "an import of the same source is running";
  const lockAll = ([path, ...others]: readonly string[]): Promise<void> =>
    path === undefined
      ? work(openUndoneImports(folder, own))
      : withRecordsLock(machine, { path, problem }, () => lockAll(others));
  const others = pathsOf(command, readPlaces(folder));
  return lockAll([...new Set([...(own === null ? [] : [own]), ...others])]);
}

/** Where an event is remembered. */
interface Place {
  readonly path: string;
  readonly identity: string;
  readonly record: ImportRecord;
  readonly sequence?: number | undefined;
}

function readPlaces(folder: string): readonly Place[] {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths
    .filter((path) => path.endsWith(".jsonl"))
    .flatMap((path) => {
      // What is damaged, the next import of its source says.
      const { records, sequences } = parseRecords(readText(path));
      return [...records].map(([identity, record]) => ({
        ...{ path, identity, record },
        sequence: sequences.get(identity),
      }));
    });
}

/** The files that remember an event that a command wrote. */
function pathsOf({ writes }: WrittenCommand, places: readonly Place[]): readonly string[] {
  const ids = new Set(writes.flatMap(({ eventId, after }) => [eventId, after?.id]));
  const found = places.filter(({ record: { id } }) => ids.has(id) || ids.has(id.replace(/_[^_]*$/, "")));
  return found.map(({ path }) => path);
}

/** @param own the file of the import that is undone; null for other commands */
function openUndoneImports(folder: string, own: string | null): UndoNoted {
  const keyOf = ({ path, identity }: Omit<Place, "record">) => `${path} ${identity}`;
  const places = new Map(readPlaces(folder).map((place) => [keyOf(place), place]));
  const { records, sequences } = parseRecords(own === null ? "" : readText(own));
  const cancelled = [...sequences.keys()].filter((identity) => !records.has(identity));
  const placesOf = (isMeant: (id: string) => boolean) =>
    Array.from(places.values()).filter(({ record }) => isMeant(record.id));
  const note = ({ path, identity, sequence }: Omit<Place, "record">, record: ImportRecord | null): void => {
    appendRecord(path, identity, record, sequence);
    if (record === null) places.delete(keyOf({ path, identity }));
    else places.set(keyOf({ path, identity }), { path, identity, sequence, record });
  };
  /** Forgets the cancelled occurrences of a series that the import created or changed. */
  const forgetCancelled = (path: string, series: string): void => {
    for (const identity of path === own ? cancelled : [])
      if (seriesOf(identity) === series) note({ path, identity }, null);
  };
  const restore = (snapshot: ImportSnapshot, path: string, ids: IdChange): void => {
    for (const [identity, before, sequence] of snapshot) {
      const current = places.get(keyOf({ path, identity }))?.record ?? before;
      // What took its place is deleted by this undo as well, after it.
      const undone = current?.id === before?.id ? current?.undone : current?.id;
      note(
        { path, identity, sequence: sequence ?? undefined },
        before && { ...withNewId(before, ids), undone },
      );
    }
    for (const [identity] of snapshot) forgetCancelled(path, identity);
  };
  /** An event that another command deleted is there again. */
  const findAgain = (ids: IdChange): void => {
    for (const place of placesOf((id) => id === ids.from || id.startsWith(`${ids.from}_`))) {
      const deleted = place.record.deleted === "elsewhere" ? undefined : place.record.deleted;
      note(place, { ...withNewId(place.record, ids), deleted });
    }
  };
  return async ({ kind, eventId = "", after, snapshot }, undo) => {
    const writtenId = kind === "create" ? after?.id : eventId;
    const written = kind === "delete" ? [] : placesOf((id) => id === writtenId);
    const noteWritten = (deleted?: "begun" | "here"): void => {
      for (const place of written) {
        const forgotten = deleted === "here" ? { sequence: undefined, isAlone: undefined } : {};
        const record = { ...place.record, ...forgotten, deleted: deleted ?? place.record.deleted };
        note({ ...place, ...forgotten }, record);
      }
    };
    // A later import looks at the event, should this process be killed before it has noted what it did.
    noteWritten("begun");
    const id = await undo().catch((error: unknown) => {
      if (error instanceof CliError && !isOutcomeUnknown(error)) noteWritten();
      throw error;
    });
    if (kind === "create") {
      noteWritten("here");
      for (const { path, identity } of written) forgetCancelled(path, identity);
    }
    const ids = { from: eventId, to: id };
    if (snapshot === undefined && kind === "delete") findAgain(ids);
    if (snapshot !== undefined && own !== null && existsSync(own)) restore(snapshot, own, ids);
    return id;
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
