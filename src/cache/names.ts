import type { Api } from "../api/client.js";
import { CliError, StaleNamesError } from "../errors.js";
import type { ListKey, NameCache, RememberedItem } from "./name-cache.js";

/**
 * The lists in which names are looked up. Reading commands use the ones that were read lately; everything else reads
 * them from the service each time.
 */
export interface Names {
  /** The calendars, to look up these values; without values, those that there are now. */
  calendars(values: readonly string[]): Promise<readonly RememberedItem[]>;
  /** The labels of a calendar, to look up this value. */
  labels(calendarId: string, value: string): Promise<readonly RememberedItem[]>;
  /**
   * Runs work that writes nothing: names may be those that were read within `TRUSTED_FOR`. If the service then says that
   * something is not there or not allowed, and the names have changed, the work is run again with those of now. It must
   * print nothing before its last request.
   */
  whileReading<T>(work: () => Promise<T>): Promise<T>;
}

/** How long a name is looked up without asking the service (ms): 5 minutes. */
export const TRUSTED_FOR = 300_000;

export interface NamesOptions {
  readonly api: () => Promise<Api>;
  /** Belongs to the account of `api`; called after it. */
  readonly cache: () => Promise<NameCache>;
  /** Whether reading commands may use remembered names. */
  readonly isTrusted: () => boolean;
}

/** @returns the names, and the client that remembers every list it reads */
export function createNames({ api: open, cache: openCache, isTrusted }: NamesOptions): {
  readonly names: Names;
  readonly api: () => Promise<Api>;
} {
  const known = createKnownLists(openCache);
  let reading = false;
  const find = async (key: ListKey, values: readonly string[]): Promise<readonly RememberedItem[]> => {
    const api = await open();
    const checked = known.checked(key);
    if (checked !== undefined) return checked;
    const recent = reading && isTrusted() && values.length > 0 ? await known.recent(key, values) : undefined;
    return recent ?? readList(watchLists(api, known), key);
  };
  return {
    names: {
      calendars: (values) => find("calendars", values),
      labels: (calendarId, value) => find(`labels ${calendarId}`, [value]),
      async whileReading(work) {
        reading = true;
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof StaleNamesError)) throw error;
          known.dropRecent();
          return await work();
        } finally {
          reading = false;
        }
      },
    },
    api: async () => watchLists(await open(), known),
  };
}

/** The lists that a run has used. */
interface KnownLists {
  /** A list that the cache has, in which each value is an id, a number or the name of exactly one. */
  recent(key: ListKey, values: readonly string[]): Promise<readonly RememberedItem[] | undefined>;
  /** A list that was read to check a recent one. */
  checked(key: ListKey): readonly RememberedItem[] | undefined;
  remember(key: ListKey, items: readonly RememberedItem[]): Promise<readonly RememberedItem[]>;
  /** Whether a recent list that was used has another name for this calendar. */
  contradicts(calendar: Pick<RememberedItem, "id" | "name">): boolean;
  /** Reads the recent lists that were used, once. @throws StaleNamesError if one has changed */
  check(api: Api): Promise<void>;
  /** Uses no recent lists from now on. */
  dropRecent(): void;
}

function createKnownLists(openCache: () => Promise<NameCache>): KnownLists {
  const used = new Map<ListKey, readonly RememberedItem[]>();
  const current = new Map<ListKey, readonly RememberedItem[]>();
  let checking: Promise<boolean> | undefined;
  const remember: KnownLists["remember"] = async (key, items) => {
    (await openCache()).remember(key, items);
    return items;
  };
  const haveChanged = async (api: Api): Promise<boolean> => {
    let changed = false;
    for (const [key, items] of used) {
      try {
        const now = await remember(key, await readList(api, key));
        current.set(key, now);
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
    async recent(key, values) {
      const items = checking === undefined ? (await openCache()).find(key, TRUSTED_FOR) : null;
      if (items === null || !values.every((value) => isExact(value, items))) return undefined;
      used.set(key, items);
      return items;
    },
    checked: (key) => current.get(key),
    remember,
    contradicts: ({ id, name }) =>
      used.get("calendars")?.some((calendar) => calendar.id === id && calendar.name !== name) === true,
    async check(api) {
      if (used.size === 0) return;
      checking ??= haveChanged(api);
      if (await checking) throw new StaleNamesError("names have changed");
    },
    dropRecent: () => used.clear(),
  };
}

/** Names in another case or the beginning of one may mean something else since: those are looked up anew. */
function isExact(value: string, items: readonly RememberedItem[]): boolean {
  const byKey = items.some(
    ({ id, number }) =>
      id === value || id.endsWith(`,${value}`) || (number !== null && String(number) === value),
  );
  const normal = value.normalize("NFC");
  return byKey || items.filter(({ name }) => name?.normalize("NFC") === normal).length === 1;
}

async function readList(api: Api, key: ListKey): Promise<readonly RememberedItem[]> {
  if (key === "calendars") return (await api.listCalendars()).map(remembered);
  const [kind, ...rest] = key.split(" ");
  const calendarId = rest.join(" ");
  const items = kind === "labels" ? await api.listLabels(calendarId) : await api.listMembers(calendarId);
  return items.map(remembered);
}

function remembered(item: Pick<RememberedItem, "id" | "name"> & Partial<RememberedItem>): RememberedItem {
  const { id, name, number = null, color = null } = item;
  return { id, name, number, color };
}

/** The same client, which remembers lists and checks recent names when they may be why a read fails. */
function watchLists(api: Api, known: KnownLists): Api {
  const checked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof CliError && ["not_found", "forbidden"].includes(error.code))
        await known.check(api);
      throw error;
    }
  };
  const list = async <T extends Parameters<typeof remembered>[0]>(
    key: ListKey,
    answer: Promise<readonly T[]>,
  ) => {
    const items = await checked(answer);
    await known.remember(key, items.map(remembered));
    return items;
  };
  return {
    ...api,
    listCalendars: (include) => list("calendars", api.listCalendars(include)),
    listLabels: (calendarId) => list(`labels ${calendarId}`, api.listLabels(calendarId)),
    listMembers: (calendarId) => list(`members ${calendarId}`, api.listMembers(calendarId)),
    async getCalendar(calendarId, include) {
      const calendar = await checked(api.getCalendar(calendarId, include));
      if (known.contradicts(calendar)) await known.check(api);
      return calendar;
    },
    getEvent: (address) => checked(api.getEvent(address)),
    listUpcomingEvents: (window) => checked(api.listUpcomingEvents(window)),
    // Of the first page: later ones are read while the list is printed.
    listEvents: (query) => checked(api.listEvents(query)),
    listComments: (address) => checked(api.listComments(address)),
  };
}
