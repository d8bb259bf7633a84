import { appendFileSync } from "node:fs";
import { CliError } from "../../src/errors.js";
import { createSeenByName } from "../../src/state/seen.js";
import { createSent } from "../../src/state/sent.js";
import { openState } from "../../src/state/state.js";
import { sleepFor } from "../../src/system/clock.js";
import { loadSqlite } from "../../src/system/sqlite/driver.js";
import { awaitStart } from "../support/child-start.js";

/**
 * A process that sends under a key, by adding a line to a mailbox. With a number of steps it kills itself before the next
 * one: a step is a statement of SQLite, or the delivery. Prints what it did as JSON.
 */
const [path = "", mailbox = "", key = "", mode = "", steps = ""] = process.argv.slice(2);

let step = 0;
function takeStep(): void {
  if (steps !== "" && step >= Number(steps)) process.kill(process.pid, "SIGKILL");
  step += 1;
}

const sqlite = await loadSqlite();

/** A database whose statements are steps. */
function SteppingDatabase(location: string) {
  const database = new sqlite.DatabaseSync(location);
  return {
    close: () => database.close(),
    exec(sql: string) {
      takeStep();
      database.exec(sql);
    },
    prepare(sql: string) {
      const statement = database.prepare(sql);
      const stepping =
        (method: "run" | "all") =>
        (...values: readonly string[]) => {
          takeStep();
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

// The driver asks Node for its own SQLite first.
const { getBuiltinModule } = process;
Object.assign(process, {
  getBuiltinModule: (id: string) =>
    id === "node:sqlite" && steps !== ""
      ? {
          DatabaseSync: SteppingDatabase,
          StatementSync: { prototype: { columns: true, setReturnArrays: true } },
        }
      : getBuiltinModule?.(id),
});

await awaitStart();

const state = await openState({
  path,
  clock: { now: Date.now, sleep: sleepFor },
  process,
  signal: () => new AbortController().signal,
  note: () => undefined,
  noteWait: () => undefined,
});
const sent = createSent(state);
let outcome: string;
try {
  const send = async () => {
    takeStep();
    appendFileSync(mailbox, `${key}\n`);
    takeStep();
  };
  outcome = await sent.sendOnce(
    [key],
    async () => ({ command: "post", target: "mailbox", what: key, send }),
    {
      keepDays: 1,
      remember: { name: "job", seen: key },
    },
  );
} catch (error) {
  outcome = error instanceof CliError ? error.code : String(error);
  if (mode === "forget") await sent.acknowledge();
}
const seen = await createSeenByName(state).read({ name: "job" });
state.close();
process.stdout.write(`${JSON.stringify({ outcome, steps: step, seen: seen?.seen ?? null })}\n`);
