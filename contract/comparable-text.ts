/**
 * The most marks in a row that are put in order with each other. No language needs as many; the time that it takes grows
 * with their square. @see UAX #15 §13
 */
const MAX_MARKS = 30;

/** Marks, and the only two characters beside them that compatibility decomposition turns into marks. */
const MARK = "[\\p{M}\\uff9e\\uff9f]";
/** Not from within a run, where each of its marks would be tried as the first. Most characters are none: they come first. */
const TOO_MANY_MARKS = new RegExp(`${MARK}(?<!${MARK}{2})${MARK}{${MAX_MARKS},}`, "gu");
const FULL_RUN = new RegExp(`.{${MAX_MARKS}}(?=.)`, "gu");

/** Keeps marks on both sides apart, and is not seen. */
const COMBINING_GRAPHEME_JOINER = "\u034f";

/**
 * `text.normalize(form)` in time that grows with the length of the text, whatever it is. After 30 marks in a row, a
 * combining grapheme joiner is inserted; the result is not affected otherwise.
 * @see UAX #15 §13 (Stream-Safe Text Format)
 */
export function normalizeText(text: string, form: "NFC" | "NFKC"): string {
  return text
    .replace(TOO_MANY_MARKS, (marks) => marks.replace(FULL_RUN, `$&${COMBINING_GRAPHEME_JOINER}`))
    .normalize(form);
}

/** The form in which names are compared: neither case matters, nor how a character is composed. */
export function foldCase(text: string): string {
  return normalizeText(text, "NFC").toLowerCase();
}
