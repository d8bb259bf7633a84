import { yieldToEventLoop } from "../../src/system/clock.js";
import { checkEvents } from "./check-events.js";
import {
  checkOrder,
  checkReferences,
  checkRevisions,
  checkUsers,
  describeProblems,
  type Problem,
} from "./check-rows.js";
import { checkSchema, checkValues, planOf } from "./check-schema.js";
import { forAdministration, type LongWorkOptions, type Store, type Transaction } from "./store.js";
import { countRows, type TableName } from "./tables.js";

/** What one check of a database found. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** What is there, or what is wrong. */
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly hint: string | null;
}

/**
 * Verifies what the service relies on: the file, the schema, references between rows, positions, and what is stored of events.
 * Reads one snapshot and changes nothing, so the service may be running.
 * @throws DatabaseUnavailableError, the signal's reason
 */
export async function checkStore(store: Store, options: LongWorkOptions): Promise<readonly Finding[]> {
  const { signal, onProgress } = options;
  onProgress({ what: "checking the file", done: 0, total: 0 });
  const damage = await store.verifyFile?.(options);
  const file = damage && describe("file", { problems: damage.map(asProblem), fine: "is intact" });
  // What else is read from it may be anything.
  if (file?.ok === false) return [file];
  const plan = await planOf(store.engine);
  return forAdministration(store).read(async (db) => {
    const { missingTables, problems } = await checkSchema(db, store.engine, plan);
    if (missingTables.length > 0)
      return [describe("tables", { problems: [{ what: "missing", keys: missingTables }], fine: "" })];
    const schema = describe("schema", { problems, fine: "has every column, unique key and index" });
    const findings = [...(file === undefined ? [] : [file]), schema];
    // Queries would fail, or take for ever without an index.
    if (!schema.ok) return findings;
    findings.push(describe("contents", { problems: [], fine: await describeContents(db) }));
    const invalid = await checkValues(db, store.engine, { ...plan, signal, anyEventTime: true });
    const values = describe("values", { problems: invalid, fine: "are what their columns are for" });
    findings.push(values);
    // Reading them would fail.
    if (!values.ok) return findings;
    for (const { check, find, fine } of CHECKS) {
      await yieldToEventLoop(signal);
      findings.push(describe(check, { problems: await find(db, options), fine }));
    }
    return findings;
  });
}

interface Check {
  readonly check: string;
  readonly find: (db: Transaction, options: LongWorkOptions) => Promise<readonly Problem[]>;
  /** What is said when it finds nothing. */
  readonly fine: string;
}

const CHECKS: readonly Check[] = [
  { check: "references", find: checkReferences, fine: "all point to existing rows" },
  { check: "order", find: checkOrder, fine: "positions and ranks are complete" },
  { check: "revisions", find: checkRevisions, fine: "are not ahead of their calendars" },
  { check: "users", find: checkUsers, fine: "can be found by login" },
  {
    check: "events",
    find: checkEvents,
    fine: "have valid times, and stored JSON that matches their columns",
  },
];

const asProblem = (what: string): Problem => ({ what, keys: [] });

function describe(
  check: string,
  { problems, fine }: { readonly problems: readonly Problem[]; readonly fine: string },
): Finding {
  const ok = problems.length === 0;
  return { check, ok, detail: ok ? fine : describeProblems(problems), hint: null };
}

async function describeContents(db: Transaction): Promise<string> {
  const count = async (table: TableName, noun: string) => {
    const rows = await countRows(db, table);
    return `${rows} ${noun}${rows === 1 ? "" : "s"}`;
  };
  return [
    await count("users", "user"),
    await count("calendars", "calendar"),
    await count("events", "event"),
    await count("activities", "comment"),
  ].join(", ");
}
