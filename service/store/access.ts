import type { CalendarRow, TokenRow } from "./schema.js";
import type { Transaction } from "./store.js";
import type { ShownUser } from "./users.js";

/** Who asks: whoever has the token with this hash, or a user of this process. */
export type Credential = Pick<TokenRow, "hash"> | { readonly userId: string };

/** Who asks, and the state of what is asked for, both at one moment. */
export interface Access {
  readonly user: ShownUser;
  readonly credential: Credential;
  /** Null for a caller of this process, which has no token. */
  readonly tokenId: string | null;
  readonly readOnly: boolean;
  /** Of the path; empty for the list of the user's calendars, null for any other path. */
  readonly calendarId: string | null;
  /** Null if it does not exist. */
  readonly calendar: CalendarAccess | null;
  /** Changes with the user's list of calendars, and with each of them; null unless the path is that of the list. */
  readonly calendars: string | null;
}

/** A calendar, and its position in the user's list, from 0: null if the user is not a member. */
export type CalendarAccess = Pick<CalendarRow, "id" | "revision" | "details_revision" | "changes_from"> & {
  readonly position: number | null;
};

/**
 * Asks the one question of each read: may this caller, and which revision.
 * @param calendarId as in `Access`
 * @returns undefined if the token is not valid, or its user is disabled
 */
export async function findAccess(
  db: Transaction,
  credential: Credential,
  calendarId: Access["calendarId"],
): Promise<Access | undefined> {
  const [caller, key] = "hash" in credential ? [TOKEN, credential.hash] : [USER, credential.userId];
  const query = accessQuery(caller, calendarId === "" ? REVISIONS : "null");
  const [row] = await db.all<AccessRow>(query, key, calendarId);
  if (row === undefined) return undefined;
  const { name, description, image_url, calendar_id: id, revision, details_revision, changes_from } = row;
  return {
    user: { id: row.user_id, name, description, image_url },
    credential,
    tokenId: row.token_id,
    readOnly: row.read_only === 1,
    calendarId,
    calendar: id === null ? null : { id, revision, details_revision, changes_from, position: row.position },
    calendars: row.calendars,
  };
}

interface AccessRow
  extends Pick<TokenRow, "user_id" | "read_only">,
    Omit<ShownUser, "id">,
    // Null without a calendar, which its id tells.
    Pick<CalendarRow, "revision" | "details_revision" | "changes_from"> {
  readonly token_id: string | null;
  readonly calendar_id: string | null;
  readonly position: number | null;
  readonly calendars: string | null;
}

const TOKEN = "select id, user_id, read_only from tokens where hash = ?";
const USER = "select cast(null as text) as id, id as user_id, 0 as read_only from users where id = ?";

/**
 * Ids, revisions and positions of the calendars of `users.id`. Only in queries that need them: SQLite prepares the sorting of them
 * even under a condition that is false, which takes half as long as the rest.
 */
const REVISIONS = `(
  select string_agg(calendars.id || ' ' || revision || ' ' || position, ',' order by position)
  from members join calendars on calendars.id = members.calendar_id
  where members.user_id = users.id)`;

/** The query of `findAccess`; its values are the key of the caller and the id of the path. */
function accessQuery(caller: string, calendars: string): string {
  return `
    select caller.id as token_id, caller.user_id, caller.read_only,
      users.name, users.description, users.image_url,
      calendars.id as calendar_id, revision, details_revision, changes_from, position,
      ${calendars} as calendars
    from (${caller}) as caller
    join users on users.id = caller.user_id
    left join calendars on calendars.id = ?
    left join members on members.calendar_id = calendars.id and members.user_id = users.id
    where users.disabled = 0`;
}
