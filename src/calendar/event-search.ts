import { normalizeText } from "../contract/comparable-text.js";
import { codePointLength, MAX_SEARCH } from "../contract/limits.js";
import type { CalendarEvent } from "../contract/shapes.js";
import { emptyValueError, usageError } from "../errors.js";

/** Checks the text of a search. @throws CliError usage for one that is empty or too long */
export function parseSearch(text: string, source: string): string {
  if (text === "") throw emptyValueError(source);
  const length = codePointLength(text);
  if (length <= MAX_SEARCH) return text;
  throw usageError(`${source} is ${length} characters long, at most ${MAX_SEARCH} are allowed`);
}

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
  return normalizeText(normalizeText(text, "NFKC").toUpperCase(), "NFC");
}
