import type { Event } from "../../../contract/shapes.js";
import type { EventChange } from "./compare.js";

/**
 * Joins the changes of occurrences whose series was moved or cut in two. Their ids have the start by the rule in them, so a
 * service has the old ones as removed and the new ones as added, and does not say which became which: here the first removed one
 * and the first added one are one `changed`, then the second of each, and so on: of one series, then of those that were
 * created with it.
 */
export function joinMovedOccurrences(changes: readonly EventChange[]): readonly EventChange[] {
  const former = new Map<EventChange, EventChange>();
  const joined = new Set<EventChange>();
  const join = (some: readonly EventChange[]): void => {
    const free = some.filter((change) => !former.has(change) && !joined.has(change)).sort(byStart);
    const added = free.filter(({ change }) => change === "added");
    const removed = free.filter(({ change }) => change === "removed");
    for (const [index, change] of added.entries()) {
      const before = removed[index];
      if (before === undefined) return;
      former.set(change, before);
      joined.add(before);
    }
  };
  for (const [created, related] of groupBy(changes, ({ event }) => event.created_at)) {
    const series = groupBy(related, ({ event }) => event.series_id);
    const isSeries = [...series.keys()].some((id) => id !== null);
    if (created === null || !isSeries) continue;
    for (const [id, ofSeries] of series) if (id !== null) join(ofSeries);
    // A series that was cut off another one, or made of a single event, was created with it.
    join(related);
  }
  return changes
    .filter((change) => !joined.has(change))
    .map((change) => {
      const before = former.get(change)?.event;
      return before === undefined ? change : { change: "changed", event: change.event, before };
    });
}

function groupBy(
  changes: readonly EventChange[],
  keyOf: (change: EventChange) => string | null,
): ReadonlyMap<string | null, readonly EventChange[]> {
  const groups = new Map<string | null, EventChange[]>();
  for (const change of changes) {
    const group = groups.get(keyOf(change)) ?? [];
    group.push(change);
    groups.set(keyOf(change), group);
  }
  return groups;
}

function byStart({ event: one }: EventChange, { event: other }: EventChange): number {
  const startOf = ({ start_at }: Event) => Date.parse(start_at ?? "");
  return startOf(one) - startOf(other);
}
