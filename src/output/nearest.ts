/** Nobody mistypes a longer name. Comparing takes time and memory for each pair of letters. */
const MAX_COMPARED = 200;

/**
 * The items whose name was probably meant by a word with a typing error, closest first.
 * @param nameOf the text that is compared with the word as it is
 */
export function findNearest<T>(word: string, items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const near = items.flatMap((item) => {
    const name = nameOf(item);
    const limit = Math.max(1, Math.floor(name.length / 3));
    if (name.length > MAX_COMPARED || Math.abs(name.length - word.length) > limit) return [];
    const distance = editDistance(word, name);
    return distance <= limit ? [{ item, distance }] : [];
  });
  return near.sort((one, other) => one.distance - other.distance).map(({ item }) => item);
}

/** How many letters must be inserted, removed, replaced or swapped with their neighbor. */
export function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + Number(!same),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
