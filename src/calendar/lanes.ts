/** Something that takes up a part of a line, from `start` up to `end`. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Where an interval is drawn among those that it overlaps, directly or through others. */
export interface Placed<T> {
  readonly item: T;
  /** From 0. */
  readonly lane: number;
  /** How many lanes its group needs. */
  readonly lanes: number;
}

/**
 * Places overlapping intervals beside each other, in as few lanes as possible. Of those that start together, the first
 * comes first.
 */
export function placeInLanes<T extends Interval>(items: readonly T[]): Placed<T>[] {
  const sorted = items.toSorted((one, other) => one.start - other.start);
  const placed: Placed<T>[] = [];
  let group: { readonly item: T; readonly lane: number }[] = [];
  let ends: number[] = [];
  const finishGroup = () => {
    placed.push(...group.map((member) => ({ ...member, lanes: ends.length })));
    group = [];
    ends = [];
  };
  for (const item of sorted) {
    if (ends.every((end) => end <= item.start)) finishGroup();
    const free = ends.findIndex((end) => end <= item.start);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = item.end;
    group.push({ item, lane });
  }
  finishGroup();
  return placed;
}
