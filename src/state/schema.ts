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

-- What the runs under a name have seen, and what each of several readers has who go on by themselves. undelivered is what a run
-- has found and not delivered to its end. content is null if that is all there is.
create table seen (
  name text not null,
  reader text not null,
  content blob,
  revision integer not null,
  remembered_at integer not null,
  undelivered blob,
  primary key (name, reader)
) strict;

-- What commands wrote, so that undo can take it back. A row is noted before it is sent. run is the id of the first write of its command.
-- written and outcome are JSON; new_id is that of a deleted event that was created again. records is the file that has what an import
-- remembers.
create table writes (
  id integer primary key,
  run integer not null,
  account text not null,
  command text not null,
  began_at integer not null,
  records text,
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

-- What processes work on that must not be done twice at the same time.
create table holders (
  name text not null primary key,
  owner text not null
) strict, without rowid;
`;
