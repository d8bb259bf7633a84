import { sql } from "kysely";
import { eventJson } from "../resources.js";
import { LABEL_PALETTE } from "./calendars.js";
import { type EventWithAttendees, sizeOfEvent } from "./events.js";
import type { EventRow } from "./schema.js";
import type { LongWorkOptions, Store, Transaction } from "./store.js";
import { countRows, TABLES, type Table, type TableName } from "./tables.js";
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

/** Something that is wrong, and the rows in which it is. */
interface Problem {
  readonly what: string;
  /** Their keys, perhaps not all. */
  readonly keys: readonly string[];
}

/**
 * Verifies what the service relies on: the file, references between rows, positions, and what is stored of events. Reads one
 * snapshot and changes nothing, so the service may be running.
 * @throws DatabaseUnavailableError, the signal's reason
 */
export async function checkStore(store: Store, options: LongWorkOptions): Promise<readonly Finding[]> {
  const damage = await store.verifyFile?.();
  const file = damage && describe("file", { problems: damage.map(asProblem), fine: "is intact" });
  // What else is read from it may be anything.
  if (file?.ok === false) return [file];
  return store.read(async (db) => [
    ...(file === undefined ? [] : [file]),
    describe("contents", { problems: [], fine: await describeContents(db) }),
    describe("references", { problems: await checkReferences(db), fine: "lead to rows that are there" }),
    describe("order", { problems: await checkOrder(db), fine: "positions and ranks are complete" }),
    describe("revisions", { problems: await checkRevisions(db), fine: "are not ahead of their calendars" }),
    describe("users", { problems: await checkUsers(db), fine: "are found by their logins" }),
    describe("events", {
      problems: await checkEvents(db, options),
      fine: "have valid times, and are as they are stored for answers",
    }),
  ]);
}

const asProblem = (what: string): Problem => ({ what, keys: [] });

const EXAMPLES = 3;

function describe(
  check: string,
  { problems, fine }: { readonly problems: readonly Problem[]; readonly fine: string },
): Finding {
  const found = problems.map(({ what, keys }) => {
    const more = keys.length > EXAMPLES ? ", …" : "";
    return keys.length === 0 ? what : `${what}: ${keys.slice(0, EXAMPLES).join(", ")}${more}`;
  });
  const ok = found.length === 0;
  return { check, ok, detail: ok ? fine : found.join("; "), hint: null };
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

async function checkReferences(db: Transaction): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const table of TABLES) problems.push(...(await findOrphans(db, table)));
  const { rows } = await sql<{ readonly value: string }>`
    select value from settings
    where name = 'local_user_id' and not exists (select 1 from users where id = value)`.execute(db);
  if (rows.length > 0) problems.push({ what: "the user of the profile local is missing", keys: [] });
  return problems;
}

/** Rows of a table that name rows of others which do not exist. */
async function findOrphans(db: Transaction, { name, key, references }: Table): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const reference of references) {
    const isSet = reference.columns.map((column) => sql`${child(column)} is not null`);
    const isSame = reference.columns.map(
      (column, index) => sql`${sql.ref(`parent.${reference.key[index]}`)} = ${child(column)}`,
    );
    const { rows } = await sql<Readonly<Record<string, unknown>>>`
      select ${sql.join(key.map(child))} from ${sql.table(name)} as child
      where ${sql.join(isSet, sql` and `)} and not exists (
        select 1 from ${sql.table(reference.table)} as parent where ${sql.join(isSame, sql` and `)})
      limit ${sql.lit(EXAMPLES + 1)}`.execute(db);
    if (rows.length > 0)
      problems.push({
        what: `${name} without their row in ${reference.table}`,
        keys: rows.map((row) => Object.values(row).join(" ")),
      });
  }
  return problems;
}

const child = (column: string) => sql.ref(`child.${column}`);

/** Where rows of a group have numbers without gaps, and the first of them. */
const NUMBERED = [
  {
    table: "members",
    group: "user_id",
    column: "position",
    first: 0,
    what: "users whose calendars have gaps",
  },
  {
    table: "attendees",
    group: "event_id",
    column: "position",
    first: 0,
    what: "events whose attendees have gaps",
  },
  {
    table: "redirect_uris",
    group: "client",
    column: "position",
    first: 0,
    what: "clients whose URIs have gaps",
  },
  {
    table: "labels",
    group: "calendar_id",
    column: "number",
    first: 1,
    what: "calendars whose labels have gaps",
  },
] as const;

async function checkOrder(db: Transaction): Promise<Problem[]> {
  const problems: Problem[] = [];
  const find = async (what: string, query: ReturnType<typeof sql<{ readonly id: string }>>) => {
    const { rows } = await query.execute(db);
    if (rows.length > 0) problems.push({ what, keys: rows.map(({ id }) => id) });
  };
  for (const { table, group, column, first, what } of NUMBERED) {
    const number = sql.ref(column);
    await find(
      what,
      sql`select ${sql.ref(group)} as id from ${sql.table(table)} group by ${sql.ref(group)}
        having min(${number}) <> ${sql.lit(first)} or max(${number}) - min(${number}) + 1 <> count(*)
          or count(distinct ${number}) <> count(*)
        order by 1 limit ${sql.lit(EXAMPLES + 1)}`,
    );
  }
  await find(
    "calendars with members of the same rank",
    sql`select calendar_id as id from members group by calendar_id
      having count(distinct rank) <> count(*) order by 1 limit ${sql.lit(EXAMPLES + 1)}`,
  );
  await find(
    "calendars without members",
    sql`select id from calendars
      where not exists (select 1 from members where calendar_id = calendars.id)
      order by 1 limit ${sql.lit(EXAMPLES + 1)}`,
  );
  await find(
    `calendars without their ${LABEL_PALETTE.length} labels`,
    sql`select id from calendars
      where (select count(*) from labels where calendar_id = calendars.id) <> ${sql.lit(LABEL_PALETTE.length)}
      order by 1 limit ${sql.lit(EXAMPLES + 1)}`,
  );
  return problems;
}

async function checkRevisions(db: Transaction): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const table of ["events", "deleted_events"] as const) {
    const { rows } = await sql<{ readonly id: string }>`
      select distinct calendars.id from ${sql.table(table)} as child
      inner join calendars on calendars.id = child.calendar_id
      where child.revision > calendars.revision
      order by 1 limit ${sql.lit(EXAMPLES + 1)}`.execute(db);
    const keys = rows.map(({ id }) => id);
    if (keys.length > 0) problems.push({ what: `calendars that are older than their ${table}`, keys });
  }
  return problems;
}

async function checkUsers(db: Transaction): Promise<Problem[]> {
  const users = await db.selectFrom("users").select(["id", "login", "login_key"]).orderBy("id").execute();
  const keys = users.filter(({ login, login_key }) => loginKey(login) !== login_key).map(({ id }) => id);
  return keys.length === 0 ? [] : [{ what: "users whose logins are not found", keys }];
}

/** Events that are read at a time: the largest take about 40 MiB. */
const BATCH = 500;

async function checkEvents(
  db: Transaction,
  { onProgress, signal }: LongWorkOptions,
): Promise<readonly Problem[]> {
  const total = await countRows(db, "events");
  const found = new Map<string, string[]>();
  let done = 0;
  for (let last = ""; ; ) {
    signal.throwIfAborted();
    onProgress({ what: "checking events", done, total });
    const rows = await db
      .selectFrom("events")
      .selectAll()
      .where("id", ">", last)
      .orderBy("id")
      .limit(BATCH)
      .execute();
    const next = rows.at(-1)?.id;
    if (next === undefined) return [...found].map(([what, keys]) => ({ what, keys }));
    for (const { row, attendeeIds } of await withAttendees(db, rows)) {
      for (const what of problemsOf(row, attendeeIds)) {
        found.set(what, [...(found.get(what) ?? []).slice(0, EXAMPLES), row.id]);
      }
    }
    done += rows.length;
    last = next;
  }
}

async function withAttendees(db: Transaction, rows: readonly EventRow[]) {
  const attendees = new Map<string, string[]>(rows.map(({ id }) => [id, []]));
  const found = await db
    .selectFrom("attendees")
    .selectAll()
    .where("event_id", "in", [...attendees.keys()])
    .orderBy("position")
    .execute();
  for (const { event_id, user_id } of found) attendees.get(event_id)?.push(user_id);
  return rows.map((row) => ({ row, attendeeIds: attendees.get(row.id) ?? [] }));
}

function problemsOf(row: EventRow, attendeeIds: EventWithAttendees["attendeeIds"]): string[] {
  const { start_at: start, end_at: end, category } = row;
  const isTimed = start !== null && end !== null;
  const hasZones = row.start_timezone !== null && row.end_timezone !== null;
  return [
    ...((start === null) === (end === null) && isTimed === hasZones
      ? []
      : ["events with a part of their times"]),
    ...(category === "schedule" && !isTimed ? ["scheduled events without times"] : []),
    ...(isTimed && end < start ? ["events that end before they start"] : []),
    ...(row.bytes < sizeOfEvent({ row, attendeeIds })
      ? ["events that are larger than their stored size"]
      : []),
    ...(row.json === eventJson(row, attendeeIds)
      ? []
      : ["events that are not as they are stored for answers"]),
  ];
}
