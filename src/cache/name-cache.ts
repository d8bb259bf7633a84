import { DAY_MS } from "../contract/date-time.js";
import { isJsonObject } from "../contract/json.js";
import type { CacheFile } from "./cache-file.js";

/** A calendar, label or member as it is remembered. Null where the service sent nothing, and where there is none. */
export interface RememberedItem {
  readonly id: string;
  readonly name: string | null;
  readonly number: number | null;
  readonly color: string | null;
}

/** Which list: `calendars`, or the labels or members of one calendar. */
export type ListKey = "calendars" | `labels ${string}` | `members ${string}`;

interface RememberedList {
  /** Milliseconds since the Unix epoch. */
  readonly readAt: number;
  readonly items: readonly RememberedItem[];
}

/** The names that a service has sent lately, by list. Whole lists only: part of one could hide a second bearer of a name. */
export interface NameCache {
  /** A list that was read within this time (ms); null if it was not. */
  find(key: ListKey, maxAge: number): readonly RememberedItem[] | null;
  /** Keeps a list as read now, until `save`. */
  remember(key: ListKey, items: readonly RememberedItem[]): void;
  /** Writes what has changed. */
  save(): Promise<void>;
}

export interface NameCacheOptions {
  readonly file: CacheFile;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Who read the lists, which nobody else uses; undefined for any. */
  readonly account: string | undefined;
  /** An unchanged list is written again when it is older than this (ms). */
  readonly renewAfter: number;
}

/** For completion (ms): 30 days. */
export const KEPT_FOR = 30 * DAY_MS;

const MAX_LISTS = 100;
const MAX_ITEMS = 1_000;

export function createNameCache({ file, now, account, renewAfter }: NameCacheOptions): NameCache {
  let loaded: Map<string, RememberedList> | undefined;
  let changed = false;
  const lists = (): Map<string, RememberedList> => {
    loaded ??= readLists(file, account);
    return loaded;
  };
  const isYoung = ({ readAt }: RememberedList, maxAge: number): boolean => {
    const age = now() - readAt;
    // Not from the future: then a clock has been wrong.
    return age >= 0 && age < maxAge;
  };
  return {
    find(key, maxAge) {
      const list = lists().get(key);
      return list !== undefined && isYoung(list, maxAge) ? list.items : null;
    },
    remember(key, items) {
      const known = lists().get(key);
      lists().delete(key);
      if (items.length <= MAX_ITEMS) lists().set(key, { readAt: now(), items });
      const isSame = known !== undefined && JSON.stringify(known.items) === JSON.stringify(items);
      changed ||= !isSame || !isYoung(known, renewAfter);
    },
    async save() {
      if (!changed) return;
      changed = false;
      const kept = [...lists()].filter(([, list]) => isYoung(list, KEPT_FOR)).slice(-MAX_LISTS);
      await file.write({ account, lists: Object.fromEntries(kept) });
    },
  };
}

function readLists(file: CacheFile, account: string | undefined): Map<string, RememberedList> {
  const content = file.read();
  const lists = content["lists"];
  if (!isJsonObject(lists) || (account !== undefined && content["account"] !== account)) return new Map();
  return new Map(
    Object.entries(lists).flatMap(([key, list]) => (isRememberedList(list) ? [[key, list]] : [])),
  );
}

function isRememberedList(value: unknown): value is RememberedList {
  if (!isJsonObject(value)) return false;
  const { readAt, items } = value;
  return typeof readAt === "number" && Array.isArray(items) && items.every(isRememberedItem);
}

function isRememberedItem(value: unknown): value is RememberedItem {
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
