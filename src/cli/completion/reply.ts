import { sanitizeLine } from "../../output/sanitize.js";
import type { Completion } from "./candidates.js";
import type { ListedWord } from "./listing.js";
import { quoteForBash, quoteForPowerShell, splitBashLine, splitFishLine } from "./shell-syntax.js";

/** Completes words: those after the name of the program, of which the last ends at the cursor. */
type Complete = (words: readonly string[]) => Completion;

/** Records end with a null character, the only one that no argument can have. The first says whether files are meant. */
function records(completion: Completion, rest: readonly string[]): string {
  return [completion.files ? "files" : "words", ...rest].map((text) => `${text}\0`).join("");
}

/** Values of COMP_TYPE when bash lists what fits and inserts nothing that differs. */
const LISTING = ["33", "63", "64"];

/** Writes what a shell is told about the words at its cursor. */
type Reply = (args: readonly string[], complete: Complete) => string | Promise<string>;

/** What the scripts of `calctl completion` ask with `__complete SHELL …`, by shell. */
export const REPLIES: Readonly<Record<string, Reply>> = {
  /** COMP_TYPE, COMP_WORDBREAKS, columns and the line to the cursor; then what readline puts in place of the word. */
  async bash([type = "", breaks = "", columns = "", line = ""], complete) {
    const { words, kept, quote } = splitBashLine(line, breaks);
    const completion = complete(words.slice(1));
    const start = (words.at(-1) ?? "").slice(0, kept);
    const fitting = completion.candidates.filter(({ value }) => value.startsWith(start));
    const texts = fitting.map(({ value }) => {
      const quoted = quoteForBash(value.slice(kept), quote);
      return quote === null ? quoted : besideQuotes(quoted, { quote, isOnly: fitting.length === 1 });
    });
    if (!LISTING.includes(type) || fitting.length < 2 || quote !== null) return records(completion, texts);
    const listed = fitting.map(({ description }, index) => ({ shown: texts[index] ?? "", description }));
    return records(completion, await align(listed, columns));
  },

  /** Columns and the words; then values, each followed by how it is listed. zsh quotes them itself. */
  async zsh([columns = "", ...words], complete) {
    const completion = complete(words);
    const { candidates } = completion;
    const listed = candidates.map(({ value, description }) => ({
      shown: sanitizeLine(value.replace(/^-[^=]*=/, "")),
      description,
    }));
    const lines = await align(listed, columns);
    return records(
      completion,
      candidates.flatMap(({ value }, index) => [value, lines[index] ?? ""]),
    );
  },

  /** The line to the cursor; then values, each with its description after a tab. fish quotes them itself. */
  fish([line = ""], complete) {
    const completion = complete(splitFishLine(line).slice(1));
    const texts = completion.candidates.map(
      ({ value, description }) => `${value}\t${sanitizeLine(description)}`,
    );
    return records(completion, texts);
  },

  /** JSON of the words in base64; then JSON in ASCII, so that neither depends on encodings and quoting of PowerShell. */
  powershell([encoded = ""], complete) {
    const words: unknown = JSON.parse(Buffer.from(encoded, "base64").toString("utf8"));
    const { files, candidates } = complete(Array.isArray(words) ? words.map(String) : []);
    const results = candidates.map(({ value, description }) => ({
      text: quoteForPowerShell(value),
      // Neither may be empty.
      shown: sanitizeLine(value) || " ",
      tip: sanitizeLine(description) || sanitizeLine(value) || " ",
    }));
    const json = JSON.stringify({ files, results });
    return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  },
};

/** The tables of characters are loaded only for words that are listed with what they mean. */
async function align(words: readonly ListedWord[], columns: string): Promise<readonly string[]> {
  if (words.every(({ description }) => description === "")) return words.map(({ shown }) => shown);
  const { alignWords } = await import("./listing.js");
  return alignWords(words, columns);
}

/** Readline takes a quote at the beginning of a text for the one that is open, and at its end for the closing one. */
function besideQuotes(
  text: string,
  { quote, isOnly }: { readonly quote: string; readonly isOnly: boolean },
): string {
  const opening = text.startsWith(quote) ? quote : "";
  return opening + text + (isOnly && text.endsWith(quote) ? quote : "");
}
