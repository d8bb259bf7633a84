import {
  checkEvents,
  checkUsers,
  describeProblems,
  findProblems,
  ORDER_RULES,
  type Problem,
  REVISION_RULES,
  type Rule,
  referenceRules,
} from "./check-rows.js";
import { checkSchema, checkValues, expectedSchema } from "./check-schema.js";
import { checkSeries } from "./check-series.js";
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
  const file = damage && describe("file", damage.map(asProblem), "is intact");
  // What else is read from it may be anything.
  if (file?.ok === false) return [file];
  const expected = await expectedSchema(store.engine);
  return forAdministration(store).read(async (db) => {
    const { missingTables, problems } = await checkSchema(db, store.engine, expected);
    if (missingTables.length > 0) return [describe("tables", [{ what: "missing", keys: missingTables }], "")];
    const schema = describe("schema", problems, "has every column, unique key and index");
    const findings = [...(file === undefined ? [] : [file]), schema];
    // Queries would fail, or take for ever without an index.
    if (!schema.ok) return findings;
    findings.push(describe("contents", [], await describeContents(db)));
    const { tables } = expected;
    const invalid = await checkValues(db, store.engine, { tables, signal });
    const values = describe("values", invalid, "are what their columns are for");
    findings.push(values);
    // Reading them would fail.
    if (!values.ok) return findings;
    const find = (rules: readonly Rule[]) => findProblems(db, rules, signal);
    return [
      ...findings,
      describe("references", await find(referenceRules(tables)), "all point to existing rows"),
      describe("order", await find(ORDER_RULES), "positions and ranks are complete"),
      describe("revisions", await find(REVISION_RULES), "are not ahead of their calendars"),
      describe("users", await checkUsers(db), "can be found by login"),
      describe(
        "events",
        await checkEvents(db, options),
        "have valid times, and stored JSON that matches their columns",
      ),
      describe("series", await checkSeries(db, options), "have the occurrences that their rules give"),
    ];
  });
}

const asProblem = (what: string): Problem => ({ what, keys: [] });

/** @param fine what is said without problems */
function describe(check: string, problems: readonly Problem[], fine: string): Finding {
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
