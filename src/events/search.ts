import { normalizeText } from "../../contract/comparable-text.js";
import { codePointLength, MAX_SEARCH } from "../../contract/limits.js";
import type { Event } from "../../contract/shapes.js";
import { emptyValueError, usageError } from "../errors.js";

/** Checks the text of a search. @throws CliError usage for one that is empty or too long */
export function parseSearch(text: string, source: string): string {
  if (text === "") throw emptyValueError(source);
  const length = codePointLength(text);
  if (length <= MAX_SEARCH) return text;
  throw usageError(`${source} is ${length} characters long, at most ${MAX_SEARCH} are allowed`);
}

/** The fields that a search reads. */
export type SearchedText = Pick<Event, "title" | "description" | "location">;

/**
 * Whether an event has the text in its title, description or location. Case does not matter, nor how a character is
 * written: `é` as one code point or as two, `Ａ` as wide as `A`. Accents do. Every character of the text stands for itself.
 * @param onCompared is called with each text that was compared, in the form for it: up to 18 times as long
 */
export function createEventSearch(
  text: string,
  onCompared?: (folded: string) => void,
): (event: SearchedText) => boolean {
  const wanted = fold(text);
  const matches = (field: string) => {
    const folded = fold(field);
    onCompared?.(folded);
    return folded.includes(wanted);
  };
  return ({ title, description, location }) =>
    [title, description, location].some((field) => field !== null && matches(field));
}

/**
 * The form in which texts are compared. Upper case is the same for `ß` and `ss`, and for both small sigmas.
 * @see Unicode Standard Annex #15 (NFKC)
 */
function fold(text: string): string {
  // Upper case adds at most two marks to a letter, so that no run gets long again.
  return normalizeText(text, "NFKC").toUpperCase().normalize("NFC");
}
