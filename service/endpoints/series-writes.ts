import { isDeepStrictEqual } from "node:util";
import type { Scope } from "../../contract/extensions.js";
import { badRequest, ProblemError } from "../http/response.js";
import { isSeries, isStored, linesOfOccurrences } from "../occurrence.js";
import { eventDocument } from "../resources.js";
import { exceptSlots, parseLines, slotsOf } from "../series-rule.js";
import { deleteEvents } from "../store/deletions.js";
import type { EventContent, EventRow, SeriesRow } from "../store/schema.js";
import {
  deleteSeries,
  findSeries,
  listOccurrences,
  replaceOccurrences,
  storeSeries,
} from "../store/series.js";
import type { Transaction } from "../store/store.js";
import type { WriteContext, WriteResult } from "./endpoint.js";
import type { ParsedEvent } from "./event-body.js";
import { listAttendeesOf } from "./event-reads.js";
import { writeSeries } from "./series-rows.js";
import {
  endSeries,
  nextModification,
  seriesDocument,
  splitRows,
  textsOf,
  timesOf,
  type Update,
  updateMany,
  updateOne,
} from "./series-updates.js";

/** Load it by `import()`: few requests need the rule engine. */

/** What an event keeps through updates. */
type Origin = Pick<EventContent, "id" | "calendar_id" | "creator_id" | "created_at" | "updated_at">;

interface NewSeries extends ParsedEvent {
  readonly recurrences: readonly string[];
  readonly origin: Origin;
}

/** @throws ProblemError 400 */
export async function createSeries({ db, now }: WriteContext, event: NewSeries) {
  const series = await newSeries(event);
  await writeSeries(db, series, { rows: [], move: ({ slot }) => slot ?? 0, now });
  return { id: series.id, body: await seriesDocument(db, series) };
}

async function newSeries({ content, attendeeIds, recurrences, origin }: NewSeries): Promise<SeriesRow> {
  const times = timesOf(content);
  return {
    ...textsOf(content),
    ...origin,
    ...times,
    attendees: attendeeIds.join(" "),
    recurrences: await parseLines(recurrences, times),
    modified_at: origin.updated_at,
    made_until: 0,
  };
}

/** @param stored as `requireEvent` found it @throws ProblemError 400 */
export async function updateRepeating(
  context: WriteContext,
  stored: EventRow,
  update: Update,
): Promise<WriteResult> {
  const { db, now, query } = context;
  if (stored.series_id === null) {
    if (query.scope !== null) throw badScope("is only for an event that repeats");
    const { recurrences } = update;
    const updated_at = Math.max(now, stored.updated_at + 1);
    const series = await newSeries({
      ...update,
      recurrences: recurrences ?? [],
      origin: { ...originOf(stored), updated_at },
    });
    const [first = 0] = slotsOf(series);
    await writeSeries(db, series, { rows: [stored], move: () => first, now });
    return { body: await seriesDocument(db, series) };
  }
  const series = await requireSeries(db, stored);
  const lines = newLines(update, stored, series);
  if (scopeOf(query.scope, stored) !== "this") return updateMany(context, { stored, series, update, lines });
  if (lines !== null)
    throw badRequest({ recurrences: ["cannot be changed for one occurrence; send scope=following or all"] });
  const shown = eventDocument(stored, await listAttendeesOf(db, stored));
  const isKept = isDeepStrictEqual(
    eventDocument({ ...stored, ...update.content }, update.attendeeIds),
    shown,
  );
  return { body: isKept ? shown : await updateOne(db, { stored, series, update, now }) };
}

function originOf({ id, calendar_id, creator_id, created_at, updated_at }: EventRow): Origin {
  return { id, calendar_id, creator_id, created_at, updated_at };
}

async function requireSeries(db: Transaction, { calendar_id, series_id }: EventRow): Promise<SeriesRow> {
  const series = await findSeries(db, calendar_id, series_id ?? "");
  if (series === undefined) throw new ProblemError(404);
  return series;
}

function badScope(problem: string): ProblemError {
  return badRequest({ scope: [problem] });
}

/** @throws ProblemError 400 */
function scopeOf(asked: Scope | null, stored: EventRow): Scope {
  const isWhole = isSeries(stored);
  if (isWhole && asked === "this") throw badScope("cannot be this for a series; name the occurrence");
  return asked ?? (isWhole ? "all" : "this");
}

/** The lines of a body; null where they are those of the event or its series. @throws ProblemError 400 */
function newLines({ recurrences }: Update, stored: EventRow, series: SeriesRow): readonly string[] | null {
  if (recurrences === null) return null;
  const text = recurrences.join("\n");
  const whole = series.recurrences;
  // The lines of a series without its exceptions take those back.
  const known = stored.id === series.id ? [whole] : [stored.recurrences, whole, linesOfOccurrences(whole)];
  if (known.includes(text)) return null;
  if (text !== "") return recurrences;
  throw badRequest({ recurrences: ["must not be empty for an event of a series; leave it out"] });
}

/** @param stored as `requireEvent` found it @throws ProblemError 400 */
export async function deleteRepeating(
  { db, now, query }: WriteContext,
  stored: EventRow,
  revision: number,
): Promise<void> {
  if (stored.series_id === null) throw badScope("is only for an event that repeats");
  const series = await requireSeries(db, stored);
  const { calendar_id, id: event_id } = stored;
  const scope = scopeOf(query.scope, stored);
  if (scope === "this") {
    if (isStored(stored)) await deleteEvents(db, [{ calendar_id, revision, event_id, deleted_at: now }]);
    const recurrences = await exceptSlots(series, [stored.slot ?? 0]);
    const left = { ...series, recurrences, modified_at: nextModification(series, now) };
    await storeSeries(db, left);
    const [next] = slotsOf(left);
    if (next === undefined && (await listOccurrences(db, series.id)).length === 0)
      await deleteSeries(db, series.id);
    return;
  }
  const { rows, earlier, slot } = await splitRows(db, stored, scope);
  const removed = rows.map(({ id }) => id);
  await replaceOccurrences(db, { calendarId: calendar_id, removed, added: [], successors: new Map(), now });
  if (slot === null) return deleteSeries(db, series.id);
  await endSeries(db, { series, earlier, slot, now });
}
