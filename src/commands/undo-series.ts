import type { CalendarEvent } from "../../contract/shapes.js";
import { fromFirstSlot, timesFrom, withoutExceptions } from "../calendar/series.js";
import { linesFor, shiftBetween, shiftedStart } from "../calendar/series-shift.js";
import { CliError } from "../errors.js";
import type { WriteRow } from "../state/writes.js";
import type { EventContext } from "./events/event-reader.js";
import { draftOfBefore, nameOf, requireAsLeft, restoreChanged, undoneBy } from "./undo-write.js";

/** A write that changed a series, and left some of it. */
export function isSeriesWrite(write: WriteRow): write is SeriesWrite {
  return write.series !== undefined && !(write.kind === "delete" && write.scope === "all");
}

type SeriesWrite = WriteRow & { readonly series: CalendarEvent };

/**
 * Takes back what was written to a series, or deleted of it: the series gets its rule and its content again, and what went
 * on as another series is deleted.
 * @param note takes a line for people
 * @returns the id of what is there again
 * @throws CliError changed when somebody wrote since, rejected for what would be lost; nothing is written then
 */
export async function undoSeriesWrite(
  context: EventContext,
  write: SeriesWrite,
  note: (text: string) => void,
): Promise<string> {
  const { series, after = series, changed = [] } = write;
  const { calendar_id: calendarId, id: seriesId } = series;
  const api = await context.api();
  const read = (eventId: string) =>
    api.getEvent({ calendarId, eventId }).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.code !== "not_found") throw error;
      throw new CliError("changed", `event ${eventId} was deleted since`);
    });
  const current = await read(seriesId);
  const goesOn = after.id !== seriesId;
  await requireAsLeft(context, goesOn ? await read(after.id) : current, write);
  if (goesOn) await requireNothingLost(context, write, after.id);
  const shown = shownAs(write, current);
  const lines = withoutExceptions(series.recurrences, changed);
  const draft = {
    ...draftOfBefore(context, shown, current),
    recurrences: linesFor(lines, current, shown),
  };
  await api.updateEvent({ calendarId, eventId: seriesId }, draft, { scope: "all" });
  if (goesOn) await api.deleteEvent({ calendarId, eventId: after.id }, { scope: "all" });
  await restoreChanged(context, series, changed);
  note(`${nameOf(write)}: ${undoneBy(write)}`);
  return write.kind === "delete" ? (write.eventId ?? seriesId) : seriesId;
}

/** What goes on as another series is deleted. @throws CliError when something in it is not in the first one */
async function requireNothingLost(
  context: EventContext,
  { series: { id, calendar_id: calendarId }, kept = 0 }: SeriesWrite,
  eventId: string,
): Promise<void> {
  if (kept > 0) {
    const were = kept === 1 ? "was changed on its own" : "were changed on their own";
    throw new CliError("rejected", `${kept} of its events ${were}, and would be lost`, {
      hint: `restore the rule with calctl events update ${id} --scope all --repeat`,
    });
  }
  const comments = (await (await context.api()).listComments({ calendarId, eventId })) ?? [];
  for await (const page of comments)
    if (page.length > 0)
      throw new CliError("changed", "there are comments on its events, which would be lost", {
        hint: `calctl comments ${eventId} shows them; calctl events update ${eventId} --scope all changes its events`,
      });
}

/** The series as it was with the times that its first event has now, moved back as far as the write moved it. */
function shownAs({ series, before, draft, after }: SeriesWrite, current: CalendarEvent): CalendarEvent {
  const isWhole = before !== undefined && draft !== undefined && after?.id === series.id;
  // Another rule may begin on another day, though nothing was moved.
  const shift = isWhole
    ? shiftBetween(draft, before)
    : shiftBetween(fromFirstSlot(current), fromFirstSlot(series));
  const start = shiftedStart(current, shift, series.start_timezone ?? "UTC");
  return { ...series, ...timesFrom(series, Date.parse(start)) };
}
