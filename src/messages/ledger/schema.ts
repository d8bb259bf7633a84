/**
 * The statements of each version, in order. A released one never changes; a new one is appended.
 *
 * `owner` is an `Owner` as JSON, times are milliseconds since the Unix epoch.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // `seen_name` and `seen` are remembered once the message was sent.
    `create table sends (
      key text not null primary key,
      state text not null,
      owner text not null,
      began_at integer not null,
      forget_at integer not null,
      seen_name text,
      seen blob
    )`,
    "create index sends_by_forget_at on sends (forget_at)",
    // Names that a process is working under.
    `create table holders (
      name text not null primary key,
      owner text not null
    )`,
    // What the last run under a name has seen.
    `create table seen (
      name text not null primary key,
      content blob not null,
      revision integer not null,
      remembered_at integer not null
    )`,
  ],
  [
    // What `calctl sent` lists: keys with the same `message_id` were sent as one message. `message` was dropped later.
    "alter table sends add column message_id text",
    "alter table sends add column command text not null default 'post'",
    "alter table sends add column target text",
    "alter table sends add column what text",
    "alter table sends add column message blob",
    "create index sends_by_message_id on sends (message_id)",
    "update sends set message_id = lower(hex(randomblob(6)))",
    "update sends set command = 'remind' where key like 'reminder %'",
  ],
  [
    // Dropped later.
    "alter table sends add column posted_id text",
    "alter table sends add column drawn text",
  ],
  [
    // Dropped later.
    `create table keyed_writes (
      id text not null primary key,
      content text not null,
      result text,
      began_at integer not null
    )`,
    "create index keyed_writes_by_began_at on keyed_writes (began_at)",
  ],
  ["alter table sends drop column posted_id", "alter table sends drop column drawn"],
  ["alter table sends drop column message", "drop index sends_by_message_id"],
  ["update sends set state = 'failed' where state = 'refused'"],
  ["drop table keyed_writes"],
];
