import { sql } from "kysely";
import type { ActivityRow } from "./schema.js";
import type { Transaction } from "./store.js";

export interface ActivityListQuery {
  readonly eventId: string;
  /** The comment that was listed last: when it was created (ms), and its id; null for the first page. */
  readonly after: { readonly at: number; readonly id: string } | null;
}

/** The next comments on an event, oldest first. */
export function listActivitiesAfter(
  db: Transaction,
  { eventId, after }: ActivityListQuery,
  count: number,
): Promise<ActivityRow[]> {
  return db
    .selectFrom("activities")
    .selectAll()
    .where("event_id", "=", eventId)
    .where(after === null ? sql<boolean>`true` : sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
    .orderBy("created_at")
    .orderBy("id")
    .limit(count)
    .execute();
}
