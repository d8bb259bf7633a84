import { DAY_MS } from "../../contract/date-time.js";
import type { Scope } from "../../contract/extensions.js";
import { isJsonObject } from "../../contract/json.js";
import type { CacheFile } from "./cache-file.js";

/** An event that a terminal has shown lately. */
interface RecentEvent {
  readonly id: string;
  readonly calendarId: string;
  readonly title: string;
  /** In the zone in which it was shown, as `start_local`; null without a start, and where it was stored without. */
  readonly start: string | null;
}

/** How many events are remembered. */
const MAX_EVENTS = 2_000;

const SHORTEST_ID = 4;
/** Ids of other forms are not shortened: nothing says how long they are. An occurrence has the id of its series and its start. */
const HEX_ID = /^([0-9a-f]{32})(?:_(\d{8})(T\d{6}Z)?)?$/;

/** An event with the time it was shown (ms since the Unix epoch). */
interface RememberedEvent extends RecentEvent {
  readonly shownAt: number;
}

/** How long an event is remembered (ms). */
const MAX_EVENT_AGE = 90 * DAY_MS;

/**
 * The events that this machine's terminals have shown lately, so that people can type the beginning of an id. A file
 * that is missing, damaged or not writable is never an error.
 */
export type RecentEvents = ReturnType<typeof createRecentEvents>;

/** The recent events of one file, which is read once, at the first use. @param now milliseconds since the Unix epoch */
export function createRecentEvents(file: CacheFile, now: () => number) {
  let loaded: readonly RememberedEvent[] | undefined;
  let lengths: ReadonlyMap<string, number> | undefined;
  let perDay: ReadonlyMap<string, number> | undefined;
  const load = (): readonly RememberedEvent[] => {
    loaded ??= readEvents(file, now());
    return loaded;
  };
  const replace = async (events: readonly RememberedEvent[], ids: readonly string[]): Promise<void> => {
    const replaced = new Set(ids);
    const others = load().filter(({ id }) => !replaced.has(id));
    loaded = [...events, ...others].slice(0, MAX_EVENTS);
    lengths = undefined;
    perDay = undefined;
    await file.write({ events: loaded });
  };
  /** The events whose id begins with this text; with `_` in it, its two parts begin with those of the text. */
  const find = (beginning: string): readonly RecentEvent[] => {
    const [base = "", start] = beginning.split("_");
    const isFound = (id: string) => {
      const [ownBase = "", ownStart = ""] = id.split("_");
      return ownBase.startsWith(base) && ownStart.startsWith(start ?? "");
    };
    return load().filter(({ id }) => (start === undefined ? id.startsWith(beginning) : isFound(id)));
  };
  return {
    /** Remembers events as the ones shown last. */
    async remember(events: readonly RecentEvent[]): Promise<void> {
      const shown = new Map(events.map((event) => [event.id, { ...event, shownAt: now() }]));
      await replace([...shown.values()], [...shown.keys()]);
    },
    /** Forgets the events that a deletion removed: this one or, by the scope, all or the later events of its series too. */
    async forget(id: string, scope: Scope = "this"): Promise<void> {
      const [base = "", start = ""] = id.split("_");
      const isDeleted = (other: string) => {
        const [otherBase, otherStart = ""] = other.split("_");
        if (scope === "this" || otherBase !== base) return other === id;
        return scope === "all" || otherStart >= start;
      };
      const deleted = load().filter((event) => isDeleted(event.id));
      if (deleted.length > 0)
        await replace(
          [],
          deleted.map((event) => event.id),
        );
    },
    /**
     * The shortest beginning of an id that no other event shares, at least four digits; of an occurrence that of its series,
     * and its day: `3f2a_20261207`. Ids of other forms, and of events that are not remembered, as they are.
     */
    shorten(id: string): string {
      const [, base, day, time = ""] = HEX_ID.exec(id) ?? [];
      if (base === undefined) return id;
      lengths ??= uniqueLengths(load().map((event) => event.id.split("_")[0] ?? ""));
      perDay ??= countBy(load(), (event) => event.id.split("T")[0] ?? "");
      const length = lengths.get(base);
      if (day === undefined || length === undefined) return id.slice(0, length);
      const short = `${base.slice(0, length)}_${day}`;
      return perDay.get(`${base}_${day}`) === 1 ? short : `${short}${time}`;
    },
    find,
  };
}

function countBy<T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return counts;
}

/** How many characters of each id no other one begins with. Of sorted ids, neighbors have the most in common. */
function uniqueLengths(ids: readonly string[]): ReadonlyMap<string, number> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, index) => {
      const neighbors = [sorted[index - 1] ?? "", sorted[index + 1] ?? ""];
      return [id, Math.max(SHORTEST_ID, ...neighbors.map((other) => sharedLength(id, other) + 1))];
    }),
  );
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function readEvents(file: CacheFile, now: number): readonly RememberedEvent[] {
  const { events } = file.read();
  if (!Array.isArray(events)) return [];
  return events
    .filter(isRememberedEvent)
    .filter(({ shownAt }) => shownAt <= now && now - shownAt < MAX_EVENT_AGE)
    .map((event) => ({ ...event, start: typeof event.start === "string" ? event.start : null }));
}

function isRememberedEvent(value: unknown): value is RememberedEvent {
  if (!isJsonObject(value) || typeof value["shownAt"] !== "number") return false;
  return ["id", "calendarId", "title"].every((key) => typeof value[key] === "string");
}
