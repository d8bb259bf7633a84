import { sanitizeLine } from "../../output/sanitize.js";
import { padText, textWidth, truncateText } from "../../output/table/text-width.js";

/** A word as a shell lists it. */
export interface ListedWord {
  readonly shown: string;
  /** May be empty. */
  readonly description: string;
}

/** Columns of the words; a longer one moves its description. */
const MAX_COLUMN = 32;

/**
 * One line for each word, with the descriptions below each other, and cut where the terminal ends.
 * @param columns of the terminal, as text
 */
export function alignWords(words: readonly ListedWord[], columns: string): readonly string[] {
  // The last column stays free, so that no line is broken.
  const width = Math.max(Number.parseInt(columns, 10) || 80, 20) - 1;
  const column = Math.min(Math.max(...words.map(({ shown }) => textWidth(shown))), MAX_COLUMN);
  return words.map(({ shown, description }) =>
    description === ""
      ? shown
      : truncateText(`${padText(shown, column)}  ${sanitizeLine(description)}`, width),
  );
}
