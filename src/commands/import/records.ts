import { appendFileSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, parseJson } from "../../../contract/json.js";
import type { CalendarEvent, EventDraft } from "../../../contract/shapes.js";
import { isSeries } from "../../calendar/series.js";
import { CliError, configurationError, errorCodeOf, fileProblemOf } from "../../errors.js";
import { shortHash } from "../../import/content-hash.js";
import { type ImportRecord, occurrenceRecords } from "../../import/plan.js";
import type { Machine } from "../../machine.js";
import type { ImportSnapshot } from "../../state/writes.js";
import { LockBusyError, withFileLock } from "../../system/file-lock.js";
import { makePrivateFolder } from "../../system/ownership.js";
import { writePrivateFile } from "../../system/private-file.js";
import type { ReadSource } from "./read-source.js";

/** A create that was sent, or was about to be. With its key it is sent again, and makes no second event. */
interface BegunCreate extends Pick<ImportRecord, "hash" | "slot" | "isAlone" | "series"> {
  readonly key: string;
  readonly draft: EventDraft;
}

/** What was imported from one source to one calendar. */
export interface ImportRecords {
  /** The name of its file. */
  readonly file: string;
  /** Another one after another process wrote. */
  readonly version: string;
  readonly byIdentity: ReadonlyMap<string, ImportRecord>;
  /** The SEQUENCE last imported for each event, cancelled ones included; 0 only where it replaced another one. */
  readonly sequences: ReadonlyMap<string, number>;
  /** The creates of a killed run whose outcome it did not note. */
  readonly begun: ReadonlyMap<string, BegunCreate>;
  /** Notes a create before it is sent, or what was done; null forgets it. @throws CliError configuration */
  note(identity: string, value: ImportRecord | BegunCreate | null): void;
  /** Records the SEQUENCE of the events of a file. */
  keepSequences(versions: ReadSource["versions"]): void;
  /** What is remembered of the occurrences of a series; empty for any other event. */
  partsOf(identity: string, event: CalendarEvent): ReturnType<typeof occurrenceRecords>;
  /** What `writes` is to keep of an event that is about to be written, and of the occurrences of a series. */
  snapshotOf(identity: string, current: CalendarEvent): ImportSnapshot;
}

interface RecordsOptions {
  readonly machine: Pick<Machine, "stateDirectory" | "process" | "clock" | "signal">;
  /** Profile, service, calendar and source, each of which has a file of its own. */
  readonly owner: readonly string[];
}

export const FOLDER = "imports";

/** What is remembered, to be read alone. @throws CliError configuration for a file that cannot be used */
export function readImportRecords({ machine, owner }: RecordsOptions): ImportRecords {
  return openRecords(join(machine.stateDirectory(), FOLDER, nameOf(owner)));
}

function nameOf(owner: RecordsOptions["owner"]): string {
  return `${shortHash(owner)}.jsonl`;
}

/**
 * Runs work with what is remembered, while no other process imports the same or takes some of it back. It is a file (0600) to which lines are added, so
 * that a killed run has noted what it did; afterwards it has one line for each event.
 * @throws CliError unavailable while another process does, configuration for a file that cannot be used
 */
export async function withRecords<T>(
  { machine, owner }: RecordsOptions,
  work: (records: ImportRecords) => Promise<T>,
): Promise<T> {
  const folder = join(machine.stateDirectory(), FOLDER);
  makeFolder(folder);
  const path = join(folder, nameOf(owner));
  const locked = async () => {
    const records = openRecords(path);
    try {
      return await work(records);
    } finally {
      await records.compact();
    }
  };
  const problem = "another import of this source is running, or an undo of one";
  return withRecordsLock(machine, { path, problem }, locked);
}

/**
 * Runs work while no other process writes to a file of records.
 * @throws CliError unavailable when another one takes too long, with the problem
 */
export async function withRecordsLock<T>(
  { process, clock, signal }: Pick<Machine, "process" | "clock" | "signal">,
  { path, problem }: { readonly path: string; readonly problem: string },
  work: () => Promise<T>,
): Promise<T> {
  const sleep = (milliseconds: number) => clock.sleep(milliseconds, signal());
  return withFileLock(`${path}.lock`, work, { process, signal: signal(), sleep }).catch((error: unknown) => {
    if (!(error instanceof LockBusyError)) throw error;
    const hint = "run the same command again when it is done";
    throw new CliError("unavailable", problem, { hint, cause: error });
  });
}

function makeFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
  } catch (cause) {
    throw notRemembered(cause);
  }
}

function notRemembered(cause: unknown): CliError {
  const reason = fileProblemOf(cause);
  const hint = "CALCTL_STATE_DIR names another folder";
  return configurationError(`what is imported cannot be remembered (${reason})`, { hint, cause });
}

function openRecords(path: string): ImportRecords & { compact(): Promise<void> } {
  const version = readText(path);
  const { records, sequences, begun, remember } = readRecords(path, version);
  let isChanged = false;
  const partsOf = (identity: string, event: CalendarEvent) =>
    isSeries(event) ? occurrenceRecords(records, identity) : [];
  return {
    file: basename(path),
    version,
    byIdentity: records,
    sequences,
    begun,
    note(identity, value) {
      const sequence = sequences.get(identity);
      appendRecord(path, identity, value, sequence);
      isChanged = true;
      remember(identity, value, sequence);
    },
    keepSequences(versions) {
      for (const { identity, sequence } of versions) {
        if (sequence === undefined || sequence === (sequences.get(identity) ?? 0)) continue;
        isChanged = true;
        sequences.set(identity, sequence);
      }
    },
    partsOf,
    snapshotOf: (identity, current) =>
      [[identity, records.get(identity) ?? null] as const, ...partsOf(identity, current)].map(
        ([each, record]) => [each, record, sequences.get(each) ?? null],
      ),
    /** Leaves one line for each event, also for one that was cancelled and is not in the calendar. */
    async compact() {
      if (!isChanged) return;
      const others = [...sequences.keys()].filter((each) => !records.has(each) && !begun.has(each));
      const all = [...others.map((each) => [each, null] as const), ...records, ...begun];
      const lines = all.map(([each, value]) => lineOf(each, value, sequences.get(each)));
      // On a full disk the lines that were added stay, and say the same of what was written.
      await writePrivateFile(path, lines.join("\n")).catch(() => undefined);
    },
  };
}

/** On a line of its own, also after one that a killed process or a full disk has cut. @throws CliError configuration */
export function appendRecord(path: string, ...note: Parameters<typeof lineOf>): void {
  try {
    appendFileSync(path, `\n${lineOf(...note)}`, { mode: 0o600 });
  } catch (cause) {
    throw notRemembered(cause);
  }
}

function lineOf(identity: string, value: ImportRecord | BegunCreate | null, sequence?: number): string {
  return JSON.stringify([identity, value, ...(sequence === undefined ? [] : [sequence])]);
}

function readRecords(path: string, text: string) {
  const { damaged, ...read } = parseRecords(text);
  if (damaged === null) return read;
  throw configurationError(`${path} is damaged: line ${damaged} is not a valid import record`, {
    hint: "repair the line, or remove the file: then nothing is known of earlier imports",
  });
}

/** The last line of an identity counts. `damaged` is the first line that is no note; null without one. */
export function parseRecords(text: string) {
  let damaged: number | null = null;
  const records = new Map<string, ImportRecord>();
  const sequences = new Map<string, number>();
  const begun = new Map<string, BegunCreate>();
  const remember = (identity: string, value: unknown, sequence: unknown): void => {
    begun.delete(identity);
    if (typeof sequence === "number") sequences.set(identity, sequence);
    else sequences.delete(identity);
    // Lines of ours, but for what was damaged.
    if (!isJsonObject(value)) records.delete(identity);
    else if ("key" in value) begun.set(identity, value as unknown as BegunCreate);
    else records.set(identity, value as unknown as ImportRecord);
  };
  for (const [index, line] of text.split("\n").entries()) {
    const [identity, value, sequence] = parseLine(line) ?? [];
    if (typeof identity !== "string") {
      if (!line.startsWith(LINE_START) && !LINE_START.startsWith(line)) damaged ??= index + 1;
      continue;
    }
    remember(identity, value, sequence);
  }
  return { records, sequences, begun, remember, damaged };
}

/** How each line begins, also one that a killed process or a full disk has cut. */
const LINE_START = '["';

function parseLine(line: string): readonly unknown[] | null {
  const value = parseJson(line);
  return Array.isArray(value) ? value : null;
}

export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return "";
    throw configurationError(`${path} cannot be read (${fileProblemOf(error)})`, { cause: error });
  }
}
