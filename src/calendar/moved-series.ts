import type { CalendarEvent } from "../../contract/shapes.js";
import type { EventChange } from "./event-changes.js";

/**
 * Joins the changes of occurrences whose series was moved or cut in two. Their ids have the start by the rule in them, so a
 * service has the old ones as gone and the new ones as added, and does not say which became which: here the first that is gone
 * and the first that is added are one `changed`, then the second of each, and so on.
 */
export function joinMovedOccurrences(changes: readonly EventChange[]): readonly EventChange[] {
  const former = new Map<EventChange, EventChange>();
  // A series that was cut off another one was created with it.
  const created = new Set(changes.map(({ event }) => (event.series_id === null ? null : event.created_at)));
  created.delete(null);
  for (const time of created) {
    const ofSeries = changes.filter(({ event }) => event.created_at === time).sort(byStart);
    const gone = ofSeries.filter(({ change }) => change === "gone");
    const added = ofSeries.filter(({ change }) => change === "added");
    for (const [index, change] of added.slice(0, gone.length).entries())
      former.set(change, gone[index] ?? change);
  }
  const joined = new Set(former.values());
  return changes
    .filter((change) => !joined.has(change))
    .map((change) => {
      const before = former.get(change)?.event;
      return before === undefined ? change : { change: "changed", event: change.event, before };
    });
}

function byStart({ event: one }: EventChange, { event: other }: EventChange): number {
  const startOf = ({ start_at }: CalendarEvent) => Date.parse(start_at ?? "");
  return startOf(one) - startOf(other);
}
