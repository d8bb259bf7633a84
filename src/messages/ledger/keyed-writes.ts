import { createHash } from "node:crypto";
import { DAY_MS } from "../../../contract/date-time.js";
import { CliError, hasCode, MADE_OTHER, usedKeyError, wrapError } from "../../errors.js";
import { isCertain, throwNotNoted } from "./attempts.js";
import type { LedgerDatabase } from "./database.js";
import { createExclusively } from "./holders.js";
import type { LedgerDependencies } from "./waiting.js";

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

/**
 * The key is on the disk before anything is sent, and what was made after it. So after a crash it is unknown what the key has
 * made, and nothing is made under it again.
 */
export function createWriteOnce(database: LedgerDatabase, dependencies: LedgerDependencies): WriteOnce {
  const exclusively = createExclusively(database, dependencies);
  return ({ id, key, content }, make) =>
    exclusively(id, async () => {
      const hash = createHash("sha256").update(JSON.stringify(content)).digest("base64url");
      const row = await claim(database, { id, hash }, dependencies.clock.now());
      if (row !== null && row["content"] !== hash) throw usedKeyError(key, MADE_OTHER);
      if (typeof row?.["result"] === "string") return { kind: "made_before", result: row["result"] };
      if (row !== null) throw unknownBefore(key, Number(row["began_at"]));
      const { made, result } = await make().catch(async (error: unknown) => {
        if (!isCertain(error)) throw explainUnknown(error);
        await database.note((db) => db.run("delete from keyed_writes where id = ?", id));
        throw error;
      });
      const note = "update keyed_writes set result = ? where id = ?";
      await database
        .note((db) => db.run(note, result, id))
        .catch(throwNotNoted("it was made", { hint: "do not repeat this one", details: { made } }));
      return { kind: "made", made };
    });
}

/** The row of a key; null for a new one, which has a row from now on. */
function claim(
  { write }: LedgerDatabase,
  { id, hash }: { readonly id: string; readonly hash: string },
  now: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  return write((db) => {
    // By this run's clock and that of the run before: a clock that is wrong once forgets nothing.
    const [latest] = db.all("select began_at from keyed_writes order by rowid desc limit 1");
    const before = Math.min(now, Number(latest?.["began_at"] ?? 0)) - KEPT;
    db.run("delete from keyed_writes where began_at < ?", before);
    const [row] = db.all("select content, result, began_at from keyed_writes where id = ?", id);
    if (row !== undefined) return row;
    db.run("insert into keyed_writes (id, content, began_at) values (?, ?, ?)", id, hash, now);
    return null;
  });
}

const LOOK = "look for it; calctl makes it again under another key only";

function unknownBefore(key: string, beganAt: number): CliError {
  const when = new Date(beganAt).toISOString();
  const message = `it is not known what the attempt of ${when} with key "${key}" has made`;
  return new CliError("outcome_unknown", message, { hint: LOOK });
}

function explainUnknown(error: unknown): unknown {
  if (!hasCode(error, "outcome_unknown")) return error;
  return wrapError(error, error.code, error.message, { hint: LOOK });
}
