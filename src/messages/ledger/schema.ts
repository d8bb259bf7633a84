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
];
