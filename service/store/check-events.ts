import { yieldToEventLoop } from "../../src/system/clock.js";
import { eventJson } from "../resources.js";
import { EXAMPLES, type Problem } from "./check-rows.js";
import { sizeOfEvent } from "./events.js";
import type { LongWorkOptions, Transaction } from "./store.js";
import { readStoredEvents, type StoredEvent } from "./stored-events.js";
import { countRows } from "./tables.js";

/** What is wrong with single events: their times, their size, and whether their stored JSON matches their columns. */
export async function checkEvents(
  db: Transaction,
  { onProgress, signal }: LongWorkOptions,
): Promise<readonly Problem[]> {
  const total = await countRows(db, "events");
  const found = new Map<string, string[]>();
  let done = 0;
  const report = () => onProgress({ what: "checking events", done, total });
  report();
  for await (const events of readStoredEvents(db)) {
    await yieldToEventLoop(signal);
    for (const event of events) {
      for (const what of problemsOf(event)) {
        found.set(what, [...(found.get(what) ?? []).slice(0, EXAMPLES), event.row.id]);
      }
    }
    done += events.length;
    report();
  }
  return [...found].map(([what, keys]) => ({ what, keys }));
}

/** JavaScript has no time beyond that (ms since the epoch). */
const LAST_TIME = 8.64e15;

function problemsOf({ row, attendeeIds }: StoredEvent): string[] {
  const times = [row.start_at, row.end_at, row.created_at, row.updated_at].filter((time) => time !== null);
  if (!times.every((time) => Number.isInteger(time) && Math.abs(time) <= LAST_TIME))
    return ["events with invalid times"];
  const { start_at: start, end_at: end, category } = row;
  const isTimed = start !== null && end !== null;
  const hasZones = row.start_timezone !== null && row.end_timezone !== null;
  return [
    ...((start === null) === (end === null) && isTimed === hasZones
      ? []
      : ["events with only some of their times"]),
    ...(category === "schedule" && !isTimed ? ["scheduled events without times"] : []),
    ...(isTimed && end < start ? ["events that end before they start"] : []),
    ...(row.bytes < sizeOfEvent({ row, attendeeIds })
      ? ["events that are larger than their stored size"]
      : []),
    ...(row.json === eventJson(row, attendeeIds)
      ? []
      : ["events whose stored JSON differs from their columns"]),
  ];
}
