import { SCHEMA_VERSION } from "./schema.js";
import { type Engine, otherVersionError, type Store, type Transaction } from "./store.js";

interface Migration {
  /** Statements, which end in a semicolon. Where PostgreSQL runs them, text compares by bytes, as in SQLite. */
  readonly statements: string;
  /** The only engine that needs it; both by default. */
  readonly engine?: Engine;
}

/** The migrations in order. A released migration never changes; a new one is appended. */
export const MIGRATIONS: readonly Migration[] = [
  // Users, calendars and their contents; tokens and clients; rate windows.
  {
    statements: `
      create table users (
        id text primary key, name text not null, login text not null, login_key text not null unique,
        password_hash text, description text not null, image_url text not null, disabled integer not null,
        created_at bigint not null);
      create table calendars (
        id text primary key, name text not null, description text not null, color text not null,
        image_url text not null, created_at bigint not null);
      create table members (
        calendar_id text not null references calendars (id), user_id text not null references users (id),
        position integer not null, rank integer not null,
        constraint members_key primary key (calendar_id, user_id));
      create index members_by_user on members (user_id, position);
      create table labels (
        calendar_id text not null references calendars (id), number integer not null, name text not null,
        color text not null, constraint labels_key primary key (calendar_id, number));
      create table events (
        id text primary key, calendar_id text not null references calendars (id), category text not null,
        title text not null, all_day integer not null, start_at bigint, start_timezone text, end_at bigint,
        end_timezone text, description text not null, location text not null, url text not null,
        label_number integer not null, creator_id text not null references users (id),
        created_at bigint not null, updated_at bigint not null,
        constraint events_label foreign key (calendar_id, label_number) references labels (calendar_id, number));
      create index events_by_time on events (calendar_id, end_at, start_at);
      create table attendees (
        event_id text not null references events (id) on delete cascade,
        user_id text not null references users (id), position integer not null,
        constraint attendees_key primary key (event_id, user_id));
      create table activities (
        id text primary key, event_id text not null references events (id) on delete cascade,
        user_id text not null references users (id), content text not null, created_at bigint not null,
        updated_at bigint not null);
      create index activities_by_event on activities (event_id);
      create table tokens (
        id text primary key, user_id text not null references users (id), hash text not null unique,
        read_only integer not null, created_at bigint not null);
      create table clients (
        id text primary key, name text not null, client_id text not null unique, secret_hash text not null,
        created_at bigint not null);
      create table redirect_uris (
        client text not null references clients (id) on delete cascade, position integer not null,
        uri text not null, constraint redirect_uris_key primary key (client, position));
      create table rate_windows (key text primary key, window_start bigint not null, requests bigint not null);
      create index rate_windows_by_start on rate_windows (window_start);
      create table settings (name text primary key, value text not null);`,
  },
  // Browser sessions, sign-in attempts and authorization codes; the client that a token was issued to. The token of a code
  // is no reference: it may be revoked before the code is used again.
  {
    statements: `
      create table sessions (
        hash text primary key, user_id text not null references users (id), expires_at bigint not null);
      create index sessions_by_expiry on sessions (expires_at);
      create table sign_in_attempts (
        key text primary key, window_start bigint not null, attempts bigint not null);
      create index sign_in_attempts_by_start on sign_in_attempts (window_start);
      create table authorization_codes (
        hash text primary key, client text not null references clients (id) on delete cascade,
        user_id text not null references users (id), redirect_uri text not null, code_challenge text,
        code_challenge_method text, expires_at bigint not null, used integer not null, token_id text);
      create index authorization_codes_by_expiry on authorization_codes (expires_at);
      alter table tokens add column client text references clients (id) on delete cascade;
      create index tokens_by_client on tokens (client);`,
  },
  // The size of events, and an index that finds those of some days whatever else the calendar has. The one before found all
  // that end after a time.
  {
    statements: `
      alter table events add column bytes integer default 0 not null;
      update events set bytes = 1000
        + octet_length(title) + octet_length(description) + octet_length(location) + octet_length(url)
        + 100 * (select count(*) from attendees where event_id = events.id);
      create index events_by_length on events (calendar_id, (case
        when end_at - start_at <= 86400000 then 0
        when end_at - start_at <= 691200000 then 1
        when end_at - start_at <= 5529600000 then 2
        when end_at - start_at <= 44236800000 then 3
        when end_at - start_at <= 353894400000 then 4
        when end_at - start_at <= 2831155200000 then 5
        when end_at - start_at <= 22649241600000 then 6
        else 7 end), start_at, end_at, bytes, creator_id);
      drop index events_by_time;`,
  },
  // The order of lists that are read in pages, and moves of events by the clock, which are no longer used.
  {
    statements: `
      alter table events add column moved_at bigint default 0 not null;
      alter table events add column moved_from bigint;
      create index events_by_start on events (calendar_id, start_at, id);
      create index activities_by_time on activities (event_id, created_at, id);
      drop index activities_by_event;`,
  },
  // Sizes that did not count the escapes of JSON. No database on PostgreSQL is as old.
  {
    engine: "sqlite",
    statements: `
      update events set bytes = 1000
        + octet_length(json_array(title, description, location, url))
        + 100 * (select count(*) from attendees where event_id = events.id);`,
  },
  // Revisions of calendars, what was deleted, and events as they are in responses, which are no longer stored.
  {
    statements: `
      alter table calendars add column revision bigint default 1 not null;
      alter table calendars add column details_revision bigint default 1 not null;
      alter table calendars add column changes_from bigint default 1 not null;
      alter table events add column revision bigint default 1 not null;
      alter table events add column json text default '' not null;
      create table deleted_events (
        calendar_id text not null references calendars (id), revision bigint not null, event_id text not null,
        deleted_at bigint not null, constraint deleted_events_key primary key (calendar_id, revision));
      create index events_by_revision on events (calendar_id, revision);`,
  },
  // By which a PostgreSQL server is asked whether a write was committed.
  {
    engine: "postgres",
    statements: `
      create table calctl_writes (id uuid primary key, written_at timestamptz default (now()) not null);
      create index calctl_writes_by_time on calctl_writes (written_at);`,
  },
  // Moves of events by revision.
  { statements: "alter table events add column moves text default '' not null;" },
  // Keys of creates. They go with their calendar, also where a process of the version before removes it.
  {
    statements: `
      create table idempotency_keys (
        calendar_id text not null references calendars (id) on delete cascade,
        user_id text not null references users (id), key text not null, request_hash text not null,
        resource_id text not null, created_at bigint not null,
        constraint idempotency_keys_key primary key (calendar_id, user_id, key));
      create index idempotency_keys_by_time on idempotency_keys (calendar_id, created_at);`,
  },
  // Feeds. Their calendars are no references: a feed outlives some of them.
  {
    statements: `
      create table feeds (
        id text primary key, user_id text not null references users (id), name text not null, calendars text not null,
        busy_only integer not null, timezone text not null, hash text not null unique, created_at bigint not null,
        last_used_at bigint, removed_at bigint);
      create index feeds_by_user on feeds (user_id, created_at);`,
  },
  // Series. An occurrence that an earlier program wrote would not be what its series says.
  {
    statements: `
      create table series (
        id text primary key, calendar_id text not null references calendars (id), category text not null,
        title text not null, all_day integer not null, start_clock bigint not null, length bigint not null,
        start_timezone text not null, end_timezone text not null, description text not null, location text not null,
        url text not null, label_number integer not null, creator_id text not null references users (id),
        created_at bigint not null, updated_at bigint not null, recurrences text not null, attendees text not null,
        made_until bigint not null,
        constraint series_label foreign key (calendar_id, label_number) references labels (calendar_id, number));
      create index series_by_end on series (calendar_id, made_until);
      alter table events add column series_id text references series (id);
      alter table events add column slot bigint;
      alter table events add column recurrences text default '' not null;
      create index events_by_series on events (series_id, slot) where series_id is not null;`,
  },
  // What exists again was not deleted: such deletions are found by the event.
  { statements: "create index deleted_events_by_event on deleted_events (event_id);" },
  // Programs that subscribe to a series take it again only if it was modified, also by an exception.
  {
    statements: `
      alter table series add column modified_at bigint default 0 not null;
      update series set modified_at = updated_at;`,
  },
  // Feeds ask for the occurrences of a series that were changed on their own.
  {
    statements:
      "create index events_changed_alone on events (series_id) where series_id is not null and recurrences = '';",
  },
  // Requests are counted in memory, and a write whose commit got no answer is not looked up. SQLite never had the table of writes.
  // Responses are made of rows: what was stored of them goes, and moves by the clock.
  {
    statements: `
      drop table rate_windows;
      drop table if exists calctl_writes;
      drop index events_by_length;
      create index events_by_length on events (calendar_id, (case
        when end_at - start_at <= 86400000 then 0
        when end_at - start_at <= 691200000 then 1
        when end_at - start_at <= 5529600000 then 2
        when end_at - start_at <= 44236800000 then 3
        when end_at - start_at <= 353894400000 then 4
        when end_at - start_at <= 2831155200000 then 5
        when end_at - start_at <= 22649241600000 then 6
        else 7 end), start_at, end_at);
      alter table events drop column json;
      alter table events drop column bytes;
      alter table events drop column moved_at;
      alter table events drop column moved_from;`,
  },
];

/** The statements that bring a database of a version to the newest one. */
export function statementsAfter(version: number, engine: Engine): string[] {
  return MIGRATIONS.slice(version)
    .filter((migration) => migration.engine === undefined || migration.engine === engine)
    .flatMap(({ statements }) => statements.split(";").slice(0, -1));
}

/** Every table of the newest version. */
export function createdTables(engine: Engine): string[] {
  const statements = statementsAfter(0, engine);
  const tablesOf = (verb: "create" | "drop") =>
    statements.flatMap(
      (statement) => new RegExp(`^\\s*${verb} table (?:if exists )?(\\w+)`).exec(statement)?.[1] ?? [],
    );
  const dropped = tablesOf("drop");
  return tablesOf("create").filter((table) => !dropped.includes(table));
}

/** The schema version of a database: the number of migrations that it has run. */
export interface SchemaVersion {
  readonly engine: Engine;
  /** 0 for an empty database. @throws CliError configuration when the database belongs to another program */
  read(db: Transaction): Promise<number>;
  write(db: Transaction, version: number): Promise<void>;
}

/**
 * Runs the migrations that a database lacks, in one transaction: another process may be migrating the same database.
 * Resolves with the version that it had.
 * @param options.database the database as messages name it
 * @throws CliError configuration when a newer version of this program has migrated the database
 */
export function migrate(
  { write }: Pick<Store, "write">,
  { database, version }: { readonly database: string; readonly version: SchemaVersion },
): Promise<number> {
  return write(async (db) => {
    const found = await version.read(db);
    if (found > SCHEMA_VERSION) throw otherVersionError(database, found);
    if (found === SCHEMA_VERSION) return found;
    for (const statement of statementsAfter(found, version.engine)) {
      const inByteOrder = statement.replace(/\btext\b/g, 'text collate "C"');
      await db.run(version.engine === "postgres" ? inByteOrder : statement);
    }
    await version.write(db, SCHEMA_VERSION);
    return found;
  });
}
