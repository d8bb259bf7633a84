import type { CalendarEvent } from "../contract/shapes.js";

/** The fields that a search reads. */
export type SearchedText = Pick<CalendarEvent, "title" | "description" | "location">;

/**
 * Whether an event has the text in its title, description or location. Case does not matter, nor how a character is
 * written: `é` as one code point or as two, `Ａ` as wide as `A`. Accents do. Every character of the text stands for itself.
 */
export function createEventSearch(text: string): (event: SearchedText) => boolean {
  const wanted = fold(text);
  return ({ title, description, location }) =>
    [title, description, location].some((field) => field !== null && fold(field).includes(wanted));
}

/**
 * The form in which texts are compared. Upper case is the same for `ß` and `ss`, and for both small sigmas.
 * @see Unicode Standard Annex #15 (NFKC)
 */
function fold(text: string): string {
  return text.normalize("NFKC").toUpperCase().normalize("NFC");
}
