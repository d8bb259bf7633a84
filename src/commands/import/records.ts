import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, parseJson } from "../../../contract/json.js";
import type { EventDraft } from "../../../contract/shapes.js";
import { CliError, configurationError, errorCodeOf } from "../../errors.js";
import { type ImportRecord, shortHash } from "../../import/plan.js";
import type { NotedWrite } from "../../journal/entry.js";
import type { Machine } from "../../machine.js";
import { LockBusyError, withFileLock } from "../../system/file-lock.js";
import { makeInnerFolder, requireInnerFolder } from "../../system/ownership.js";
import { writePrivateFile } from "../../system/private-file.js";

/** A create that was sent, or was about to be. With its key it is sent again, and makes no second event. */
interface BegunCreate extends Pick<ImportRecord, "hash" | "slot" | "series"> {
  readonly key: string;
  readonly draft: EventDraft;
}

/** What was imported from one source to one calendar, by identity. */
export interface ImportRecords {
  readonly records: ReadonlyMap<string, ImportRecord>;
  /** The creates of a killed run whose outcome it did not note. */
  readonly begun: ReadonlyMap<string, BegunCreate>;
  /** Notes a create before it is sent. @throws the file system's error */
  begin(identity: string, create: BegunCreate): void;
  /** Notes what was done. @throws the file system's error */
  set(identity: string, record: ImportRecord): void;
  /** Forgets a create that was not done. */
  forget(identity: string): void;
  /** Forgets an occurrence that is as its series says again. */
  remove(identity: string): void;
  /** What is remembered of these now, for the journal: an undo of the write that changes it brings it back. */
  memoOf(identities: readonly string[]): ImportMemo;
}

interface ImportMemo {
  /** The name of the file. */
  readonly file: string;
  readonly lines: readonly (readonly [string, ImportRecord | null])[];
}

export interface RecordsOptions
  extends Pick<Machine, "stateDirectory" | "userId" | "process" | "clock" | "signal"> {
  /** Profile, service, calendar and source, each of which has a file of its own. */
  readonly owner: readonly string[];
  /** Whether nothing is written. */
  readonly readOnly: boolean;
}

const FOLDER = "imports";

/**
 * Runs work with what is remembered, while no other process imports the same. It is a file (0600) to which lines are added, so
 * that a killed run has noted what it did; afterwards it has one line for each event.
 * @throws CliError unavailable while another process imports the same, configuration for a file that cannot be used
 */
export async function withRecords<T>(
  options: RecordsOptions,
  work: (records: ImportRecords) => Promise<T>,
): Promise<T> {
  const { stateDirectory, userId, owner, readOnly, process, clock, signal } = options;
  const inner = () => ({ parent: stateDirectory(), name: FOLDER, userId });
  const name = `${shortHash(owner)}.jsonl`;
  if (readOnly) return work(openRecords(join(stateDirectory(), FOLDER, name)));
  const path = join(makeFolder(inner()), name);
  const locked = async () => {
    const records = openRecords(path);
    try {
      return await work(records);
    } finally {
      await compactRecords(path);
    }
  };
  const sleep = (milliseconds: number) => clock.sleep(milliseconds, signal());
  return withFileLock(`${path}.lock`, locked, { process, signal: signal(), sleep }).catch(
    (error: unknown) => {
      if (!(error instanceof LockBusyError)) throw error;
      throw new CliError("unavailable", "another calctl import of this source is running", { cause: error });
    },
  );
}

function makeFolder(inner: Parameters<typeof makeInnerFolder>[0]): string {
  try {
    return makeInnerFolder(inner);
  } catch (cause) {
    const reason = errorCodeOf(cause) ?? (cause instanceof Error ? cause.message : cause);
    throw configurationError(`what is imported cannot be remembered (${reason})`, {
      hint: "CALCTL_STATE_DIR names another folder",
      cause,
    });
  }
}

function openRecords(path: string): ImportRecords {
  const { records, begun } = readRecords(path);
  return {
    records,
    begun,
    begin(identity, create) {
      appendRecord(path, identity, create);
      begun.set(identity, create);
    },
    set(identity, record) {
      appendRecord(path, identity, record);
      begun.delete(identity);
      records.set(identity, record);
    },
    forget(identity) {
      appendRecord(path, identity, records.get(identity) ?? null);
      begun.delete(identity);
    },
    remove(identity) {
      appendRecord(path, identity, null);
      records.delete(identity);
    },
    memoOf: (identities) => ({
      file: basename(path),
      lines: identities.map((identity) => [identity, records.get(identity) ?? null]),
    }),
  };
}

/** Leaves a line for each event, of what the file has by now: an undo may have added to it. */
async function compactRecords(path: string): Promise<void> {
  const text = readText(path);
  const { records, begun } = readRecords(path, text);
  const compact = [...records, ...begun].map((line) => JSON.stringify(line)).join("\n");
  if (compact !== text) await writePrivateFile(path, compact);
}

/** On a line of its own, also after one that a killed process or a full disk has cut. */
function appendRecord(path: string, identity: string, value: ImportRecord | BegunCreate | null): void {
  appendFileSync(path, `\n${JSON.stringify([identity, value])}`, { mode: 0o600 });
}

/** The last line of an identity counts. */
function readRecords(path: string, text = readText(path)) {
  const records = new Map<string, ImportRecord>();
  const begun = new Map<string, BegunCreate>();
  for (const [index, line] of text.split("\n").entries()) {
    const [identity, value] = parseLine(line) ?? [];
    if (typeof identity !== "string") {
      if (line.startsWith(LINE_START) || LINE_START.startsWith(line)) continue;
      throw configurationError(`${path} is damaged: line ${index + 1} is not a note of an import`, {
        hint: "repair the line, or remove the file: then nothing is known of earlier imports",
      });
    }
    begun.delete(identity);
    // Lines of ours, but for what was damaged.
    if (!isJsonObject(value)) records.delete(identity);
    else if ("key" in value) begun.set(identity, value as unknown as BegunCreate);
    else records.set(identity, value as unknown as ImportRecord);
  }
  return { records, begun };
}

/** How each line begins, also one that a killed process or a full disk has cut. */
const LINE_START = '["';

function parseLine(line: string): readonly unknown[] | null {
  const value = parseJson(line);
  return Array.isArray(value) ? value : null;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return "";
    throw configurationError(`${path} cannot be read (${errorCodeOf(error) ?? error})`, { cause: error });
  }
}

/**
 * What an undo changes in what is remembered: a later run of the same file does again what was taken back of an import.
 * @returns notes what was taken back, and the id that the event has since
 */
export function openUndoneImports({
  stateDirectory,
  userId,
}: Pick<RecordsOptions, "stateDirectory" | "userId">): (write: NotedWrite, id: string) => void {
  const inner = { parent: stateDirectory(), name: FOLDER, userId };
  // It may have been removed since.
  if (!existsSync(join(inner.parent, FOLDER))) return () => undefined;
  const folder = requireInnerFolder(inner);
  const paths = readdirSync(folder).map((name) => join(folder, name));
  const places = paths
    .filter((path) => path.endsWith(".jsonl"))
    .flatMap((path) =>
      [...readRecords(path).records].map(([identity, record]) => ({ path, identity, record })),
    );
  const restored = new Map<string, ImportRecord | null>();
  const restore = ({ file, lines }: ImportMemo, ids: IdChange): void => {
    const path = join(folder, file);
    for (const [identity, before] of existsSync(path) ? lines : []) {
      const record = before && withNewId(before, ids);
      restored.set(`${path} ${identity}`, record);
      appendRecord(path, identity, record);
    }
  };
  /** An event that another command deleted is there again. */
  const findAgain = (ids: IdChange): void => {
    for (const { path, identity, record } of places)
      if (record.id === ids.from || record.id.startsWith(`${ids.from}_`)) {
        const deleted = record.deleted === "elsewhere" ? undefined : record.deleted;
        appendRecord(path, identity, { ...withNewId(record, ids), deleted });
      }
  };
  return ({ kind, eventId = "", memo }, id) => {
    const ids = { from: eventId, to: id };
    if (memo !== undefined) return restore(memo as ImportMemo, ids);
    if (kind === "delete") return findAgain(ids);
    const place = places.find(({ record }) => record.id === id);
    if (kind !== "create" || place === undefined) return;
    const { path, identity, record } = place;
    const before = restored.get(`${path} ${identity}`);
    const isAnother = before && before.id !== id;
    appendRecord(path, identity, isAnother ? { ...before, undone: id } : { ...record, deleted: "here" });
  };
}

interface IdChange {
  readonly from: string;
  readonly to: string;
}

/** An event that was made again has another id, and so have the events of a series. */
function withNewId(record: ImportRecord, { from, to }: IdChange): ImportRecord {
  return record.id.startsWith(from) ? { ...record, id: to + record.id.slice(from.length) } : record;
}
