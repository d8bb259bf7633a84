import { type SelectQueryBuilder, sql } from "kysely";
import { compileOnce, type Placeholders } from "./compiled-query.js";
import type { CalendarRow, Flag, StoreSchema, TokenRow, UserRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** Who asks: whoever has the token with this hash, or a user of this process. */
export type Credential = Pick<TokenRow, "hash"> | { readonly userId: string };

/** Who asks, and the state of what is asked for, both at one moment. */
export interface Access {
  readonly user: Pick<UserRow, "id" | "name" | "description" | "image_url">;
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
  const isToken = "hash" in credential;
  const key = isToken ? credential.hash : credential.userId;
  const [row] = await (isToken ? selectForToken : selectForUser)(db, { key, calendarId });
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

interface AccessQuery {
  /** Hash of the token, or id of the user. */
  readonly key: string;
  readonly calendarId: Access["calendarId"];
}

const selectForToken = compileOnce((db, { key, calendarId }: Placeholders<AccessQuery>) => {
  const caller = db.selectFrom("tokens").select(["id", "user_id", "read_only"]).where("hash", "=", key);
  return accessOf(db, caller, calendarId);
});

const selectForUser = compileOnce((db, { key, calendarId }: Placeholders<AccessQuery>) => {
  const none = [sql<string | null>`cast(null as text)`.as("id"), sql<Flag>`0`.as("read_only")] as const;
  const caller = db.selectFrom("users").select("id as user_id").select(none).where("id", "=", key);
  return accessOf(db, caller, calendarId);
});

type CallerQuery = SelectQueryBuilder<StoreSchema, never, CallerRow>;

interface CallerRow extends Pick<TokenRow, "user_id" | "read_only"> {
  readonly id: string | null;
}

function accessOf(db: Transaction, caller: CallerQuery, calendarId: Placeholders<AccessQuery>["calendarId"]) {
  return (
    db
      .selectFrom(caller.as("caller"))
      .innerJoin("users", "users.id", "caller.user_id")
      .leftJoin("calendars", (join) => join.on("calendars.id", "=", calendarId))
      .leftJoin("members", (join) =>
        join.onRef("members.calendar_id", "=", "calendars.id").onRef("members.user_id", "=", "users.id"),
      )
      .where("users.disabled", "=", 0)
      .select(["caller.id as token_id", "caller.user_id", "caller.read_only"])
      .select(["users.name", "users.description", "users.image_url"])
      .select(["calendars.id as calendar_id", "revision", "details_revision", "changes_from", "position"])
      // Null without a calendar, which its id tells.
      .$narrowType<Pick<CalendarRow, "revision" | "details_revision" | "changes_from">>()
      .select(
        sql<string | null>`case when ${calendarId} = '' then ${revisionsOfCalendars(db)} end`.as("calendars"),
      )
  );
}

/** Ids, revisions and positions of the calendars of `users.id`. */
function revisionsOfCalendars(db: Transaction) {
  const { ref } = db.dynamic;
  return db
    .selectFrom("members")
    .innerJoin("calendars", "calendars.id", "members.calendar_id")
    .whereRef("members.user_id", "=", ref("users.id"))
    .select(
      sql<string>`string_agg(calendars.id || ' ' || revision || ' ' || position, ',' order by position)`.as(
        "revisions",
      ),
    );
}
