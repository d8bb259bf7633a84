import type { CalendarEvent } from "../../contract/shapes.js";
import { slotOf } from "../calendar/series.js";
import { CliError } from "../errors.js";
import type { NotedWrite } from "../journal/entry.js";
import type { EventContext } from "./events/event-reader.js";
import { draftOfBefore, nameOf, requireAsLeft, undoneBy } from "./undo-write.js";

/** A write that changed a series, and left some of it. */
export function isSeriesWrite(write: NotedWrite): write is SeriesWrite {
  return write.series !== undefined && !(write.kind === "delete" && write.scope === "all");
}

type SeriesWrite = NotedWrite & { readonly series: CalendarEvent };

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
  const { series } = write;
  const { calendar_id: calendarId, id: seriesId } = series;
  const { kind, before = series, after = series, kept = 0 } = write;
  const api = await context.api();
  const read = (eventId: string) =>
    api.getEvent({ calendarId, eventId }).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.code !== "not_found") throw error;
      throw new CliError("changed", `event ${eventId} was deleted since`);
    });
  const current = await read(seriesId);
  const goesOn = after.id !== seriesId;
  await requireAsLeft(context, goesOn ? await read(after.id) : current, write);
  if (goesOn && kept > 0) {
    const were = kept === 1 ? "was changed on its own" : "were changed on their own";
    throw new CliError("rejected", `${kept} of its events ${were}, and would be lost`, {
      hint: `put the rule back with calctl events update ${seriesId} --scope all --repeat`,
    });
  }
  const isChangedAlone = kind === "delete" && before.id !== seriesId && before.recurrences.length === 0;
  const recurrences = isChangedAlone
    ? withSlot(series.recurrences, slotOf(before) ?? "")
    : series.recurrences;
  const draft = { ...draftOfBefore(context, series, current), recurrences };
  await api.updateEvent({ calendarId, eventId: seriesId }, draft, { scope: "all" });
  if (goesOn) await api.deleteEvent({ calendarId, eventId: after.id }, "all");
  if (isChangedAlone) {
    const again = await read(before.id);
    const own = draftOfBefore(context, before, again);
    await api.updateEvent({ calendarId, eventId: before.id }, own, { scope: "this" });
  }
  note(`${nameOf(write)}: ${undoneBy(write)}`);
  return kind === "delete" ? (write.eventId ?? seriesId) : seriesId;
}

/** Lines without the exception of a slot. */
function withSlot(lines: readonly string[], slot: string): readonly string[] {
  return lines.flatMap((line) => {
    const [name = "", dates = ""] = line.split(":");
    if (!name.startsWith("EXDATE")) return [line];
    const others = dates.split(",").filter((date) => date !== slot);
    return others.length === 0 ? [] : [`${name}:${others.join(",")}`];
  });
}
