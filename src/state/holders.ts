import { randomBytes } from "node:crypto";
import { isJsonObject, parseJson } from "../../contract/json.js";
import { CliError } from "../errors.js";
import { identityOf, isRunning, type ProcessIdentity, type ProcessSource } from "../system/file-lock.js";
import { noteLongWait } from "../system/sqlite/connection.js";
import type { State } from "./state.js";

/** Processes of this machine that do not do the same at the same time. One that was killed holds up nobody. */

/** One attempt of one process. */
export interface Owner extends ProcessIdentity {
  /** Tells the attempts of a process apart. */
  readonly attempt: string;
}

/** A new attempt of this process, as columns have it. */
export function createOwner(process: ProcessSource): string {
  const owner: Owner = { ...identityOf(process), attempt: randomBytes(8).toString("hex") };
  return JSON.stringify(owner);
}

/** Null for what this version does not understand: its process counts as ended. */
export function readOwner(text: unknown): Owner | null {
  const owner = parseJson(String(text));
  if (!isJsonObject(owner) || typeof owner["pid"] !== "number") return null;
  const { pid, run, attempt } = owner;
  return { pid, run: String(run), attempt: String(attempt) };
}

/** Null if its process has ended. @param text as `createOwner` returns it */
export function runningOwner(text: unknown, process: ProcessSource): Owner | null {
  const owner = readOwner(text);
  return owner !== null && isRunning(process, owner) ? owner : null;
}

/** How long to wait for what another process is doing (ms): as long as a message may take with its repetitions. */
const TIMEOUT = 180_000;
/** Pause between two looks (ms); it doubles up to the last one. */
const PAUSE = { first: 20, last: 500 };

/** Another process is doing it now. */
export interface Busy {
  readonly kind: "busy";
  readonly owner: Owner;
}

/**
 * Repeats an attempt until no other process is in the way.
 * @param doing what the other process does, as messages name it
 * @throws CliError unavailable when that takes too long; the reason of an interruption
 */
export async function waitForOthers<T extends { readonly kind: string }>(
  { clock, signal, noteWait }: Pick<State, "clock" | "signal" | "noteWait">,
  attempt: () => Promise<T | Busy>,
  doing: string,
): Promise<T> {
  let pause = PAUSE.first;
  for (let waited = 0; ; waited += pause, pause = Math.min(2 * pause, PAUSE.last)) {
    const result = await attempt();
    if (!isBusy(result)) return result;
    if (waited >= TIMEOUT) {
      throw new CliError("unavailable", `another calctl (process ${result.owner.pid}) is still ${doing}`, {
        hint: "this run did nothing; try again when the other has finished",
      });
    }
    const { pid } = result.owner;
    noteLongWait(waited, pause, () =>
      noteWait(`waiting for another calctl (process ${pid}), which is ${doing}`),
    );
    await clock.sleep(pause, signal());
  }
}

function isBusy<T extends { readonly kind: string }>(result: T | Busy): result is Busy {
  return result.kind === "busy";
}

interface Holding {
  /** The same in all processes that must wait for each other. */
  readonly name: string;
  /** As in `waitForOthers`. */
  readonly doing: string;
}

/**
 * Runs work while no other process of this machine holds the same name: others wait.
 * @throws CliError unavailable when another process takes too long
 */
export async function exclusively<T>(
  state: State,
  { name, doing }: Holding,
  work: () => Promise<T>,
): Promise<T> {
  const owner = createOwner(state.process);
  await waitForOthers(state, () => hold(state, name, owner), doing);
  try {
    return await work();
  } finally {
    // A row that cannot be removed holds up nobody once this process has ended.
    const remove = "delete from holders where name = ? and owner = ?";
    await state
      .write((db) => db.run(remove, name, owner), { evenIfInterrupted: true })
      .catch(() => undefined);
  }
}

async function hold(
  { read, write, process }: State,
  name: string,
  owner: string,
): Promise<Busy | { readonly kind: "held" }> {
  const busy = (rows: readonly Readonly<Record<string, unknown>>[]): Busy | null => {
    const holder = runningOwner(rows[0]?.["owner"], process);
    return holder === null ? null : { kind: "busy", owner: holder };
  };
  const find = "select owner from holders where name = ?";
  const waiting = busy(await read((db) => db.all(find, name)));
  if (waiting !== null) return waiting;
  return write((db) => {
    const stillBusy = busy(db.all(find, name));
    if (stillBusy !== null) return stillBusy;
    db.run("insert or replace into holders (name, owner) values (?, ?)", name, owner);
    return { kind: "held" };
  });
}
