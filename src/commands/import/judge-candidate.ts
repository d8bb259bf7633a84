import type { CalendarEvent } from "../../../contract/shapes.js";
import { exceptionsOf, isSeries } from "../../calendar/series.js";
import type { Context } from "../../context.js";
import { nullOn } from "../../errors.js";
import { hashEvent } from "../../import/content-hash.js";
import { isUntouched, judge } from "../../import/judgment.js";
import {
  type ImportEvent,
  type ImportRecord,
  type Known,
  occurrenceRecords,
  writtenRecord,
} from "../../import/plan.js";
import type { Drafter } from "./drafts.js";
import type { ImportStep } from "./write-step.js";

export interface JudgeOptions {
  readonly calendarId: string;
  readonly records: ReadonlyMap<string, ImportRecord>;
  readonly drafter: Pick<Drafter, "draftOf">;
  /** Whether what somebody changed is written all the same. */
  readonly overwrite: boolean;
}

/** What becomes of an event, as it is counted. */
export type Judged = ImportStep | { readonly kind: "unchanged" | "conflicts"; readonly title: string };

/** An event of the file or of the calendar, or both. */
export type Candidate = Known & { readonly event?: ImportEvent };

interface Judgment {
  readonly judged: Judged;
  /** What is remembered without a write: null for nothing any more, undefined for what was. */
  readonly record?: ImportRecord | null;
}

/** @param found what becomes of the events judged before: an occurrence is judged after its series */
export async function judgeCandidate(
  context: Pick<Context, "api">,
  known: Candidate,
  options: JudgeOptions & { readonly found: ReadonlyMap<string, Judged> },
): Promise<Judgment> {
  return (await judgeAfterSeries(context, known, options)) ?? (await judgeKnown(context, known, options));
}

/** An occurrence that the file changes for the first time, together with its series; null for any other event. */
async function judgeAfterSeries(
  context: Pick<Context, "api">,
  { event, record }: Candidate,
  { found, calendarId, records }: JudgeOptions & { readonly found: ReadonlyMap<string, Judged> },
): Promise<Judgment | null> {
  const uid = event?.occurrenceOf?.series ?? "";
  const series = found.get(uid);
  if (event === undefined || series === undefined) return null;
  const { title } = event.content;
  if (series.kind === "new") return { judged: { kind: "new", title, event } };
  if (series.kind !== "changed" || record.left !== "") return null;
  const current = await readEvent(context, calendarId, record.id);
  if (current !== null && !isUntouched(current)) return null;
  const whole = current ?? (await readEvent(context, calendarId, records.get(uid)?.id ?? ""));
  // One that is not there is made with the series, unless somebody deleted it.
  const isLeftOut = exceptionsOf(whole?.recurrences).includes(event.slot ?? 0);
  if (isLeftOut && series.event.exceptions?.isOurs(event.slot ?? 0) === false) return null;
  return { judged: { kind: "changed", title, event, seen: "" } };
}

/** @returns what is done, and what is remembered of it without a write */
async function judgeKnown(
  context: Pick<Context, "api">,
  known: Candidate,
  { calendarId, drafter, overwrite, records }: JudgeOptions,
): Promise<Judgment> {
  const { record, event, identity } = known;
  const read = (id: string) => readEvent(context, calendarId, id);
  const current = record.deleted === "elsewhere" ? null : await read(record.id);
  const draft = event === undefined ? null : drafter.draftOf(event);
  const title = event?.content.title ?? current?.title ?? "";
  switch (judge(record, current, { draft, event, overwrite })) {
    case "deleted":
      return judgeDeleted(known, title);
    case "conflict":
      return { judged: { kind: "conflicts", title } };
    case "same":
      return { judged: { kind: "unchanged", title }, ...(event && current && settle(event, current)) };
    case "write": {
      const seen = current === null ? "" : hashEvent(current);
      if (event !== undefined && draft !== null) return { judged: { kind: "changed", title, event, seen } };
      const parts = occurrenceRecords(records, identity);
      const isWhole =
        current === null || !isSeries(current) || (await isAsImported(current, known, { parts, read }));
      return { judged: isWhole ? { kind: "gone", title, known, seen } : { kind: "conflicts", title } };
    }
  }
}

/** An event that says what the file says. */
function settle(event: ImportEvent, current: CalendarEvent): Pick<Judgment, "record"> {
  return { record: isUntouched(current) ? null : writtenRecord(event, current) };
}

interface SeriesParts {
  /** What is remembered of occurrences. */
  readonly parts: ReturnType<typeof occurrenceRecords>;
  readonly read: (id: string) => Promise<CalendarEvent | null>;
}

/** Whether nobody has changed or deleted a single event of a series. */
async function isAsImported(
  { recurrences }: CalendarEvent,
  { record: { series } }: Known,
  { parts, read }: SeriesParts,
): Promise<boolean> {
  const ours = new Set([...(series?.excepted ?? []), ...parts.map(([, { slot }]) => slot)]);
  if (exceptionsOf(recurrences).some((slot) => !ours.has(slot))) return false;
  for (const [, { id, left, deleted }] of parts) {
    if (deleted === "here") continue;
    const current = await read(id);
    if (current === null || hashEvent(current) !== left) return false;
  }
  return true;
}

/** Somebody deleted it, or a run of ours that was killed before it had noted that. */
function judgeDeleted({ record, event }: Candidate, title: string): Judgment {
  const isOurs = record.deleted === "begun";
  const deleted: ImportRecord = { ...record, deleted: isOurs ? "here" : "elsewhere" };
  if (event === undefined) return { judged: { kind: "unchanged", title }, record: deleted };
  return { judged: isOurs ? { kind: "new", title, event } : { kind: "conflicts", title }, record: deleted };
}

/** Null for one that was deleted. */
async function readEvent(
  { api }: Pick<Context, "api">,
  calendarId: string,
  eventId: string,
): Promise<CalendarEvent | null> {
  return (await api()).getEvent({ calendarId, eventId }).catch(nullOn("not_found"));
}
