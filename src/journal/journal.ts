import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../contract/date-time.js";
import { isJsonObject } from "../../contract/json.js";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { CliError, configurationError, errorCodeOf } from "../errors.js";
import { LockBusyError, withFileLock } from "../system/file-lock.js";
import { makeInnerFolder, requireInnerFolder } from "../system/ownership.js";
import type { ProcessSource } from "../system/process-identity.js";

/** A write as it is noted before it is sent. */
export interface Write {
  /** `other`: a request of `calctl api`. */
  readonly kind: "create" | "update" | "delete" | "comment" | "other";
  readonly title: string | null;
  readonly calendarId?: string;
  /** Of the event; unknown before it is created. */
  readonly eventId?: string;
  /** What there was; absent where it could not be read. */
  readonly before?: CalendarEvent;
  /** What an update writes. */
  readonly draft?: EventDraft;
}

/** What became of a write; without any of these it may or may not have been done. */
export interface Outcome {
  readonly done?: true;
  /** It was refused, or its key had written it before. */
  readonly failed?: true;
  /** The event as it was left. */
  readonly after?: CalendarEvent;
  /** It was taken back. A deleted event has this id since; empty for other writes. */
  readonly undone?: string;
}

export interface NotedWrite extends Write, Outcome {
  /** Its number within the command. */
  readonly n: number;
}

/** What one command wrote. */
export interface JournalEntry {
  readonly file: string;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  /** `events delete` */
  readonly command: string;
  /** In the order in which they were sent. */
  readonly writes: readonly NotedWrite[];
}

export interface JournalOptions {
  /** @throws where there is none */
  readonly stateDirectory: () => string;
  /** Null on Windows. */
  readonly userId: number | null;
  /** The profile and its service: each has entries of its own. */
  readonly owner: string;
  readonly command: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly process: ProcessSource;
  /** Takes a line for people. */
  readonly note: (text: string) => void;
}

/** What the commands of a profile wrote in the last 30 days. */
export type Journal = ReturnType<typeof createJournal>;

const KEPT = 30 * DAY_MS;
/** The time of the command and a number, so that their order is that of the commands. */
const NAME = /^(\d{15})-\d{4}\.jsonl$/;

/**
 * The journal in a folder of its own: a file (0600) for each command, to which lines are added, so that no process waits for
 * another and a damaged file is that of one command. A command writes all the same where it cannot be noted, and says so.
 */
export function createJournal(options: JournalOptions) {
  const { stateDirectory, userId, owner, command, now, note } = options;
  const inner = () => ({ parent: stateDirectory(), name: "journal", userId });
  let file: string | undefined;
  let failed = false;
  let count = 0;

  function add(record: object): void {
    if (failed) return;
    try {
      const head = { owner, command, at: new Date(now()).toISOString() };
      file ??= createFile(makeInnerFolder(inner()), now(), head);
      append(file, record);
    } catch (error) {
      failed = true;
      note(
        `calctl undo cannot take this back: the journal cannot be written (${errorCodeOf(error) ?? error})`,
      );
    }
  }

  function entries(): readonly JournalEntry[] {
    try {
      const folder = requireInnerFolder(inner());
      const names = keptNames(folder, now()).sort().reverse();
      return names.flatMap((name) => readEntry(join(folder, name), owner) ?? []);
    } catch (cause) {
      // Also of a file: no journal is kept any more.
      if (errorCodeOf(cause) === "ENOENT") return [];
      const reason = cause instanceof Error ? cause.message : cause;
      throw configurationError(`the journal cannot be read: ${reason}`);
    }
  }

  return {
    /** Notes a write before it is sent. @returns what notes its outcome */
    begin(write: Write): (outcome: Outcome) => void {
      const n = count;
      add({ n, ...write });
      count += 1;
      return (outcome) => add({ n, ...outcome });
    },
    /** Removes what there is. Nothing fails if that cannot be done. */
    forget(): void {
      try {
        for (const { file: path } of entries()) rmSync(path, { force: true });
      } catch (_unavailable) {
        // Nothing was kept there, or it is not ours.
      }
    },
    /** The commands that wrote something, the latest first. @throws CliError configuration */
    entries,
    /** Notes that a write was taken back. @param newId of a deleted event that was created again */
    markUndone({ file: path }: JournalEntry, { n }: NotedWrite, newId = ""): void {
      try {
        append(path, { n, undone: newId });
      } catch (error) {
        note(`that this was taken back cannot be noted in the journal (${errorCodeOf(error) ?? error})`);
      }
    },
    /** Runs work while no other process takes something back. @throws CliError unavailable when others take too long */
    async exclusively(work: () => Promise<void>): Promise<void> {
      const lock = join(requireInnerFolder(inner()), "undo.lock");
      await withFileLock(lock, work, { process: options.process }).catch((error: unknown) => {
        if (!(error instanceof LockBusyError)) throw error;
        throw new CliError("unavailable", "another calctl undo is running", { cause: error });
      });
    },
  };
}

/** On a line of its own, also after one that a killed process or a full disk has cut. */
function append(path: string, record: object): void {
  // A file that was removed since is private again.
  appendFileSync(path, `\n${JSON.stringify(record)}`, { mode: 0o600 });
}

/** The names of the files, without those that are too old, which are removed. */
function keptNames(folder: string, now: number): string[] {
  return readdirSync(folder).filter((name) => {
    const time = Number(NAME.exec(name)?.[1]);
    if (time < now - KEPT) rmSync(join(folder, name), { force: true });
    return time >= now - KEPT;
  });
}

/** Creates a file that no other process has. */
function createFile(folder: string, now: number, head: object): string {
  keptNames(folder, now);
  for (let number = 0; ; number += 1) {
    const path = join(folder, `${String(now).padStart(15, "0")}-${String(number).padStart(4, "0")}.jsonl`);
    try {
      writeFileSync(path, JSON.stringify(head), { flag: "wx", mode: 0o600 });
      return path;
    } catch (error) {
      if (errorCodeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** Null for one of another owner, and for a file without a readable beginning. */
function readEntry(file: string, owner: string): JournalEntry | null {
  const [head, ...lines] = readFileSync(file, "utf8").split("\n").flatMap(parseLine);
  if (head?.["owner"] !== owner) return null;
  const writes = new Map<unknown, Readonly<Record<string, unknown>>>();
  for (const line of lines) writes.set(line["n"], { ...writes.get(line["n"]), ...line });
  return {
    file,
    at: String(head["at"]),
    command: String(head["command"]),
    // A line of ours, but for what was damaged.
    writes: [...writes.values()].filter(({ kind }) => kind !== undefined) as unknown as readonly NotedWrite[],
  };
}

function parseLine(line: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? [value] : [];
  } catch (_cut) {
    return [];
  }
}
