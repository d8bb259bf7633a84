import { sanitizeLine } from "./sanitize.js";

/** The first of some names, and how many more there are: `Ana, Ben and 3 more`. */
export function firstNames(names: readonly string[], max: number): string {
  const more = names.length - max;
  return names.slice(0, max).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

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

/** Words that no shell takes apart. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * A command line that a person can copy into any POSIX shell, and that a terminal can show: control and bidirectional
 * characters are written as octal escapes of `printf`. Line feeds at the end of a word are lost, as in every `$(…)`.
 * @see POSIX.1-2024, Shell Command Language, 2.2 Quoting
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (sanitizeLine(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `"$(printf '${Array.from(new TextEncoder().encode(word), printfByte).join("")}')"`;
}

function printfByte(byte: number, index: number): string {
  const character = String.fromCharCode(byte);
  if (character === "%") return "%%";
  // At the beginning it would be an option.
  const isPlain =
    (character !== "-" || index > 0) &&
    byte >= 0x20 &&
    byte < 0x7f &&
    character !== "'" &&
    character !== "\\";
  return isPlain ? character : `\\${byte.toString(8).padStart(3, "0")}`;
}
