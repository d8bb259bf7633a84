import { isTimeZone } from "../../contract/date-time.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { LABEL_PALETTE } from "./calendars.js";
import {
  checkReferences,
  checkSchema,
  checkValues,
  describeProblems,
  findRows,
  type Problem,
  readExpectedSchema,
} from "./check-schema.js";
import type { SeriesRow, UserRow } from "./schema.js";
import { SERIES } from "./series.js";
import { forAdministration, type LongWorkOptions, type Store, type Transaction } from "./store.js";
import { countRows, type TableName } from "./tables.js";
import { loginKey } from "./users.js";

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
 * Verifies what the service relies on: the file, the schema, values, references between rows, and `CHECKS`.
 * Reads one snapshot and changes nothing, so the service may be running.
 * @throws DatabaseUnavailableError, the signal's reason
 */
export async function checkStore(store: Store, options: LongWorkOptions): Promise<readonly Finding[]> {
  const { signal, onProgress } = options;
  const findings: Finding[] = [];
  /** @param fine what is said without problems */
  const add = (check: string, problems: readonly Problem[], fine: string): boolean => {
    const ok = problems.length === 0;
    findings.push({ check, ok, detail: ok ? fine : describeProblems(problems), hint: null });
    return ok;
  };
  onProgress({ what: "checking the file", done: 0, total: 0 });
  const damage = (await store.verifyFile?.(options))?.map((what) => ({ what, keys: [] }));
  // What else is read from a damaged file may be anything.
  if (damage !== undefined && !add("file", damage, "is intact")) return findings;
  const checks = { engine: store.engine, signal, expected: await readExpectedSchema() };
  return forAdministration(store).read(async (db) => {
    // Queries would fail, or take for ever without an index.
    if (!add("schema", await checkSchema(db, checks), "has every table, column and index")) return findings;
    add("contents", [], await describeContents(db));
    // Reading rows would fail.
    if (!add("values", await checkValues(db, checks), "are what their columns are for")) return findings;
    add("references", await checkReferences(db, checks), "all point to existing rows");
    for (const { check, fine, rules = {}, find } of CHECKS) {
      onProgress({ what: `checking ${check}`, done: 0, total: 0 });
      const problems: Problem[] = [];
      for (const [what, query] of Object.entries(rules)) {
        await yieldToEventLoop(signal);
        problems.push(...(await findRows(db, what, query)));
      }
      add(check, [...problems, ...((await find?.(db, signal)) ?? [])], fine);
    }
    return findings;
  });
}

async function describeContents(db: Transaction): Promise<string> {
  const count = async (table: TableName, noun: string) => {
    const rows = await countRows(db, table);
    return `${rows} ${noun}${rows === 1 ? "" : "s"}`;
  };
  const contents = [await count("users", "user"), await count("calendars", "calendar")];
  return [...contents, await count("events", "event"), await count("activities", "comment")].join(", ");
}

/** Numbers of the rows of a group, from the first one on without gaps. */
function gapsIn(table: TableName, group: string, number: string, first = 0): string {
  return `select ${group} as id from ${table} group by ${group}
    having min(${number}) <> ${first} or count(distinct ${number}) <> count(*)
      or max(${number}) - min(${number}) + 1 <> count(*)`;
}

const isBehind = (table: TableName) => `select id from calendars
  where revision < (select max(revision) from ${table} where calendar_id = calendars.id)`;

/** JavaScript has no time beyond that (ms since the epoch). */
const isTime = (column: string) => `abs(${column}) <= 8640000000000000`;

/** What occurrences have of their series. */
const OF_SERIES = [
  ...["calendar_id", "category", "title", "all_day", "start_timezone", "end_timezone"],
  ...["description", "location", "url", "label_number", "creator_id"],
];

interface Check {
  readonly check: string;
  /** What is said without problems. */
  readonly fine: string;
  /** Problems, and queries of the rows that have them. */
  readonly rules?: Readonly<Record<string, string>>;
  /** What no query can find. */
  readonly find?: (db: Transaction, signal: AbortSignal) => Promise<readonly Problem[]>;
}

const CHECKS: readonly Check[] = [
  {
    check: "order",
    fine: "positions and ranks are complete",
    rules: {
      "users whose calendars have gaps": gapsIn("members", "user_id", "position"),
      "events whose attendees have gaps": gapsIn("attendees", "event_id", "position"),
      "clients whose URIs have gaps": gapsIn("redirect_uris", "client", "position"),
      "calendars whose labels have gaps": gapsIn("labels", "calendar_id", "number", 1),
      "calendars with members of the same rank": `select calendar_id as id from members
        group by calendar_id having count(distinct rank) <> count(*)`,
      "calendars without members":
        "select id from calendars where id not in (select calendar_id from members)",
      [`calendars without their ${LABEL_PALETTE.length} labels`]: `select id from calendars
        where ${LABEL_PALETTE.length} <> (select count(*) from labels where calendar_id = calendars.id)`,
    },
  },
  {
    check: "revisions",
    fine: "are not ahead of their calendars",
    rules: {
      "calendars whose revision is behind that of their events": isBehind("events"),
      "calendars whose revision is behind that of their deleted_events": isBehind("deleted_events"),
      "calendars whose revision is behind that of their details or changes":
        "select id from calendars where details_revision > revision or changes_from > revision",
      "deleted events that exist": "select id from events where id in (select event_id from deleted_events)",
    },
  },
  { check: "users", fine: "can be found by login", find: findLostUsers },
  {
    check: "events",
    fine: "have valid times",
    rules: {
      "events with invalid times": `select id from events
        where not (${["start_at", "end_at", "slot", "created_at", "updated_at"].map(isTime).join(" and ")})`,
      "events with only some of their times": `select id from events where (start_at is null) <> (end_at is null)
        or (start_at is null) <> (start_timezone is null) or (end_at is null) <> (end_timezone is null)`,
      "scheduled events without times":
        "select id from events where category = 'schedule' and start_at is null and end_at is null",
      "events that end before they start": "select id from events where end_at < start_at",
    },
  },
  {
    check: "series",
    fine: "have the occurrences that their rules give",
    rules: {
      "occurrences that are there twice": `select min(id) as id from events
        where series_id is not null group by series_id, slot having count(*) > 1`,
      "occurrences that differ from their series": `select events.id as id
        from events join series on series.id = events.series_id
        where events.recurrences <> '' and (${OF_SERIES.map((name) => `events.${name} = series.${name}`).join(" and ")}
          and start_at = slot and end_at = slot + length and attendees = coalesce(
            (select string_agg(user_id, ' ' order by position) from attendees where event_id = events.id), '')
        ) is not true`,
    },
    find: findOtherSlots,
  },
];

/** Users whose login is not stored in the form that is compared. */
async function findLostUsers(db: Transaction): Promise<readonly Problem[]> {
  const users = await db.all<Pick<UserRow, "id" | "login" | "login_key">>(
    "select id, login, login_key from users order by id",
  );
  const keys = users.filter(({ login, login_key }) => loginKey(login) !== login_key).map(({ id }) => id);
  return keys.length === 0 ? [] : [{ what: "users who cannot be found by login", keys }];
}

/** Series whose occurrences are not those that their rules give, as far as they are made. */
async function findOtherSlots(db: Transaction, signal: AbortSignal): Promise<readonly Problem[]> {
  const { openSlots, slotsOf } = await import("../series-rule.js");
  const [unreadable, incomplete, surplus]: [string[], string[], string[]] = [[], [], []];
  for (let last = ""; ; ) {
    await yieldToEventLoop(signal);
    const [series] = await db.all<SeriesRow>(
      `select ${SERIES} from series where id > ? order by id limit 1`,
      last,
    );
    if (series === undefined) break;
    last = series.id;
    const rows = await db.all<{ readonly id: string; readonly slot: number }>(
      "select id, slot from events where series_id = ? and recurrences <> ''",
      series.id,
    );
    const made = new Set(rows.map(({ slot }) => slot));
    try {
      if (!isTimeZone(series.start_timezone)) throw new Error("an unknown time zone");
      for (const slot of slotsOf(series)) {
        if (slot >= series.made_until) break;
        if (made.has(slot)) continue;
        incomplete.push(series.id);
        break;
      }
      const { has } = openSlots(series);
      surplus.push(...rows.filter(({ slot }) => !has(slot)).map(({ id }) => id));
    } catch {
      unreadable.push(series.id);
    }
  }
  const problems = [
    { what: "series with a rule that cannot be read", keys: unreadable },
    { what: "series without some of their occurrences", keys: incomplete },
    { what: "occurrences that the rule of their series does not give", keys: surplus },
  ];
  return problems.filter(({ keys }) => keys.length > 0);
}
