import { onTestFinished } from "vitest";
import type { ProcessLike } from "../../../src/run/machine.js";
import { loadSqlite } from "../../../src/system/sqlite/driver.js";

/** No process has such an id. */
const FIRST_PID = 10_000_000;

/** Where a run is killed: around the delivery of a message, or in front of a statement on state.db. */
export const CRASH_POINTS = [
  "unsent",
  "accepted",
  "answered",
  "before sending, at pragma application_id",
  "before sending, at begin immediate",
  "before sending, at select state,",
  "before sending, at insert or",
  "before sending, at commit",
  "after sending, at begin immediate",
  "after sending, at select state,",
  "after sending, at insert or",
  "after sending, at commit",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/**
 * Runs that are killed in the middle. From that moment on, nothing that a run does has an effect: its state.db was closed as
 * by the end of the process, the chat no longer hears it, and the others see no process under its id.
 */
export interface Crashes {
  /** Begins the next run. @param point null for one that lives */
  begin(point: CrashPoint | null): void;
  /** For the harness: each run has an id of its own. */
  nextProcess(): Pick<ProcessLike, "pid" | "kill">;
  /** The run has come to the point. */
  reached(point: CrashPoint): boolean;
  /** Kills the run, at its point. */
  kill(): void;
  /** Whether the run of now was killed. */
  isDead(): boolean;
  /** A message of the run of now was accepted. */
  accepted(): void;
  /** Ends the run of now. */
  end(): void;
  readonly counts: Readonly<Record<string, number>>;
}

interface Life {
  readonly point: CrashPoint | null;
  readonly pids: Set<number>;
  readonly closers: Set<() => void>;
  hasSent: boolean;
  isDead: boolean;
}

/** @param file end of the path of its state.db: other databases live on */
export async function createCrashes(file: string): Promise<Crashes> {
  const counts: Record<string, number> = {};
  const running = new Set<number>();
  let lastPid = FIRST_PID;
  let life = createLife(null);
  const kill = (): void => {
    const where = life.point ?? "nowhere";
    counts[where] = (counts[where] ?? 0) + 1;
    life.isDead = true;
    for (const pid of life.pids) running.delete(pid);
    for (const close of life.closers) close();
  };
  const step = (own: Life, sql: string): void => {
    if (own.isDead) throw new Error("the process was killed");
    const when = own.hasSent ? "after" : "before";
    if (own.point !== `${when} sending, at ${sql.split(" ").slice(0, 2).join(" ")}`) return;
    kill();
    throw new Error("the process was killed");
  };
  await stepThroughSqlite(file, () => {
    const own = life;
    return { step: (sql) => step(own, sql), onDeath: (close) => void own.closers.add(close) };
  });
  return {
    begin(point) {
      life = createLife(point);
    },
    nextProcess() {
      lastPid += 1;
      life.pids.add(lastPid);
      running.add(lastPid);
      return {
        pid: lastPid,
        kill(pid) {
          if (!running.has(pid)) throw Object.assign(new Error("no such process"), { code: "ESRCH" });
          return true;
        },
      };
    },
    reached: (point) => life.point === point,
    kill,
    isDead: () => life.isDead,
    accepted() {
      life.hasSent = true;
    },
    end() {
      for (const pid of life.pids) running.delete(pid);
      // What people do between the runs is not killed.
      life = createLife(null);
    },
    counts,
  };
}

function createLife(point: CrashPoint | null): Life {
  return { point, pids: new Set(), closers: new Set(), hasSent: false, isDead: false };
}

interface Steps {
  step(sql: string): void;
  onDeath(close: () => void): void;
}

/** Each statement on a database becomes a step. The driver asks Node for its own SQLite first. */
async function stepThroughSqlite(file: string, steps: () => Steps): Promise<void> {
  const sqlite = await loadSqlite();
  function SteppingDatabase(location: string) {
    const database = new sqlite.DatabaseSync(location);
    if (!location.endsWith(file)) return database;
    const { step, onDeath } = steps();
    let isOpen = true;
    const close = () => {
      if (isOpen) database.close();
      isOpen = false;
    };
    onDeath(() => {
      // With statements that are still prepared, closing alone would keep the lock.
      if (isOpen) rollBack(database);
      close();
    });
    return {
      close,
      exec(sql: string) {
        step(sql);
        database.exec(sql);
      },
      prepare(sql: string) {
        const statement = database.prepare(sql);
        const stepping =
          (method: "run" | "all") =>
          (...values: readonly (string | number)[]) => {
            step(sql);
            return statement[method](...values);
          };
        return {
          columns: () => statement.columns(),
          setReturnArrays: (enabled: boolean) => statement.setReturnArrays(enabled),
          run: stepping("run"),
          all: stepping("all"),
        };
      },
    };
  }
  const { getBuiltinModule } = process;
  const replaced = {
    DatabaseSync: SteppingDatabase,
    StatementSync: { prototype: { columns: true, setReturnArrays: true } },
  };
  Object.assign(process, {
    getBuiltinModule: (id: string) => (id === "node:sqlite" ? replaced : getBuiltinModule?.(id)),
  });
  onTestFinished(() => void Object.assign(process, { getBuiltinModule }));
}

/** What the next process does that opens the file of one that was killed. */
function rollBack(database: { exec(sql: string): void }): void {
  try {
    database.exec("rollback");
  } catch (_noTransaction) {
    // There is nothing to undo.
  }
}
