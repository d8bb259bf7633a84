import { type RawBuilder, sql } from "kysely";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { eventJson } from "../resources.js";
import { LABEL_PALETTE } from "./calendars.js";
import { sizeOfEvent } from "./events.js";
import type { LongWorkOptions, Transaction } from "./store.js";
import { readStoredEvents, type StoredEvent } from "./stored-events.js";
import { countRows, type Table } from "./tables.js";
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

/** Adds the key of one more row to a problem. */
export function addKey(problems: Map<string, string[]>, what: string, key: string): void {
  problems.set(what, [...(problems.get(what) ?? []).slice(0, EXAMPLES), key]);
}

/** The key of a row as text, whatever it is. */
export function keyText(key: readonly string[]) {
  return sql.join(
    key.map((column) => sql`cast(${sql.ref(column)} as text)`),
    sql` || ' ' || `,
  );
}

/** A query of the rows in which something is wrong: of their keys as `id`, null where the problem needs none. */
export interface Rule {
  readonly what: string;
  readonly query: RawBuilder<unknown>;
}

/** The problems of rules by which rows were found. @throws the signal's reason */
export async function findProblems(
  db: Transaction,
  rules: readonly Rule[],
  signal?: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { what, query } of rules) {
    await yieldToEventLoop(signal);
    const { rows } = await sql<{ readonly id: string | null }>`
      ${query} order by 1 limit ${sql.lit(EXAMPLES + 1)}`.execute(db);
    if (rows.length > 0) problems.push({ what, keys: rows.flatMap(({ id }) => id ?? []) });
  }
  return problems;
}

/** Rows that name others which do not exist. */
export function referenceRules(tables: readonly Table[]): Rule[] {
  const rules = tables.flatMap(({ name, key, references }) =>
    references.map(({ columns, table, key: parentKey }) => {
      const isSet = columns.map((column) => sql`${child(column)} is not null`);
      const isSame = columns.map(
        (column, index) => sql`${sql.ref(`parent.${parentKey[index]}`)} = ${child(column)}`,
      );
      return {
        what: `${name} without their row in ${table}`,
        query: sql`select ${keyText(key.map((column) => `child.${column}`))} as id from ${sql.table(name)} as child
          where ${sql.join(isSet, sql` and `)} and not exists (
            select 1 from ${sql.table(table)} as parent where ${sql.join(isSame, sql` and `)})`,
      };
    }),
  );
  return [...rules, MISSING_LOCAL_USER];
}

const child = (column: string) => sql.ref(`child.${column}`);

const MISSING_LOCAL_USER: Rule = {
  what: "the user of the profile local is missing",
  query: sql`select cast(null as text) as id from settings
    where name = 'local_user_id' and not exists (select 1 from users where id = value)`,
};

/** Numbers of rows of a group, from the first one on without gaps. */
const NUMBERS = [
  ["users whose calendars have gaps", "members", "user_id", "position", 0],
  ["events whose attendees have gaps", "attendees", "event_id", "position", 0],
  ["clients whose URIs have gaps", "redirect_uris", "client", "position", 0],
  ["calendars whose labels have gaps", "labels", "calendar_id", "number", 1],
] as const;

/** Numbers within a group, and what every calendar has. */
export const ORDER_RULES: readonly Rule[] = [
  ...NUMBERS.map(([what, table, group, number, first]) => ({
    what,
    query: sql`select ${sql.ref(group)} as id from ${sql.table(table)} group by ${sql.ref(group)}
      having min(${sql.ref(number)}) <> ${sql.lit(first)} or count(distinct ${sql.ref(number)}) <> count(*)
        or max(${sql.ref(number)}) - min(${sql.ref(number)}) + 1 <> count(*)`,
  })),
  {
    what: "calendars with members of the same rank",
    query: sql`select calendar_id as id from members group by calendar_id having count(distinct rank) <> count(*)`,
  },
  {
    what: "calendars without members",
    query: sql`select id from calendars
      where not exists (select 1 from members where calendar_id = calendars.id)`,
  },
  {
    what: `calendars without their ${LABEL_PALETTE.length} labels`,
    query: sql`select id from calendars
      where (select count(*) from labels where calendar_id = calendars.id) <> ${sql.lit(LABEL_PALETTE.length)}`,
  },
];

/** Revisions that their calendar has not reached, and deletions of what is there. */
export const REVISION_RULES: readonly Rule[] = [
  ...["events", "deleted_events"].map((table) => ({
    what: `calendars whose revision is behind that of their ${table}`,
    query: sql`select distinct calendars.id from ${sql.table(table)} as child
      inner join calendars on calendars.id = child.calendar_id where child.revision > calendars.revision`,
  })),
  {
    what: "calendars whose revision is behind that of their details or changes",
    query: sql`select id from calendars where details_revision > revision or changes_from > revision`,
  },
  {
    what: "deleted events that exist",
    query: sql`select distinct events.id from deleted_events inner join events on events.id = event_id`,
  },
];

/** Logins in the form that is compared. */
export async function checkUsers(db: Transaction): Promise<Problem[]> {
  const users = await db.selectFrom("users").select(["id", "login", "login_key"]).orderBy("id").execute();
  const keys = users.filter(({ login, login_key }) => loginKey(login) !== login_key).map(({ id }) => id);
  return keys.length === 0 ? [] : [{ what: "users who cannot be found by login", keys }];
}

/** What is wrong with single events: their times, their size, and whether their stored JSON matches their columns. */
export async function checkEvents(
  db: Transaction,
  { onProgress, signal }: LongWorkOptions,
): Promise<readonly Problem[]> {
  const total = await countRows(db, "events");
  const problems = new Map<string, string[]>();
  let done = 0;
  const report = () => onProgress({ what: "checking events", done, total });
  report();
  for await (const events of readStoredEvents(db)) {
    await yieldToEventLoop(signal);
    for (const event of events) for (const what of problemsOf(event)) addKey(problems, what, event.row.id);
    done += events.length;
    report();
  }
  return [...problems].map(([what, keys]) => ({ what, keys }));
}

/** JavaScript has no time beyond that (ms since the epoch). */
export const LAST_TIME = 8.64e15;

function problemsOf({ row, attendeeIds }: StoredEvent): string[] {
  const { start_at: start, end_at: end, category } = row;
  const times = [start, end, row.created_at, row.updated_at].filter((time) => time !== null);
  if (!times.every((time) => Number.isInteger(time) && Math.abs(time) <= LAST_TIME))
    return ["events with invalid times"];
  const isTimed = start !== null && end !== null;
  const hasZones = row.start_timezone !== null && row.end_timezone !== null;
  const found: readonly (readonly [isWrong: boolean, what: string])[] = [
    [(start === null) !== (end === null) || isTimed !== hasZones, "events with only some of their times"],
    [category === "schedule" && !isTimed, "scheduled events without times"],
    [isTimed && end < start, "events that end before they start"],
    [row.bytes < sizeOfEvent({ row, attendeeIds }), "events that are larger than their stored size"],
    [row.json !== eventJson(row, attendeeIds), "events whose stored JSON differs from their columns"],
  ];
  return found.flatMap(([isWrong, what]) => (isWrong ? [what] : []));
}
