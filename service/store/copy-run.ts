import { randomBytes } from "node:crypto";
import { type CliError, configurationError } from "../../src/errors.js";
import { sleepFor } from "../../src/system/clock.js";
import { type LongWorkOptions, readSetting, type Store, type Transaction } from "./store.js";

/** How often a run writes at least (ms), so that others see that it goes on. */
const HEARTBEAT = 1_000;

/** How long a run must have written nothing to be taken for one that was killed, and how often that is looked up (ms). */
const SILENCE = { total: 10_000, step: 500 };

export interface CopyRunOptions extends LongWorkOptions {
  readonly target: Store;
  /** Called in the transaction in which the run begins. @throws to begin none */
  readonly begin: (db: Transaction) => Promise<void>;
  /** Waits some milliseconds, or until the signal aborts; a timer by default. */
  readonly sleep?: typeof sleepFor | undefined;
}

/** Writes to the target as one transaction. @throws CliError configuration when another run has taken over */
export type WriteAsRun = Store["write"];

/**
 * Does work as the only run that writes to the target. Each of its transactions checks that no other run has taken over. So
 * one that was suspended for long, and taken for dead, fails at its next write. An advisory lock would need a session of its
 * own, which pgbouncer does not give.
 * @throws CliError configuration while another run is writing
 */
export async function asOnlyRun<T>(
  options: CopyRunOptions,
  work: (write: WriteAsRun) => Promise<T>,
): Promise<T> {
  const { target, begin } = options;
  const stale = await awaitSilence(options);
  const id = randomBytes(8).toString("hex");
  let writes = 0;
  await target.write(async (db) => {
    if ((await readRun(db)) !== stale) throw busyError();
    await begin(db);
    await db.deleteFrom("settings").where("name", "=", "copy_run").execute();
    await db
      .insertInto("settings")
      .values({ name: "copy_run", value: `${id} 0` })
      .execute();
  });
  const write: WriteAsRun = (change) =>
    target.write(async (db) => {
      writes += 1;
      const { numUpdatedRows } = await db
        .updateTable("settings")
        .set({ value: `${id} ${writes}` })
        .where("name", "=", "copy_run")
        .where("value", "like", `${id} %`)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw takenOverError();
      return change(db);
    });
  const ended = new AbortController();
  const heartbeats = sendHeartbeats(write, ended.signal);
  try {
    return await work(write);
  } finally {
    ended.abort();
    await heartbeats;
    // Otherwise the next run would wait for this one.
    await write((db) => db.deleteFrom("settings").where("name", "=", "copy_run").execute()).catch(
      () => undefined,
    );
  }
}

/** Resolves with the run that has been silent for long, or undefined without one. @throws CliError configuration */
async function awaitSilence({
  target,
  onProgress,
  signal,
  sleep = sleepFor,
}: CopyRunOptions): Promise<string | undefined> {
  const first = await target.read(readRun);
  for (let waited = 0; first !== undefined && waited < SILENCE.total; waited += SILENCE.step) {
    onProgress({ what: "waiting whether another copy goes on", done: waited, total: SILENCE.total });
    await sleep(SILENCE.step, signal);
    const run = await target.read(readRun);
    if (run === undefined) return undefined;
    if (run !== first) throw busyError();
  }
  return first;
}

const readRun = (db: Transaction) => readSetting(db, "copy_run");

/** What reads for long would look as if it had been killed. */
async function sendHeartbeats(write: WriteAsRun, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleepFor(HEARTBEAT, signal);
      await write(async () => undefined);
    } catch {
      // It has ended; or its next part fails for the same reason, and says so.
    }
  }
}

function busyError(): CliError {
  return configurationError("another copy is writing to the target", {
    hint: "let it finish, or end it and repeat this command, which goes on where it was",
  });
}

function takenOverError(): CliError {
  return configurationError("another copy has taken over the target, since this one wrote nothing for long", {
    hint: "let the other one finish",
  });
}
