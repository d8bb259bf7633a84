import { isRunning } from "../../system/process-identity.js";
import type { LedgerDatabase } from "./database.js";
import { createOwner, readOwner } from "./owner.js";
import { type Busy, type LedgerDependencies, waitForOthers } from "./waiting.js";

/** Serializes work under a name between the processes of this machine. */
export function createExclusively(database: LedgerDatabase, dependencies: LedgerDependencies) {
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const owner = createOwner(dependencies.process);
    await waitForOthers(
      () => hold(database, { name, owner }, dependencies),
      `working under the name "${name}"`,
      dependencies,
    );
    try {
      return await work();
    } finally {
      await release(database, { name, owner });
    }
  };
}

interface Holder {
  readonly name: string;
  readonly owner: string;
}

async function hold(
  { read, write }: LedgerDatabase,
  { name, owner }: Holder,
  { process }: LedgerDependencies,
): Promise<Busy | { readonly kind: "held" }> {
  const busy = (rows: readonly Readonly<Record<string, unknown>>[]): Busy | null => {
    const holder = readOwner(rows[0]?.["owner"]);
    return holder !== null && isRunning(process, holder) ? { kind: "busy", owner: holder } : null;
  };
  const find = "select owner from holders where name = ?";
  const waiting = busy(await read((db) => db.all(find, name)));
  if (waiting !== null) return waiting;
  return write((db) => {
    const stillBusy = busy(db.all(find, name));
    if (stillBusy !== null) return stillBusy;
    db.run("insert or replace into holders values (?, ?)", name, owner);
    return { kind: "held" };
  });
}

/** A row that cannot be removed holds up nobody once this process has ended. */
async function release({ note }: LedgerDatabase, { name, owner }: Holder): Promise<void> {
  const remove = "delete from holders where name = ? and owner = ?";
  await note((db) => db.run(remove, name, owner)).catch(() => undefined);
}
