export interface ColumnDemand {
  /** Columns of the terminal that the widest cell takes. */
  readonly natural: number;
  /** What it can do with at least. */
  readonly least: number;
  /** Gives way before the others do. */
  readonly yieldsFirst: boolean;
}

/**
 * Widths that together take at most `available` columns: those that yield first give way, then the widest. Null
 * when even the least widths are too wide.
 */
export function fitWidths(demands: readonly ColumnDemand[], available: number): readonly number[] | null {
  const widths = demands.map(({ natural }) => natural);
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const first = widestShrinkable(demands, widths, true);
    const index = first === -1 ? widestShrinkable(demands, widths, false) : first;
    if (index === -1) return null;
    widths[index] = (widths[index] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function widestShrinkable(
  demands: readonly ColumnDemand[],
  widths: readonly number[],
  first: boolean,
): number {
  let widest = -1;
  for (const [index, { least, yieldsFirst }] of demands.entries()) {
    const width = widths[index] ?? 0;
    if (yieldsFirst === first && width > least && width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
