import type { Scope } from "../../contract/extensions.js";
import type { Client } from "../api/client.js";
import type { CacheKey, NameCache, StoredItem } from "./name-cache.js";

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
