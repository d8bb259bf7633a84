/** The version of the tables, in `user_version` of the file. */
export const VERSION = 1;

/** The tables. Times are milliseconds since the Unix epoch; `owner` is an `Owner` as JSON. */
export const SCHEMA = `
-- A row for each key under which something was or is being sent. Rows with the same message_id were sent as one message. seen is
-- saved under seen_name and seen_reader once the message was sent.
create table sent (
  key text not null primary key,
  state text not null,
  owner text not null,
  began_at integer not null,
  forget_at integer not null,
  message_id text,
  command text not null,
  target text,
  what text,
  seen_name text,
  seen_reader text,
  seen blob
) strict;
create index sent_by_forget_at on sent (forget_at);

-- The last snapshot of each name and reader; the readers of a name advance independently. undelivered: changes that a run found and
-- did not finish delivering. content is null if only undelivered is stored.
create table seen (
  name text not null,
  reader text not null,
  content blob,
  revision integer not null,
  remembered_at integer not null,
  undelivered blob,
  primary key (name, reader)
) strict;

-- What commands wrote, for undo. A row is added before its request is sent. run is the id of the first write of its command. An id is
-- not used again: a process that still runs may update a row that was removed. written and outcome are JSON; new_id is the id of a
-- deleted event after it was created again.
create table writes (
  id integer primary key autoincrement,
  run integer not null,
  account text not null,
  command text not null,
  began_at integer not null,
  kind text not null,
  state text not null,
  calendar_id text,
  event_id text,
  title text,
  written text not null,
  outcome text,
  new_id text
) strict;
create index writes_by_run on writes (run);

-- What imports remember of each event; see ImportedRow.
create table imported (
  source text not null,
  identity text not null,
  event_id text,
  sequence integer,
  record text,
  pending text,
  primary key (source, identity)
) strict;
create index imported_by_event on imported (event_id) where event_id is not null;

-- Locks that running processes hold, by name.
create table holders (
  name text not null primary key,
  owner text not null
) strict, without rowid;
`;
