import { DAY_MS } from "../../contract/date-time.js";
import type { Scope } from "../../contract/extensions.js";
import { isJsonObject, parseJson } from "../../contract/json.js";
import type { Event, EventDraft } from "../../contract/shapes.js";
import { CliError } from "../errors.js";
import { exclusively } from "./holders.js";
import type { ImportedRow } from "./imported.js";
import type { State, StateTransaction } from "./state.js";

/** A write as it is noted before it is sent. */
export interface Write {
  /** `other`: a request of `calctl api`. */
  readonly kind: "create" | "update" | "delete" | "comment" | "other";
  readonly title: string | null;
  readonly calendarId?: string;
  /** Of the event, or of the series where all of it is deleted; unknown before it is created. */
  readonly eventId?: string;
  /** The event before the write; absent if it could not be read. */
  readonly before?: Event;
  /** What an update writes. */
  readonly draft?: EventDraft;
  /** Which events of a series are meant. */
  readonly scope?: Scope;
  /** The series as it was, where more than one of its events is written, or its rule. */
  readonly series?: Event;
  /** Events of it that are written or deleted, though each had been changed on its own. */
  readonly changed?: readonly Event[];
  /** Of an import: the row of its event as it was, then those of its occurrences. */
  readonly imported?: readonly ImportedRow[] | undefined;
}

/** What became of a write. */
export interface Outcome {
  /** `refused`: also where its key had written it before. */
  readonly state: "done" | "refused";
  /** The event as it was left; the series where one was written. */
  readonly after?: Event;
  /** How many events of the series were changed before, each on its own, and were left as they are. */
  readonly kept?: number;
  /** `all` where a delete has left nothing of a series. */
  readonly scope?: Scope;
  /** The id of that series. */
  readonly eventId?: string;
}

/** A row of `writes`. */
export interface WriteRow extends Write, Omit<Outcome, "state"> {
  readonly id: number;
  /** `begun`: pending, so that it may or may not have been done. Rows have this word. */
  readonly state: "begun" | "undone" | Outcome["state"];
  /** Whether an undo may have created its event again. */
  readonly isUndoBegun?: boolean;
  /** Whether its JSON cannot be parsed, or is not that of a write. */
  readonly isDamaged: boolean;
}

/** What one command wrote. */
export interface WrittenCommand {
  /** The id of its first write. */
  readonly run: number;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  /** `events delete`. */
  readonly command: string;
  /** In the order in which they were sent. */
  readonly writes: readonly WriteRow[];
}

interface WritesOptions {
  readonly open: () => Promise<State>;
  /** The profile and its service: each has commands of its own. */
  readonly account: string;
  readonly command: string;
  /** Called with a line to show the user, also with `--quiet`. */
  readonly warn: (text: string) => void;
}

/** How long a command is listed (ms). */
const KEPT = 30 * DAY_MS;
/** The latest commands stay, whatever the clock says: it may have been wrong when they ran, or be wrong now. */
const ALWAYS_KEPT = 100;
/** Rows that are looked at when old ones are removed. */
const PRUNED_AT_ONCE = 1_000;

/** A power cut may lose the latest writes; nothing else does. */
const SOON = { sync: "normal", evenIfInterrupted: true } as const;
/** The same, for other writes after one could not be noted: a command does not wait again and again for a database that is locked. */
const BRIEFLY = { ...SOON, timeout: 100 } as const;

/** Notes what became of a write. @param also as of `begin` */
type NoteOutcome = (outcome: Outcome, also?: (db: StateTransaction) => void) => Promise<void>;

/** What the commands of a profile wrote in the last 30 days. */
export type Writes = ReturnType<typeof createWrites>;

/** What commands write, in the table `writes`. A command writes all the same where it cannot be noted, and says so. */
export function createWrites({ open, account, command, warn }: WritesOptions) {
  let hasFailed = false;
  /** The id of the first write that was noted, which is that of the run; null before. */
  let run: Promise<number | null> = Promise.resolve(null);

  /** Null if it failed; what must be noted in the same transaction throws. */
  async function tryNoting<T>(
    work: (db: StateTransaction, now: number) => T,
    also: ((db: StateTransaction) => void) | undefined,
  ): Promise<T | null> {
    const noteBoth = (db: StateTransaction, now: number): T => {
      also?.(db);
      return work(db, now);
    };
    try {
      const state = await open();
      const options = hasFailed && also === undefined ? BRIEFLY : SOON;
      return await state.write((db) => noteBoth(db, state.clock.now()), options);
    } catch (error) {
      if (also !== undefined || !(error instanceof CliError) || error.code === "interrupted") throw error;
      if (!hasFailed) warn(`not everything that this command writes can be undone: ${error.message}`);
      hasFailed = true;
      return null;
    }
  }

  return {
    /**
     * Notes a write before it is sent.
     * @param also what must be noted in the same transaction
     * @returns what notes its outcome
     * @throws CliError configuration, unavailable if `also` cannot be noted
     */
    async begin(write: Write, also?: (db: StateTransaction) => void): Promise<NoteOutcome> {
      const adding = run.then((first) =>
        tryNoting((db, now) => {
          if (first === null) prune(db, now);
          return insert(db, write, { run: first, account, command, now });
        }, also),
      );
      run = run.then((first) => first ?? adding.catch(() => null));
      const id = await adding;
      return async ({ state, ...outcome }, alsoOfOutcome) => {
        if (id === null && alsoOfOutcome === undefined) return;
        const update = "update writes set state = ?, outcome = ? where id = ?";
        await tryNoting((db) => db.run(update, state, JSON.stringify(outcome), id), alsoOfOutcome);
      };
    },
    /** Removes what there is of this profile. @throws CliError configuration, unavailable */
    async forget(): Promise<void> {
      const state = await open();
      await state.write((db) => db.run("delete from writes where account = ?", account));
    },
    /**
     * The commands that wrote something, the latest first, with the ids that their events have now.
     * @throws CliError configuration, unavailable
     */
    async commands(): Promise<readonly WrittenCommand[]> {
      const state = await open();
      const rows = await state.read((db) => findRows(db, account, state.clock.now() - KEPT));
      const found = rows.map((row) => ({ row, write: readRow(row) }));
      const newIds = new Map<string, string>();
      for (const { row, write } of found)
        if (row["new_id"] !== null) newIds.set(write.eventId ?? "", String(row["new_id"]));
      const commands = new Map<unknown, ReturnType<typeof readCommand>>();
      for (const { row, write } of found) {
        const ofRun = commands.get(row["run"]) ?? readCommand(row);
        ofRun.writes.push(withNewIds(write, newIds));
        commands.set(row["run"], ofRun);
      }
      return [...commands.values()].reverse();
    },
    /**
     * Notes, before its event is created again, that this may happen, or after a refusal that it did not.
     * @throws CliError configuration, unavailable
     */
    async noteUndoBegun({ id }: WriteRow, isUndoBegun: boolean): Promise<void> {
      const update =
        "update writes set outcome = json_set(coalesce(outcome, '{}'), '$.isUndoBegun', json(?)) where id = ?";
      const state = await open();
      await state.write((db) => db.run(update, String(isUndoBegun), id), SOON);
    },
    /**
     * Marks a write as undone.
     * @param newId of a deleted event that was created again; null for any other
     * @param also what must be noted in the same transaction
     * @throws CliError configuration, unavailable if `also` cannot be noted
     */
    async markUndone(
      { id }: WriteRow,
      newId: string | null,
      also?: (db: StateTransaction) => void,
    ): Promise<void> {
      const state = await open();
      const mark = (db: StateTransaction): void => {
        also?.(db);
        db.run("update writes set state = 'undone', new_id = ? where id = ?", newId, id);
      };
      try {
        await state.write(mark, SOON);
      } catch (error) {
        if (also !== undefined || !(error instanceof CliError)) throw error;
        warn(`could not record that this was undone: ${error.message}`);
      }
    },
    /** Runs work while no other process is undoing. @throws CliError unavailable when others take too long, configuration */
    async exclusively(work: () => Promise<void>): Promise<void> {
      return exclusively(await open(), { name: "undo", doing: "undoing a command" }, work);
    },
  };
}

/** What commands wrote, to which a dry run of an undo adds nothing. */
export function withoutNotes(writes: Writes): Writes {
  const ignore = async (): Promise<void> => undefined;
  return { ...writes, noteUndoBegun: ignore, markUndone: ignore };
}

type Row = Readonly<Record<string, unknown>>;

interface NewRow extends Pick<WrittenCommand, "command"> {
  /** Null for the first write of a command. */
  readonly run: number | null;
  readonly account: string;
  readonly now: number;
}

/** @returns its id */
function insert(
  db: StateTransaction,
  { kind, title, calendarId, eventId, ...written }: Write,
  { run, account, command, now }: NewRow,
): number {
  const [row] = db.all(
    `insert into writes (run, account, command, began_at, kind, state, calendar_id, event_id, title, written)
     values (?, ?, ?, ?, ?, 'begun', ?, ?, ?, ?) returning id`,
    ...[run ?? 0, account, command, now, kind, calendarId ?? null, eventId ?? null, title],
    JSON.stringify(written),
  );
  const id = Number(row?.["id"]);
  if (run === null) db.run("update writes set run = id where id = ?", id);
  return id;
}

/** Removes old rows, but for those of the latest commands. */
function prune(db: StateTransaction, now: number): void {
  const query = "select distinct run from writes order by run desc limit 1 offset ?";
  const [oldest] = db.all(query, ALWAYS_KEPT - 1);
  if (oldest === undefined) return;
  db.run(
    `delete from writes where id in (select id from writes where run < ? order by id limit ?)
      and (began_at < ? or began_at > ?)`,
    Number(oldest["run"]),
    PRUNED_AT_ONCE,
    now - KEPT,
    now + KEPT,
  );
}

/** What was noted after a recent write is recent, whatever the clock said. */
function findRows(db: StateTransaction, account: string, since: number): readonly Row[] {
  return db.all(
    `select id, run, command, began_at, kind, state, calendar_id, event_id, title, written, outcome, new_id
     from writes
     where account = ? and id >= (select id from writes where began_at >= ? order by id limit 1) order by id`,
    account,
    since,
  );
}

function readCommand(row: Row): WrittenCommand & { readonly writes: WriteRow[] } {
  return {
    run: Number(row["run"]),
    at: new Date(Number(row["began_at"])).toISOString(),
    command: String(row["command"]),
    writes: [],
  };
}

function readRow(row: Row): WriteRow {
  const [written, outcome] = [readPart(row["written"]), readPart(row["outcome"] ?? "{}")];
  const [calendarId, eventId] = [row["calendar_id"], row["event_id"]];
  // Written by calctl, to a file of its user.
  const { id, kind, state, title } = row as unknown as WriteRow;
  return {
    ...{ id, kind, state, title },
    isDamaged: written === null || outcome === null,
    ...(calendarId !== null && { calendarId: String(calendarId) }),
    ...(eventId !== null && { eventId: String(eventId) }),
    ...written,
    ...outcome,
  };
}

/** JSON of a row; null if it is damaged. */
function readPart(json: unknown): Readonly<Record<string, unknown>> | null {
  const part = parseJson(String(json));
  if (!isJsonObject(part)) return null;
  const { before, after, series, changed = [] } = part;
  const events = [before, after, series].filter((event) => event !== undefined);
  return Array.isArray(changed) && [...events, ...changed].every(isEvent) ? part : null;
}

/** Whether a value has what an event is known by. */
function isEvent(value: unknown): boolean {
  return isJsonObject(value) && typeof value["id"] === "string" && Array.isArray(value["recurrences"]);
}

/** The new ids of deleted events and series that were created again, by their old ids. */
type NewIds = ReadonlyMap<string, string>;

/** A write with the current ids of its events. The id of a series' event begins with that of the series. */
export function withNewIds(write: WriteRow, newIds: NewIds): WriteRow {
  const idOf = (id: string) => currentId(newIds, id);
  const renamed = <T extends { readonly id: string }>(item: T): T => ({ ...item, id: idOf(item.id) });
  const { eventId, after, series, imported } = write;
  return {
    ...write,
    ...(eventId !== undefined && { eventId: idOf(eventId) }),
    ...(after !== undefined && { after: renamed(after) }),
    ...(series !== undefined && { series: renamed(series) }),
    ...(imported !== undefined && {
      imported: imported.map((row) => ({ ...row, eventId: row.eventId && idOf(row.eventId) })),
    }),
  };
}

function currentId(newIds: NewIds, id: string): string {
  const newId = newIds.get(id);
  if (newId !== undefined) return currentId(newIds, newId);
  const series = id.replace(/_[^_]*$/, "");
  return series === id ? id : currentId(newIds, series) + id.slice(series.length);
}
