import { createHash } from "node:crypto";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { contentKey } from "../calendar/event-changes.js";
import { hasFields } from "../calendar/if-unchanged.js";
import type { ImportContent } from "./entry.js";

/** An event that an import makes: one of the file, or one occurrence of a repeating one. */
export interface ImportEvent {
  /** What later runs know it by. */
  readonly identity: string;
  readonly content: ImportContent;
  /** Of an occurrence, when it starts by its rule (ms since the Unix epoch). */
  readonly slot?: number | undefined;
}

/** What is remembered of an event that was imported. */
export interface ImportRecord {
  /** Of the event in the calendar. */
  readonly id: string;
  /** `hashContent` of what the file said. */
  readonly hash: string;
  /** `hashEvent` of the event as the import left it. */
  readonly left: string;
  readonly slot?: number | undefined;
  /** `begun`: a delete was sent. `here`: an import or its undo deleted it. `elsewhere`: somebody else did. */
  readonly deleted?: "begun" | "here" | "elsewhere" | undefined;
}

/** An event of the file or of the calendar, with what is remembered of it. */
export interface Known {
  readonly identity: string;
  readonly record: ImportRecord;
}

interface KnownEvent extends Known {
  readonly event: ImportEvent;
}

/** What the file says. */
export interface ImportSource {
  readonly events: ReadonlyMap<string, ImportEvent>;
  /** Identities of events that are cancelled. */
  readonly cancelled: ReadonlySet<string>;
  /** Identities of single events and of series: an occurrence that a series does not have any more is cancelled. */
  readonly masters: ReadonlySet<string>;
  /** Identities of what the file has and cannot become an event. */
  readonly rejected: ReadonlySet<string>;
  /** The window of occurrences (ms since the Unix epoch); what is outside of it is not gone. */
  readonly window: { readonly from: number; readonly to: number };
}

export interface Comparison {
  readonly added: readonly ImportEvent[];
  readonly unchanged: number;
  /** Changed in the file; what the calendar has decides. */
  readonly changed: readonly KnownEvent[];
  /** Cancelled in the file. */
  readonly cancelled: readonly Known[];
  /** Not in the file any more. */
  readonly missing: readonly Known[];
  /** How many events of the calendar came from this source. */
  readonly before: number;
}

/** Compares a file with what was imported from it before. Nothing of the calendar is needed. */
export function compareWithRecords(
  { events, cancelled, masters, rejected, window }: ImportSource,
  records: ReadonlyMap<string, ImportRecord>,
): Comparison {
  const [added, changed] = [[] as ImportEvent[], [] as KnownEvent[]];
  let unchanged = 0;
  for (const event of events.values()) {
    const { identity } = event;
    const record = records.get(identity);
    if (record === undefined || record.deleted === "here") added.push(event);
    else if (record.hash === hashContent(event) && record.deleted !== "begun") unchanged += 1;
    else changed.push({ identity, record, event });
  }
  const isInWindow = ({ slot = window.from }: ImportRecord) => slot >= window.from && slot < window.to;
  const known = [...records]
    .map(([identity, record]): Known => ({ identity, record }))
    .filter(({ record: { deleted = "begun", ...record } }) => deleted === "begun" && isInWindow(record));
  const others = known.filter(({ identity }) => !events.has(identity) && !rejected.has(identity));
  const isCancelled = (each: Known) => cancelled.has(each.identity) || masters.has(masterOf(each));
  return {
    added,
    unchanged,
    changed,
    cancelled: others.filter(isCancelled),
    missing: others.filter((each) => !isCancelled(each) && !rejected.has(masterOf(each))),
    before: known.length,
  };
}

/** The identity of a single event, or that of the series of an occurrence. */
function masterOf({ identity, record }: Known): string {
  return record.slot === undefined ? identity : identity.slice(0, identity.lastIndexOf(" "));
}

/**
 * What becomes of an event that the file has changed, or does not have any more.
 * - `write`: it is as the import left it, or `overwrite` is set
 * - `same`: it says already what would be written
 * - `deleted`: it is not there any more, which stays so
 * - `conflict`: somebody changed it
 * @param current as it is now; null when there is none
 * @param draft null for one that is not in the file any more, which `overwrite` does not delete
 */
export function judge(
  { left }: ImportRecord,
  current: CalendarEvent | null,
  { draft, overwrite }: { readonly draft: EventDraft | null; readonly overwrite: boolean },
): "write" | "same" | "deleted" | "conflict" {
  if (current === null) return "deleted";
  if (draft !== null && hasFields(current, draftOfChange(draft, current))) return "same";
  return hashEvent(current) === left || (overwrite && draft !== null) ? "write" : "conflict";
}

/** What replaces an event: what the file does not have is cleared. */
export function draftOfChange(draft: EventDraft, current: CalendarEvent): EventDraft {
  const cleared = (key: "description" | "location" | "url") => draft[key] ?? (current[key] ? "" : undefined);
  return {
    ...draft,
    description: cleared("description"),
    location: cleared("location"),
    url: cleared("url"),
    attendee_ids: draft.attendee_ids ?? (current.attendees.length > 0 ? [] : undefined),
  };
}

/** The same for two versions of a file's event that say the same. */
export function hashContent({ content }: ImportEvent): string {
  const { category, title, description, location, url, label, attendees } = content;
  const { all_day, start_at, start_timezone, end_at, end_timezone } = content;
  return shortHash([
    ...[category, title, all_day ?? false, start_at, start_timezone, end_at, end_timezone],
    ...[description || null, location || null, url || null],
    ...[typeof label === "object" ? label.name || label.number : label, attendees ?? []],
  ]);
}

/** The same for two versions of an event of the calendar that say the same. */
export function hashEvent(event: CalendarEvent): string {
  return shortHash(contentKey(event));
}

/** Enough that nothing is taken for the same by chance. */
export function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}
