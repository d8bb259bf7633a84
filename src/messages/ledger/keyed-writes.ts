import { createHash } from "node:crypto";
import { DAY_MS } from "../../../contract/date-time.js";
import { CliError, MADE_OTHER, usedKeyError, wrapError } from "../../errors.js";
import { isCertain } from "./attempts.js";
import type { LedgerDatabase, LedgerTransaction } from "./database.js";
import { createOwner, readOwner } from "./owner.js";
import { type Busy, type LedgerDependencies, waitForOthers } from "./waiting.js";

/** The table `keyed_writes`: a row for each key under which something was made, or may have been. */

/** What is made under a key. */
interface KeyedWrite {
  /** Unique for the key in its calendar. */
  readonly id: string;
  /** As it was given, for messages. */
  readonly key: string;
  /** JSON: the key cannot be used for anything else. */
  readonly content: unknown;
}

/** @param make returns what it has made, and a text by which a later run reads it again */
export type WriteOnce = <T>(
  keyed: KeyedWrite,
  make: () => Promise<{ readonly made: T; readonly result: string }>,
) => Promise<
  { readonly kind: "made"; readonly made: T } | { readonly kind: "made_before"; readonly result: string }
>;

/** How long a key is kept (ms). */
const KEPT = 30 * DAY_MS;

/** The note must be written, even if the run was interrupted meanwhile. */
const FOR_CERTAIN = { evenIfInterrupted: true };

/**
 * The key and its owner are on the disk before anything is sent. So after a crash it is unknown what the key has made, and
 * nothing is made under it again.
 */
export function createWriteOnce(database: LedgerDatabase, dependencies: LedgerDependencies): WriteOnce {
  return async (keyed, make) => {
    const owner = createOwner(dependencies.processes);
    const claim = await waitForOthers(
      () => database.write((db) => claimKey(db, { ...keyed, owner }, dependencies)),
      `using key "${keyed.key}"`,
      dependencies,
    );
    if (claim.kind === "refused") throw claim.error;
    if (claim.kind === "made_before") return claim;
    const note = (sql: string, ...values: readonly string[]) =>
      database.write(
        (db) => db.run(`${sql} where id = ? and owner = ?`, ...values, keyed.id, owner),
        FOR_CERTAIN,
      );
    const { made, result } = await make().catch(async (error: unknown) => {
      if (isCertain(error)) await note("delete from keyed_writes");
      else await note("update keyed_writes set owner = null");
      throw explainUnknown(error);
    });
    await note("update keyed_writes set result = ?", result).catch((reason) => {
      throw notNotedError(reason, made);
    });
    return { kind: "made", made };
  };
}

type Claim =
  | { readonly kind: "claimed" }
  | { readonly kind: "made_before"; readonly result: string }
  | { readonly kind: "refused"; readonly error: CliError };

function claimKey(
  db: LedgerTransaction,
  { id, key, content, owner }: KeyedWrite & { readonly owner: string },
  { clock, processes }: LedgerDependencies,
): Claim | Busy {
  const now = clock.now();
  prune(db, now);
  const hash = createHash("sha256").update(JSON.stringify(content)).digest("base64url");
  const [row] = db.all("select content, owner, result, began_at from keyed_writes where id = ?", id);
  if (row === undefined) {
    db.run("insert into keyed_writes values (?, ?, ?, null, ?)", id, hash, owner, now);
    return { kind: "claimed" };
  }
  if (row["content"] !== hash) return { kind: "refused", error: usedKeyError(key, MADE_OTHER) };
  const { result } = row;
  if (typeof result === "string") return { kind: "made_before", result };
  const other = readOwner(row["owner"]);
  if (other !== null && processes.isRunning(other)) return { kind: "busy", owner: other };
  return { kind: "refused", error: unknownBefore(key, Number(row["began_at"])) };
}

/** By this run's clock and that of the run before: a clock that is wrong once forgets nothing. */
function prune(db: LedgerTransaction, now: number): void {
  const [latest] = db.all("select began_at from keyed_writes order by rowid desc limit 1");
  const before = Math.min(now, Number(latest?.["began_at"] ?? 0)) - KEPT;
  db.run("delete from keyed_writes where began_at < ?", before);
}

const LOOK = "look for it; calctl makes it again under another key only";

function unknownBefore(key: string, beganAt: number): CliError {
  const when = new Date(beganAt).toISOString();
  const message = `it is not known what the attempt of ${when} with key "${key}" has made`;
  return new CliError("outcome_unknown", message, { hint: LOOK });
}

function explainUnknown(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== "outcome_unknown") return error;
  return wrapError(error, error.code, error.message, { hint: LOOK });
}

/** It was made, so it must not be called a failure that may be repeated. */
function notNotedError(cause: unknown, made: unknown): unknown {
  if (!(cause instanceof CliError)) return cause;
  return new CliError("failed", `it was made, but that could not be noted: ${cause.message}`, {
    hint: "do not repeat this one",
    details: { made },
    cause,
  });
}
