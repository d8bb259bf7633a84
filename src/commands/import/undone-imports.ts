import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ImportRecord } from "../../import/plan.js";
import type { ImportMemo, NotedWrite } from "../../journal/entry.js";
import type { Machine } from "../../machine.js";
import { requireInnerFolder } from "../../system/ownership.js";
import { appendRecord, FOLDER, parseRecords, readText } from "./records.js";

/**
 * What an undo changes in what is remembered: a later run of the same file does again what was taken back of an import.
 * @returns notes what was taken back, and the id that the event has since
 */
export function openUndoneImports({
  stateDirectory,
  userId,
}: Pick<Machine, "stateDirectory" | "userId">): (write: NotedWrite, id: string) => void {
  const inner = { parent: stateDirectory(), name: FOLDER, userId };
  // It may have been removed since.
  if (!existsSync(join(inner.parent, FOLDER))) return () => undefined;
  const folder = requireInnerFolder(inner);
  const paths = readdirSync(folder).map((name) => join(folder, name));
  const places = paths
    .filter((path) => path.endsWith(".jsonl"))
    .flatMap((path) =>
      // What is damaged, the next import of its source says.
      [...parseRecords(readText(path)).records].map(([identity, record]) => ({ path, identity, record })),
    );
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
  return ({ kind, eventId = "", memo }, id) => {
    const ids = { from: eventId, to: id };
    if (memo !== undefined) return restore(memo, ids);
    if (kind === "delete") return findAgain(ids);
    const place = places.find(({ record }) => record.id === id);
    if (kind !== "create" || place === undefined) return;
    const { path, identity, record } = place;
    const before = restored.get(`${path} ${identity}`);
    const isAnother = before && before.id !== id;
    appendRecord(path, identity, isAnother ? { ...before, undone: id } : { ...record, deleted: "here" });
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
