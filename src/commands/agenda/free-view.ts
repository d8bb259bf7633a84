import type { LocalizedEvent } from "../../events/localized-event.js";
import { INSTANT } from "../../events/views/calendar.js";
import { eventView } from "../../events/views/event.js";
import { describeWhen, titleOf } from "../../events/views/event-when.js";
import { jsonObject, type View } from "../../output/view.js";
import { formatMinutes } from "../../time/dates.js";
import { addDays } from "../../time/zoned-time.js";
import type { localizeTime } from "./free-time.js";

/** A time when nobody of those asked for has an event. */
export type FreeTime = ReturnType<typeof localizeTime>;

const LOCAL = "in the chosen zone, YYYY-MM-DDTHH:mm:ss+HH:mm";

/** The free times of `free`. */
export const freeView: View<FreeTime> = {
  noun: "free time",
  shape: "free_time",
  keys: {
    start_at: { type: "string", about: INSTANT },
    end_at: { type: "string", about: INSTANT },
    start_local: { type: "string", about: `start_at ${LOCAL}` },
    end_local: { type: "string", about: `end_at ${LOCAL}` },
  },
  tsv: ["start_local", "end_local"],
  table: [
    {
      header: "When",
      cell: (time, { hours, zone }) => ({
        text: describeWhen(time, { year: false, hours: hours?.(), zone: zone() }),
      }),
    },
    {
      header: "Length",
      cell: ({ start_at, end_at }) => ({
        text: formatMinutes(Math.floor((Date.parse(end_at) - Date.parse(start_at)) / 60_000)),
      }),
    },
  ],
};

/** Two events that overlap, by their starts. */
export interface Conflict {
  readonly first: LocalizedEvent;
  readonly second: LocalizedEvent;
}

/** The pairs of `conflicts`. @param shorten makes of an id what people may type; without it a table has no ids */
export function createConflictView(shorten?: (id: string) => string): View<Conflict> {
  return {
    noun: "conflict",
    shape: "conflict",
    keys: {
      first: eventKey("the event that begins first", ({ first }) => first),
      second: eventKey("the other one", ({ second }) => second),
    },
    tsv: ["first", "second"],
    table: [
      {
        header: "When",
        cell: (pair, { hours, zone }) => ({
          text: describeWhen(commonTime(pair), { year: false, hours: hours?.(), zone: zone() }),
        }),
      },
      "first",
      "second",
      {
        header: "IDs",
        cell: ({ first, second }) => ({ text: [first.id, second.id].map((id) => shorten?.(id)).join(" ") }),
        isShown: () => shorten !== undefined,
      },
    ],
  };
}

function eventKey(
  about: string,
  eventOf: (pair: Conflict) => LocalizedEvent,
): View<Conflict>["keys"]["first"] {
  return {
    type: { object: eventView },
    about,
    json: (pair) => jsonObject(eventView, eventOf(pair)),
    text: (pair) => eventOf(pair).id,
    cell: (pair) => ({ text: titleOf(eventOf(pair)) }),
    minWidth: 8,
  };
}

function commonTime({ first, second }: Conflict): Pick<LocalizedEvent, "start_local" | "end_local"> {
  if (first.all_day !== true && second.all_day !== true) {
    const endsFirst = Date.parse(first.end_at ?? "") < Date.parse(second.end_at ?? "") ? first : second;
    return { start_local: second.start_local, end_local: endsFirst.end_local };
  }
  const areDays = first.all_day === second.all_day;
  const [one, other] = areDays ? [first, second] : [fromMidnight(first), fromMidnight(second)];
  return {
    start_local: [one.start_local ?? "", other.start_local ?? ""].sort()[1] ?? null,
    end_local: [one.end_local ?? "", other.end_local ?? ""].sort()[0] ?? null,
  };
}

/** An all-day event as times, from its first midnight to its last. */
function fromMidnight({ all_day, start_local, end_local }: LocalizedEvent) {
  if (all_day !== true || start_local === null || end_local === null) return { start_local, end_local };
  return { start_local: `${start_local}T00:00:00`, end_local: `${addDays(end_local, 1)}T00:00:00` };
}
