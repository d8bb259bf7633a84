import { sql } from "kysely";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { LABEL_PALETTE } from "./calendars.js";
import type { LongWorkOptions, Transaction } from "./store.js";
import { TABLES, type Table } from "./tables.js";
import { loginKey } from "./users.js";

/** Something that is wrong, and the rows in which it is. */
export interface Problem {
  readonly what: string;
  /** Their keys, perhaps not all. */
  readonly keys: readonly string[];
}

/** Keys of a problem that are shown. */
export const EXAMPLES = 3;

/** All problems as one line. */
export function describeProblems(problems: readonly Problem[]): string {
  const texts = problems.map(({ what, keys }) => {
    const more = keys.length > EXAMPLES ? ", …" : "";
    return keys.length === 0 ? what : `${what}: ${keys.slice(0, EXAMPLES).join(", ")}${more}`;
  });
  return texts.join("; ");
}

/** The key of a row as text, whatever it is. */
export function keyText(key: readonly string[]) {
  return sql.join(
    key.map((column) => sql`cast(${sql.ref(column)} as text)`),
    sql` || ' ' || `,
  );
}

/** Rows that name others which do not exist. */
export async function checkReferences(
  db: Transaction,
  { signal }: Pick<LongWorkOptions, "signal">,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const table of TABLES) {
    await yieldToEventLoop(signal);
    problems.push(...(await findOrphans(db, table)));
  }
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

/** Numbers within a group, and what every calendar has. */
export async function checkOrder(db: Transaction): Promise<Problem[]> {
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

/** Revisions that their calendar has not reached, and deletions of what is there. */
export async function checkRevisions(db: Transaction): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const table of ["events", "deleted_events"] as const) {
    const { rows } = await sql<{ readonly id: string }>`
      select distinct calendars.id from ${sql.table(table)} as child
      inner join calendars on calendars.id = child.calendar_id
      where child.revision > calendars.revision
      order by 1 limit ${sql.lit(EXAMPLES + 1)}`.execute(db);
    const keys = rows.map(({ id }) => id);
    if (keys.length > 0)
      problems.push({ what: `calendars whose revision is behind that of their ${table}`, keys });
  }
  const ahead = await db
    .selectFrom("calendars")
    .select("id")
    .where(({ or, eb, ref }) =>
      or([eb("details_revision", ">", ref("revision")), eb("changes_from", ">", ref("revision"))]),
    )
    .orderBy("id")
    .limit(EXAMPLES + 1)
    .execute();
  if (ahead.length > 0)
    problems.push({
      what: "calendars whose revision is behind that of their details or changes",
      keys: ahead.map(({ id }) => id),
    });
  const undead = await db
    .selectFrom("deleted_events")
    .innerJoin("events", "events.id", "event_id")
    .select("events.id")
    .distinct()
    .orderBy("events.id")
    .limit(EXAMPLES + 1)
    .execute();
  if (undead.length > 0)
    problems.push({ what: "deleted events that exist", keys: undead.map(({ id }) => id) });
  return problems;
}

/** Logins in the form that is compared. */
export async function checkUsers(db: Transaction): Promise<Problem[]> {
  const users = await db.selectFrom("users").select(["id", "login", "login_key"]).orderBy("id").execute();
  const keys = users.filter(({ login, login_key }) => loginKey(login) !== login_key).map(({ id }) => id);
  return keys.length === 0 ? [] : [{ what: "users who cannot be found by login", keys }];
}
