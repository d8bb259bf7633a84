export interface ColumnDemand {
  /** Columns of the terminal that the widest cell takes. */
  readonly natural: number;
  /** What it can do with at least. */
  readonly least: number;
}

/**
 * Widths that together take at most `available` columns: the widest give way first. Null when even the least
 * widths are too wide.
 */
export function fitWidths(demands: readonly ColumnDemand[], available: number): readonly number[] | null {
  const widths = demands.map(({ natural }) => natural);
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const index = widestShrinkable(demands, widths);
    if (index === -1) return null;
    widths[index] = (widths[index] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function widestShrinkable(demands: readonly ColumnDemand[], widths: readonly number[]): number {
  let widest = -1;
  for (const [index, { least }] of demands.entries()) {
    const width = widths[index] ?? 0;
    if (width > least && width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
