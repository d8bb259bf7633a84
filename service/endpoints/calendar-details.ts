import { createLruCache } from "../lru-cache.js";
import { labelResource, memberResource } from "../resources.js";
import { listLabels, listMembers } from "../store/calendars.js";
import type { CalendarRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import { listUsers } from "../store/users.js";

/** What events of a calendar refer to. It is queried when it is needed for the first time. */
export interface CalendarDetails {
  /** The users with these ids, ordered by id: JSON of resource objects. Some may have left the calendar. */
  users(db: Transaction, ids: Iterable<string>): Promise<readonly string[]>;
  /** The labels by number, in order: JSON of resource objects. */
  labels(db: Transaction): Promise<ReadonlyMap<number, string>>;
  /** Plain ids. */
  memberIds(db: Transaction): Promise<ReadonlySet<string>>;
}

/** @param calendar as the transaction sees it with which the details are then queried */
export type FindDetails = (calendar: Pick<CalendarRow, "id" | "details_revision">) => CalendarDetails;

/** Calendars whose details are cached, and users of each. */
const MAX_CALENDARS = 2_000;
const MAX_USERS = 100;

/** Details of calendars, each cached as long as its `details_revision` is the same. */
export function createDetailsCache(): FindDetails {
  const cache = createLruCache<{ readonly revision: number; readonly details: CalendarDetails }>(
    MAX_CALENDARS,
  );
  return ({ id, details_revision: revision }) => {
    const cached = cache.get(id);
    if (cached?.revision === revision) return cached.details;
    const details = createDetails(id);
    cache.set(id, { revision, details });
    return details;
  };
}

function createDetails(calendarId: string): CalendarDetails {
  const users = new Map<string, string>();
  let labels: ReadonlyMap<number, string> | undefined;
  let memberIds: ReadonlySet<string> | undefined;
  return {
    async users(db, ids) {
      const sorted = [...new Set(ids)].sort();
      const found = new Map(sorted.map((id) => [id, users.get(id)]));
      const missing = sorted.filter((id) => found.get(id) === undefined);
      for (const user of await listUsers(db, missing)) {
        const json = JSON.stringify(memberResource(calendarId, user));
        found.set(user.id, json);
        if (users.size < MAX_USERS) users.set(user.id, json);
      }
      return [...found.values()].filter((json) => json !== undefined);
    },
    async labels(db) {
      labels ??= new Map(
        (await listLabels(db, { id: calendarId })).map((row) => [
          row.number,
          JSON.stringify(labelResource(row)),
        ]),
      );
      return labels;
    },
    async memberIds(db) {
      memberIds ??= new Set((await listMembers(db, { id: calendarId })).map(({ id }) => id));
      return memberIds;
    },
  };
}
