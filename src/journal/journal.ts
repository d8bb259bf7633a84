import { appendFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DAY_MS } from "../../contract/date-time.js";
import { CliError, configurationError, errorCodeOf, fileProblemOf } from "../errors.js";
import { LockBusyError, withFileLock } from "../system/file-lock.js";
import { makePrivateFolder } from "../system/ownership.js";
import type { ProcessSource } from "../system/process-identity.js";
import {
  type ImportSnapshot,
  type JournalEntry,
  type NotedWrite,
  type Outcome,
  readEntry,
  type Write,
  withNewIds,
} from "./entry.js";

export interface JournalOptions {
  /** @throws where there is none */
  readonly stateDirectory: () => string;
  /** The profile and its service: each has entries of its own. */
  readonly owner: string;
  readonly command: string;
  /** Whether nothing is noted. */
  readonly dryRun: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly process: ProcessSource;
  /** Called with a line to show the user. */
  readonly note: (text: string) => void;
}

/** What the commands of a profile wrote in the last 30 days. */
export type Journal = ReturnType<typeof createJournal>;

/** How long a command is listed (ms). */
const KEPT = 30 * DAY_MS;
/** The files of the latest commands stay, whatever the clock says: it may have been wrong when they ran, or be wrong now. */
const ALWAYS_KEPT = 100;
/** The time of the command and a number, so that their order is that of the commands. */
const NAME = /^(\d{15})-\d{4}\.jsonl$/;

/**
 * The journal in a folder of its own: a file (0600) for each command, to which lines are added, so that no process waits for
 * another and a damaged file is that of one command. A command writes all the same where it cannot be noted, and says so.
 */
export function createJournal(options: JournalOptions) {
  const { stateDirectory, owner, command, dryRun, now, note } = options;
  const folderOf = () => join(stateDirectory(), "journal");
  /** For messages, which name the folder. */
  const reasonOf = (error: unknown): string => {
    const code = error instanceof CliError ? undefined : errorCodeOf(error);
    if (code !== undefined) return `${folderOf()}: ${fileProblemOf(error)}`;
    return error instanceof Error ? error.message : String(error);
  };
  let file: string | undefined;
  let failed = false;
  let count = 0;
  const snapshots = new Map<string, ImportSnapshot>();
  let records: string | undefined;
  const newIds = new Map<string, string>();
  /** The write with the current ids of its events, as far as `entries` and `markUndone` have seen them. */
  const withCurrentIds = (write: NotedWrite): NotedWrite => withNewIds(write, newIds);

  function add(record: object): void {
    if (failed) return;
    try {
      const head = { owner, command, at: new Date(now()).toISOString(), records };
      const folder = folderOf();
      makePrivateFolder(folder);
      file ??= createFile(folder, now(), head);
      append(file, record);
    } catch (error) {
      failed = true;
      note(`calctl undo cannot take this back: the journal cannot be written (${reasonOf(error)})`);
    }
  }

  function readEntries(since: number): readonly JournalEntry[] {
    try {
      const folder = folderOf();
      const names = namesIn(folder).filter((name) => timeOf(name) >= since);
      return names.flatMap((name) => readEntry(join(folder, name), owner) ?? []);
    } catch (cause) {
      // Also of a file: no journal is kept any more.
      if (errorCodeOf(cause) === "ENOENT") return [];
      throw configurationError(`the journal cannot be read: ${reasonOf(cause)}`, { cause });
    }
  }

  return {
    /** Keeps with the command which file has what it remembers. To be said before its first write. */
    keepRecords(name: string): void {
      records = name;
    },
    /** Keeps this with the next write to an event. */
    keep(eventId: string, snapshot: ImportSnapshot): void {
      snapshots.set(eventId, snapshot);
    },
    /** Notes a write before it is sent. @returns what notes its outcome */
    begin(write: Write): (outcome: Outcome) => void {
      const n = count;
      const { eventId = "" } = write;
      add({ n, ...write, snapshot: snapshots.get(eventId) });
      snapshots.delete(eventId);
      count += 1;
      return (outcome) => add({ n, ...outcome });
    },
    /** Removes what there is, and what nobody can read. @throws CliError configuration where some of it stays */
    forget(): void {
      const kept = readEntries(0).filter(({ file: path }) => !remove(path));
      if (kept.length === 0) return;
      throw configurationError(`the journal could not be removed from ${folderOf()}`, {
        hint: `remove what is in it: ${kept.map(({ file: path }) => basename(path)).join(", ")}`,
      });
    },
    /**
     * The commands that wrote something, and damaged files, the latest first, with the ids that their events have now.
     * @throws CliError configuration
     */
    entries(): readonly JournalEntry[] {
      const entries = readEntries(now() - KEPT);
      for (const { eventId = "", undone } of entries.flatMap(({ writes }) => writes))
        if (undone) newIds.set(eventId, undone);
      return entries.map((entry) => ({ ...entry, writes: entry.writes.map(withCurrentIds) }));
    },
    withCurrentIds,
    /** Notes that a write was taken back. @param newId of a deleted event that was created again */
    markUndone({ file: path }: JournalEntry, { n, eventId = "" }: NotedWrite, newId = ""): void {
      if (newId !== "") newIds.set(eventId, newId);
      if (dryRun) return;
      try {
        append(path, { n, undone: newId });
      } catch (error) {
        note(`that this was taken back cannot be noted in the journal (${reasonOf(error)})`);
      }
    },
    /**
     * Runs work while no other process takes something back.
     * @throws CliError unavailable when others take too long, configuration where the folder cannot be written
     */
    async exclusively(work: () => Promise<void>): Promise<void> {
      const lock = join(folderOf(), "undo.lock");
      let isHeld = false;
      const locked = (): Promise<void> => {
        isHeld = true;
        return work();
      };
      await withFileLock(lock, locked, { process: options.process }).catch((error: unknown) => {
        if (error instanceof LockBusyError)
          throw new CliError("unavailable", "another calctl undo is running", { cause: error });
        if (isHeld) throw error;
        throw configurationError(`the journal cannot be written (${reasonOf(error)})`, { cause: error });
      });
    },
  };
}

/** On a line of its own, also after one that a killed process or a full disk has cut. */
function append(path: string, record: object): void {
  // A file that was removed since is private again.
  appendFileSync(path, `\n${JSON.stringify(record)}`, { mode: 0o600 });
}

/** The names of the files, the latest first. */
function namesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  return names.sort().reverse();
}

function timeOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** Whether it could be removed. */
function remove(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch (_readOnly) {
    return false;
  }
}

/**
 * Creates a file that no other process has, and removes old ones. Its name sorts after all others, so a clock that was set
 * back does not change the order of the commands.
 */
function createFile(folder: string, now: number, head: object): string {
  const names = namesIn(folder);
  const isOld = (time: number): boolean => time < now - KEPT || time > now + KEPT;
  for (const name of names.slice(ALWAYS_KEPT)) if (isOld(timeOf(name))) remove(join(folder, name));
  const time = Math.max(now, timeOf(names[0] ?? "0") + 1);
  for (let number = 0; ; number += 1) {
    const path = join(folder, `${String(time).padStart(15, "0")}-${String(number).padStart(4, "0")}.jsonl`);
    try {
      writeFileSync(path, JSON.stringify(head), { flag: "wx", mode: 0o600 });
      return path;
    } catch (error) {
      if (errorCodeOf(error) !== "EEXIST") throw error;
    }
  }
}
