import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Scope } from "../../contract/extensions.js";
import { isJsonObject, parseJson } from "../../contract/json.js";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { errorCodeOf } from "../errors.js";
import type { ImportRecord } from "../import/plan.js";

/** A write as it is noted before it is sent. */
export interface Write {
  /** `other`: a request of `calctl api`. */
  readonly kind: "create" | "update" | "delete" | "comment" | "other";
  readonly title: string | null;
  readonly calendarId?: string;
  /** Of the event, or of the series where all of it is deleted; unknown before it is created. */
  readonly eventId?: string;
  /** What there was; absent where it could not be read. */
  readonly before?: CalendarEvent;
  /** What an update writes. */
  readonly draft?: EventDraft;
  /** Which events of a series are meant. */
  readonly scope?: Scope;
  /** The series as it was, where more than one of its events is written, or its rule. */
  readonly series?: CalendarEvent;
  /** Events of it that are written or deleted, though each had been changed on its own. */
  readonly changed?: readonly CalendarEvent[];
}

/** What an import remembered of an event before it was written, with its SEQUENCE, by identity: an undo restores it. */
export type ImportSnapshot = readonly (readonly [string, ImportRecord | null, (number | null)?])[];

/** What became of a write; without any of these it may or may not have been done. */
export interface Outcome {
  readonly done?: true;
  /** It was refused, or its key had written it before. */
  readonly failed?: true;
  /** The event as it was left; the series where one was written. */
  readonly after?: CalendarEvent;
  /** How many events of the series were changed before, each on its own, and were left as they are. */
  readonly kept?: number;
  /** `all` where a delete has left nothing of a series. */
  readonly scope?: Scope;
  /** The id of that series. */
  readonly eventId?: string;
  /** It was taken back. A deleted event has this id since; empty for other writes. */
  readonly undone?: string;
}

export interface NotedWrite extends Write, Outcome {
  /** Its number within the command. */
  readonly n: number;
  /** Of an update or delete of an import. */
  readonly snapshot?: ImportSnapshot;
}

/** What one command wrote. */
export interface JournalEntry {
  readonly file: string;
  /** Whether what it notes cannot be read, or not all of it; the last line of a killed process may be cut. */
  readonly isDamaged: boolean;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  /** `events delete`; `(unreadable)` where that is not known. */
  readonly command: string;
  /** The name of the file that has what an import remembers; undefined for other commands. */
  readonly records?: string | undefined;
  /** In the order in which they were sent. */
  readonly writes: readonly NotedWrite[];
}

/** The new ids of deleted events and series that were created again, by their old ids. */
type NewIds = ReadonlyMap<string, string>;

/** The write with the current ids of its events. The id of a series' event begins with that of the series. */
export function withNewIds(write: NotedWrite, newIds: NewIds): NotedWrite {
  const idOf = (id: string) => currentId(newIds, id);
  const renamed = <T extends { readonly id: string }>(item: T): T => ({ ...item, id: idOf(item.id) });
  const { eventId, after, series, snapshot } = write;
  return {
    ...write,
    ...(eventId !== undefined && { eventId: idOf(eventId) }),
    ...(after !== undefined && { after: renamed(after) }),
    ...(series !== undefined && { series: renamed(series) }),
    ...(snapshot !== undefined && {
      snapshot: snapshot.map(
        ([identity, record, ...rest]) => [identity, record && renamed(record), ...rest] as const,
      ),
    }),
  };
}

function currentId(newIds: NewIds, id: string): string {
  const newId = newIds.get(id);
  if (newId !== undefined) return currentId(newIds, newId);
  const series = id.replace(/_[^_]*$/, "");
  return series === id ? id : currentId(newIds, series) + id.slice(series.length);
}

type Line = Readonly<Record<string, unknown>>;

/** What a file of the journal notes. Null for one of another owner, and for one that was removed meanwhile. */
export function readEntry(file: string, owner: string): JournalEntry | null {
  const text = readText(file);
  if (text === null) return null;
  const [head = null, ...lines] = text.split("\n").map(parseLine);
  if (head !== null && head["owner"] !== owner) return null;
  const writes = new Map<unknown, Line>();
  for (const line of lines) if (line !== null) writes.set(line["n"], { ...writes.get(line["n"]), ...line });
  const time = Number.parseInt(basename(file), 10);
  return {
    file,
    isDamaged: head === null || isDamaged(lines),
    at: String(head?.["at"] ?? new Date(time).toISOString()),
    command: String(head?.["command"] ?? "(unreadable)"),
    records: head?.["records"] as string | undefined,
    // A line of ours, but for what was damaged.
    writes: [...writes.values()].filter(({ kind }) => kind !== undefined) as unknown as readonly NotedWrite[],
  };
}

/** Empty for a file that cannot be read. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return errorCodeOf(error) === "ENOENT" ? null : "";
  }
}

/** A killed process or a full disk cuts the last line alone, which `undo` may then add its own to. */
function isDamaged(lines: readonly (Line | null)[]): boolean {
  const first = lines.indexOf(null);
  return first !== -1 && lines.slice(first).some((line) => line !== null && line["undone"] === undefined);
}

function parseLine(line: string): Line | null {
  const value = parseJson(line);
  return isJsonObject(value) ? value : null;
}
