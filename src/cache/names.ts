import { normalizeText } from "../../contract/comparable-text.js";
import { MINUTE_MS } from "../../contract/date-time.js";
import type { Scope } from "../../contract/extensions.js";
import type { Api } from "../api/client.js";
import { CliError, hasCode, StaleNamesError } from "../errors.js";
import { type CacheKey, type ListKey, MAX_LIST_AGE, type NameCache, type StoredItem } from "./name-cache.js";

/** How old a stored list may be to look names up in it without asking the service (ms). */
export const FRESHNESS_LIFETIME = 5 * MINUTE_MS;

export interface NamesOptions {
  readonly api: () => Promise<Api>;
  /** The cache of the account that `api` uses. It is opened after `api`, which reports a missing token first. */
  readonly cache: () => Promise<NameCache>;
  /** Whether reading commands may use stored lists. */
  readonly mayReuse: () => boolean;
  /** Forgets an event that was deleted, and the events deleted with it. */
  readonly forgetEvent: (id: string, scope: Scope | undefined) => Promise<void>;
}

/**
 * The lists in which names are looked up. Reading commands use the ones that were read lately; everything else reads
 * them from the service each time.
 */
export type Names = ReturnType<typeof createNames>["names"];

/** @returns the names, and the client that stores every list it reads */
export function createNames({ api: open, cache: openCache, mayReuse, forgetEvent }: NamesOptions) {
  const lists = createUsedLists(openCache);
  let reading = false;
  const find = async (key: ListKey, values: readonly string[]): Promise<readonly StoredItem[]> => {
    const api = await open();
    const validated = lists.validated(key);
    if (validated !== undefined) return validated;
    const fresh = reading && mayReuse() && values.length > 0 ? await lists.fresh(key, values) : undefined;
    return fresh ?? readList(watchLists(api, lists), key);
  };
  return {
    names: {
      /** The calendars, to look up these values; without values, those that there are now. */
      calendars: (values: readonly string[]) => find("calendars", values),
      /** The labels of a calendar, to look up these values. */
      labels: (calendarId: string, values: readonly string[]) => find(`labels ${calendarId}`, values),
      /** The members of a calendar, to look up these values. */
      members: (calendarId: string, values: readonly string[]) => find(`members ${calendarId}`, values),
      /**
       * Runs work that writes nothing: names may be looked up in stored lists that are fresh. If the service then says that
       * something is not there or not allowed, those lists are validated, and if one is stale, the work is run again with
       * those of now. It must print nothing before its last request.
       */
      async withCachedNames<T>(work: () => Promise<T>): Promise<T> {
        reading = true;
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof StaleNamesError)) throw error;
          lists.dropStored();
          return await work();
        } finally {
          reading = false;
        }
      },
    },
    api: async (): Promise<Api> => forgetDeleted(watchLists(await open(), lists), lists, forgetEvent),
  };
}

type UsedLists = ReturnType<typeof createUsedLists>;

/** The lists that a run has used. */
function createUsedLists(openCache: () => Promise<NameCache>) {
  const used = new Map<ListKey, readonly StoredItem[]>();
  const validated = new Map<ListKey, readonly StoredItem[]>();
  let validating: Promise<boolean> | undefined;
  const store = async (key: CacheKey, items: readonly StoredItem[]) => {
    (await openCache()).store(key, items);
    return items;
  };
  const haveChanged = async (api: Api): Promise<boolean> => {
    let changed = false;
    for (const [key, items] of used) {
      try {
        const now = await store(key, await readList(api, key));
        validated.set(key, now);
        changed ||= JSON.stringify(now) !== JSON.stringify(items);
      } catch (error) {
        if (!(error instanceof CliError) || error.code === "interrupted") throw error;
        // The work fails by itself where it reads this list.
        changed = true;
      }
    }
    return changed;
  };
  return {
    /** A fresh stored list in which each value is an id, a number or the name of exactly one. */
    async fresh(key: ListKey, values: readonly string[]): Promise<readonly StoredItem[] | undefined> {
      const items = validating === undefined ? (await openCache()).find(key, FRESHNESS_LIFETIME) : null;
      if (items === null || !values.every((value) => isExact(value, items))) return undefined;
      used.set(key, items);
      return items;
    },
    /** A list that was read to validate a stored one. */
    validated: (key: ListKey) => validated.get(key),
    store,
    async remove(key: CacheKey, id: string): Promise<void> {
      const items = (await openCache()).find(key, MAX_LIST_AGE);
      if (items !== null)
        await store(
          key,
          items.filter((item) => item.id !== id),
        );
    },
    /** Whether a stored list that was used has another name for this calendar. */
    contradicts: ({ id, name }: Pick<StoredItem, "id" | "name">) =>
      used.get("calendars")?.some((calendar) => calendar.id === id && calendar.name !== name) === true,
    /** Reads the stored lists that were used anew, once. @throws StaleNamesError if one has changed */
    async validate(api: Api): Promise<void> {
      if (used.size === 0) return;
      validating ??= haveChanged(api);
      if (await validating) throw new StaleNamesError("names have changed");
    },
    /** Uses no stored lists from now on. */
    dropStored: () => used.clear(),
  };
}

/** Names in another case or the beginning of one may mean something else since: those are looked up anew. */
function isExact(value: string, items: readonly StoredItem[]): boolean {
  const byKey = items.some(
    ({ id, number }) =>
      id === value || id.endsWith(`,${value}`) || (number !== null && String(number) === value),
  );
  const normal = normalizeText(value, "NFC");
  return (
    byKey || items.filter(({ name }) => name !== null && normalizeText(name, "NFC") === normal).length === 1
  );
}

async function readList(api: Api, key: ListKey): Promise<readonly StoredItem[]> {
  if (key === "calendars") return (await api.listCalendars()).map(storedItem);
  const [kind, ...rest] = key.split(" ");
  const calendarId = rest.join(" ");
  const items = kind === "labels" ? await api.listLabels(calendarId) : await api.listMembers(calendarId);
  return items.map(storedItem);
}

function storedItem(item: Pick<StoredItem, "id" | "name"> & Partial<StoredItem>): StoredItem {
  const { id, name, number = null, color = null } = item;
  return { id, name, number, color };
}

/** The same client; completion no longer offers the events and feeds that it deletes. */
function forgetDeleted(api: Api, lists: UsedLists, forgetEvent: NamesOptions["forgetEvent"]): Api {
  return {
    ...api,
    async deleteEvent(address, options) {
      await api.deleteEvent(address, options);
      await forgetEvent(address.eventId, options?.scope);
    },
    async deleteFeed(feedId) {
      await api.deleteFeed(feedId);
      await lists.remove("feeds", feedId);
    },
  };
}

/** The same client, which stores lists, and validates those that were used when they may be why a read fails. */
function watchLists(api: Api, lists: UsedLists): Api {
  const validating = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (hasCode(error, "not_found", "forbidden")) await lists.validate(api);
      throw error;
    }
  };
  const list = async <T extends Parameters<typeof storedItem>[0]>(
    key: ListKey,
    answer: Promise<readonly T[]>,
  ) => {
    const items = await validating(answer);
    await lists.store(key, items.map(storedItem));
    return items;
  };
  return {
    ...api,
    async getCurrentUser() {
      const user = await api.getCurrentUser();
      await lists.store("user", [storedItem(user)]);
      return user;
    },
    listCalendars: (include) => list("calendars", api.listCalendars(include)),
    listLabels: (calendarId) => list(`labels ${calendarId}`, api.listLabels(calendarId)),
    listMembers: (calendarId) => list(`members ${calendarId}`, api.listMembers(calendarId)),
    async listFeeds() {
      const feeds = await api.listFeeds();
      await lists.store("feeds", (feeds ?? []).map(storedItem));
      return feeds;
    },
    async getCalendar(calendarId, include) {
      const calendar = await validating(api.getCalendar(calendarId, include));
      if (lists.contradicts(calendar)) await lists.validate(api);
      return calendar;
    },
    getEvent: (address) => validating(api.getEvent(address)),
    listUpcomingEvents: (window) => validating(api.listUpcomingEvents(window)),
    listChanges: (query) => validating(api.listChanges(query)),
    // Of the first page: later ones are read while the list is printed.
    listEvents: (query) => validating(api.listEvents(query)),
    listComments: (address) => validating(api.listComments(address)),
  };
}
