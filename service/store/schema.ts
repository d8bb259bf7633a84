/**
 * The rows of every table. Times are milliseconds since the epoch, flags are 0 or 1 and ids are text, which SQLite and
 * PostgreSQL both support. Text that is not set is "".
 */

/** Number of the newest migration. */
export const SCHEMA_VERSION = 15;

/**
 * The oldest version whose programs may go on after the newest migration, when several nodes share a database. It stays
 * only if what those programs write is complete for this one.
 */
export const COMPATIBLE_SINCE = 15;

type Flag = 0 | 1;

export interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly login: string;
  /** The login in the form that is compared: logins that differ only in case are equal. */
  readonly login_key: string;
  /** Null: the user has no password and cannot sign in. */
  readonly password_hash: string | null;
  readonly description: string;
  readonly image_url: string;
  readonly disabled: Flag;
  readonly created_at: number;
}

export interface CalendarRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly color: string;
  readonly image_url: string;
  readonly created_at: number;
  /** From 1. Grows with every write that changes what the calendar shows; only its `order` is apart, which is a user's. */
  readonly revision: number;
  /** Of the last write to the calendar itself, its labels or its members. */
  readonly details_revision: number;
  /** Whoever knows the calendar as of this revision or a later one can be told what changed since. */
  readonly changes_from: number;
}

interface MemberRow {
  readonly calendar_id: string;
  readonly user_id: string;
  /** Position of the calendar in the user's list, from 0. */
  readonly position: number;
  /** Position in the calendar's list of members: increases with every member who joins. */
  readonly rank: number;
}

export interface LabelRow {
  readonly calendar_id: string;
  readonly number: number;
  readonly name: string;
  readonly color: string;
}

export interface EventRow {
  readonly id: string;
  readonly calendar_id: string;
  readonly category: "schedule" | "keep";
  readonly title: string;
  readonly all_day: Flag;
  /** All-day events have the midnights UTC of their dates. Null in a keep without times, like the next three. */
  readonly start_at: number | null;
  readonly start_timezone: string | null;
  readonly end_at: number | null;
  readonly end_timezone: string | null;
  readonly description: string;
  readonly location: string;
  readonly url: string;
  readonly label_number: number;
  readonly creator_id: string;
  readonly created_at: number;
  readonly updated_at: number;
  /** The series that it is an occurrence of; null for a single event. */
  readonly series_id: string | null;
  /** When it starts by the rule of its series (as `start_at`), which it may have been moved from; null for a single event. */
  readonly slot: number | null;
  /**
   * Lines of RFC 5545: those of its series but EXDATE, so that an exception changes no other occurrence. Empty for a single
   * event, and for an occurrence that was changed on its own.
   */
  readonly recurrences: string;
  /** Its moves, as `event-moves.ts` remembers them. */
  readonly moves: string;
  /** Of the calendar, when the event was written last; 0 for an occurrence that is no row, see `isStored`. */
  readonly revision: number;
}

/** An event as it is written: the other columns are computed. */
export type EventContent = Omit<EventRow, "moves" | "revision">;

/**
 * Events by a rule. Those up to `made_until` are rows of `events`, with an id that `occurrence.ts` makes. An
 * occurrence that was changed on its own is not changed with its series; the others are equal to it.
 */
export interface SeriesRow
  extends Omit<
    EventContent,
    "start_at" | "start_timezone" | "end_at" | "end_timezone" | "series_id" | "slot"
  > {
  /** What the clock in `start_timezone` shows where the rule begins (ms, as if it were UTC). */
  readonly start_clock: number;
  /** Of each occurrence (ms). */
  readonly length: number;
  readonly start_timezone: string;
  readonly end_timezone: string;
  /** Lines of RFC 5545 as `series-rule.ts` writes them: RRULE, RDATE and EXDATE. */
  readonly recurrences: string;
  /** Plain ids in order, separated by spaces. */
  readonly attendees: string;
  /** The last change of the series or of one of its exceptions; `updated_at`, that of all others too, knows no exceptions. */
  readonly modified_at: number;
  /** Every occurrence before it is a row (ms since the epoch); the greatest whole number when there are no others. */
  readonly made_until: number;
}

/** An event that was deleted not long ago. */
export interface DeletedEventRow {
  readonly calendar_id: string;
  /** Of the calendar, when it was deleted. */
  readonly revision: number;
  readonly event_id: string;
  readonly deleted_at: number;
}

export interface AttendeeRow {
  readonly event_id: string;
  readonly user_id: string;
  /** Position in the event's list, from 0. */
  readonly position: number;
}

export interface ActivityRow {
  readonly id: string;
  readonly event_id: string;
  readonly user_id: string;
  readonly content: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The key that came with a create, and what was made with it. */
export interface IdempotencyKeyRow {
  readonly calendar_id: string;
  readonly user_id: string;
  readonly key: string;
  /** SHA-256 of what the request asked for, hex. */
  readonly request_hash: string;
  /** Id of the event or the comment, which may be deleted since. */
  readonly resource_id: string;
  readonly created_at: number;
}

/** A feed: calendars at a secret address. */
export interface FeedRow {
  readonly id: string;
  /** Who made it, and whose access it has. */
  readonly user_id: string;
  readonly name: string;
  /** Ids of its calendars, separated by spaces; some may not exist any more. */
  readonly calendars: string;
  readonly busy_only: Flag;
  readonly timezone: string;
  /** SHA-256 of the secret, hex. */
  readonly hash: string;
  readonly created_at: number;
  /** The day of its last use, as midnight UTC; null if it was never used. */
  readonly last_used_at: number | null;
  /** Null while it is there. A removed one is remembered for a while, so that programs that ask for it stop. */
  readonly removed_at: number | null;
}

export interface TokenRow {
  readonly id: string;
  readonly user_id: string;
  /** SHA-256 of the token, hex. */
  readonly hash: string;
  readonly read_only: Flag;
  readonly created_at: number;
  /** `id` of the client that it was issued to; null for one that an operator created. */
  readonly client: string | null;
}

export interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  /** SHA-256 of the secret, hex. */
  readonly secret_hash: string;
  readonly created_at: number;
}

interface RedirectUriRow {
  /** `id` of the client. */
  readonly client: string;
  readonly position: number;
  readonly uri: string;
}

export interface AuthorizationCodeRow {
  /** SHA-256 of the code, hex. */
  readonly hash: string;
  /** `id` of the client. */
  readonly client: string;
  readonly user_id: string;
  readonly redirect_uri: string;
  /** Null: the client does not use PKCE. */
  readonly code_challenge: string | null;
  readonly code_challenge_method: "S256" | "plain" | null;
  readonly expires_at: number;
  readonly used: Flag;
  /** Id of the token that it was redeemed for. */
  readonly token_id: string | null;
}

/** A browser session of a user. Disabled users have none. */
interface SessionRow {
  /** SHA-256 of the cookie's secret, hex. */
  readonly hash: string;
  readonly user_id: string;
  readonly expires_at: number;
}

export interface SignInAttemptsRow {
  /** SHA-256 of what is counted, hex, of login and address both: users sometimes type their password as the login. */
  readonly key: string;
  /** Start of the window of the clock that is counted; for an address that is known at a login, its last sign-in. */
  readonly window_start: number;
  readonly attempts: number;
}

/** A single value. */
export interface SettingRow {
  /** `local_user_id`: the user of the profile `local`. `base_url`: where it was served last. */
  readonly name: "local_user_id" | "base_url";
  readonly value: string;
}

export interface StoreSchema {
  readonly users: UserRow;
  readonly calendars: CalendarRow;
  readonly members: MemberRow;
  readonly labels: LabelRow;
  readonly series: SeriesRow;
  readonly events: EventRow;
  readonly deleted_events: DeletedEventRow;
  readonly attendees: AttendeeRow;
  readonly activities: ActivityRow;
  readonly idempotency_keys: IdempotencyKeyRow;
  readonly feeds: FeedRow;
  readonly tokens: TokenRow;
  readonly clients: ClientRow;
  readonly redirect_uris: RedirectUriRow;
  readonly authorization_codes: AuthorizationCodeRow;
  readonly sessions: SessionRow;
  readonly sign_in_attempts: SignInAttemptsRow;
  readonly settings: SettingRow;
}
