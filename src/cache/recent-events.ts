import { readFileSync } from "node:fs";
import { isJsonObject } from "../contract/json.js";

/** An event that a terminal has shown lately. */
export interface RecentEvent {
  readonly id: string;
  readonly calendarId: string;
  readonly title: string;
}

/**
 * The events that this machine's terminals have shown lately, so that people can type the beginning of an id. A file
 * that is missing, damaged or not writable is never an error.
 */
export interface RecentEvents {
  /** Remembers events as the ones shown last. */
  remember(events: readonly RecentEvent[]): Promise<void>;
  /**
   * The shortest beginning of an id that no other event shares, at least four digits. Ids of other forms, and of events
   * that are not remembered, as they are.
   */
  shorten(id: string): string;
  /** The events whose id begins with this text. */
  find(beginning: string): readonly RecentEvent[];
}

/** How many events are remembered. */
const MAX_EVENTS = 2_000;

const SHORTEST_ID = 4;
/** Ids of other forms are not shortened: nothing says how long they are. */
const HEX_ID = /^[0-9a-f]{32}$/;

/** @param path of the file. @throws where there is no folder for it, which the functions then ignore */
export function createRecentEvents(path: () => string): RecentEvents {
  let loaded: readonly RecentEvent[] | undefined;
  const load = (): readonly RecentEvent[] => {
    loaded ??= readEvents(path);
    return loaded;
  };
  return {
    async remember(events) {
      const shown = new Map(events.map((event) => [event.id, event]));
      const others = load().filter(({ id }) => !shown.has(id));
      loaded = [...shown.values(), ...others].slice(0, MAX_EVENTS);
      try {
        // Loads cryptography, which most commands do not need.
        const { writePrivateFile } = await import("../system/private-file.js");
        await writePrivateFile(path(), JSON.stringify({ version: 1, events: loaded }));
      } catch (_unavailable) {
        // Ids can be typed in full.
      }
    },
    shorten(id) {
      const events = load();
      if (!HEX_ID.test(id) || events.every((event) => event.id !== id)) return id;
      const others = events.filter((event) => event.id !== id);
      let length = SHORTEST_ID;
      while (others.some((event) => event.id.startsWith(id.slice(0, length)))) length += 1;
      return id.slice(0, length);
    },
    find: (beginning) => load().filter(({ id }) => id.startsWith(beginning)),
  };
}

function readEvents(path: () => string): readonly RecentEvent[] {
  try {
    const content: unknown = JSON.parse(readFileSync(path(), "utf8"));
    const events = isJsonObject(content) ? content["events"] : undefined;
    return Array.isArray(events) ? events.filter(isRecentEvent) : [];
  } catch (_unavailable) {
    return [];
  }
}

function isRecentEvent(value: unknown): value is RecentEvent {
  return isJsonObject(value) && ["id", "calendarId", "title"].every((key) => typeof value[key] === "string");
}
