import { DAY_MS } from "../../contract/date-time.js";
import type { Scope } from "../../contract/extensions.js";
import { isJsonObject } from "../../contract/json.js";
import type { Client } from "../api/client.js";
import type { CacheFile } from "./cache-file.js";

/** A calendar, label or member as it is stored. Null where the service sent nothing, and where there is none. */
export interface StoredItem {
  readonly id: string;
  readonly name: string | null;
  readonly number: number | null;
  readonly color: string | null;
}

/** Which list: `calendars`, or the labels or members of one calendar. */
type ListKey = "calendars" | `labels ${string}` | `members ${string}`;
/** A list, or what is only shown: the feeds, or the current user alone. */
export type CacheKey = ListKey | "feeds" | "user";

interface StoredList {
  /** Milliseconds since the Unix epoch. */
  readonly readAt: number;
  readonly items: readonly StoredItem[];
}

/** How old a list may become (ms): completion finds it until then. */
const MAX_LIST_AGE = 30 * DAY_MS;
/** An unchanged list is written again when it is older than this (ms), so that few commands write. */
const REWRITE_AGE = DAY_MS;

const MAX_LISTS = 100;
const MAX_ITEMS = 1_000;

/**
 * The names that a service has sent lately, by list. Whole lists only.
 */
export type NameCache = ReturnType<typeof createNameCache>;

/** The lists of one file, which is read once, at the first use. @param now milliseconds since the Unix epoch */
export function createNameCache(file: CacheFile, now: () => number) {
  let loaded: Map<string, StoredList> | undefined;
  let changed = false;
  const lists = (): Map<string, StoredList> => {
    loaded ??= readLists(file);
    return loaded;
  };
  const isYounger = ({ readAt }: StoredList, lifetime: number): boolean => {
    const age = now() - readAt;
    // Not from the future: then a clock has been wrong.
    return age >= 0 && age < lifetime;
  };
  const find = (key: CacheKey): readonly StoredItem[] | null => {
    const list = lists().get(key);
    return list !== undefined && isYounger(list, MAX_LIST_AGE) ? list.items : null;
  };
  const store = (key: CacheKey, items: readonly StoredItem[]): void => {
    const earlier = lists().get(key);
    lists().delete(key);
    if (items.length <= MAX_ITEMS) lists().set(key, { readAt: now(), items });
    const isSame = earlier !== undefined && JSON.stringify(earlier.items) === JSON.stringify(items);
    changed ||= !isSame || !isYounger(earlier, REWRITE_AGE);
  };
  return {
    /** A stored list; null if there is none. */
    find,
    /** Stores a list as read now; `save` writes it. */
    store,
    /** Removes an item of a stored list; `save` writes that. */
    remove(key: CacheKey, id: string): void {
      const items = find(key);
      if (items !== null)
        store(
          key,
          items.filter((item) => item.id !== id),
        );
    },
    /** Writes what has changed. */
    async save(): Promise<void> {
      if (!changed) return;
      changed = false;
      const kept = [...lists()].filter(([, list]) => isYounger(list, MAX_LIST_AGE)).slice(-MAX_LISTS);
      await file.write({ lists: Object.fromEntries(kept) });
    },
  };
}

function readLists(file: CacheFile): Map<string, StoredList> {
  const { lists } = file.read();
  if (!isJsonObject(lists)) return new Map();
  return new Map(Object.entries(lists).flatMap(([key, list]) => (isStoredList(list) ? [[key, list]] : [])));
}

function isStoredList(value: unknown): value is StoredList {
  if (!isJsonObject(value)) return false;
  const { readAt, items } = value;
  return typeof readAt === "number" && Array.isArray(items) && items.every(isStoredItem);
}

function isStoredItem(value: unknown): value is StoredItem {
  if (!isJsonObject(value)) return false;
  const { id, name, number, color } = value;
  return (
    typeof id === "string" &&
    isOrNull(name, "string") &&
    isOrNull(number, "number") &&
    isOrNull(color, "string")
  );
}

function isOrNull(value: unknown, type: "string" | "number"): boolean {
  return value === null || typeof value === type;
}

interface NamesOptions {
  readonly api: () => Promise<Client>;
  /** The cache of the service that `api` uses. */
  readonly cache: () => NameCache;
  /** Forgets an event that was deleted, and the events deleted with it. */
  readonly forgetEvent: (id: string, scope: Scope | undefined) => Promise<void>;
}

/** The client that stores what it reads of names, for completion alone: a command asks the service for each name. */
export async function storeNames({ api: open, cache, forgetEvent }: NamesOptions): Promise<Client> {
  const api = await open();
  const store = <T extends Parameters<typeof storedItem>[0]>(key: CacheKey, items: readonly T[]) => {
    cache().store(key, items.map(storedItem));
    return items;
  };
  return {
    ...api,
    async getCurrentUser() {
      const user = await api.getCurrentUser();
      store("user", [user]);
      return user;
    },
    listCalendars: async (include) => store("calendars", await api.listCalendars(include)),
    listLabels: async (calendarId) => store(`labels ${calendarId}`, await api.listLabels(calendarId)),
    listMembers: async (calendarId) => store(`members ${calendarId}`, await api.listMembers(calendarId)),
    async listFeeds() {
      const feeds = await api.listFeeds();
      store("feeds", feeds ?? []);
      return feeds;
    },
    async deleteEvent(address, options) {
      await api.deleteEvent(address, options);
      await forgetEvent(address.eventId, options?.scope);
    },
    async deleteFeed(feedId) {
      await api.deleteFeed(feedId);
      cache().remove("feeds", feedId);
    },
  };
}

function storedItem(item: Pick<StoredItem, "id" | "name"> & Partial<StoredItem>): StoredItem {
  const { id, name, number = null, color = null } = item;
  return { id, name, number, color };
}
