import { readFileSync } from "node:fs";
import { readSentence, type SentenceReading } from "../../../src/commands/add/sentence.js";
import type { SentenceMoment } from "../../../src/commands/add/sentence-doubts.js";
import { CliError } from "../../../src/errors.js";
import { NOW } from "../../support/harness.js";

export const BERLIN = { zone: "Europe/Berlin", now: NOW };
const TABLE = readFileSync(new URL("sentences.txt", import.meta.url), "utf8");
/** The name of each section with its sentences, and what they are read as. */
export const SECTIONS = TABLE.split(/^== /m)
  .slice(1)
  .map((section) => [section.split("\n")[0] ?? "", rowsOf(section)] as const);
export const ROWS = SECTIONS.flatMap(([, rows]) => rows);

function rowsOf(section: string) {
  return [...section.matchAll(/^(.*?) +=> (.*)$/gm)].map(
    ([, text = "", reading = ""]) => [text, reading] as const,
  );
}

/** A reading, or `! ` and why there is none. */
export function outcome(text: string, options: SentenceMoment = BERLIN): SentenceReading | string {
  try {
    return readSentence(text, options);
  } catch (error) {
    if (error instanceof CliError && error.code === "usage")
      return `! ${error.message.replace(/^the text:? /, "")}`;
    throw error;
  }
}

/** The same event with its times in ISO 8601, and its texts in quotes. */
export function written({
  title,
  start,
  end: last,
  duration,
  location,
  label,
  repeat = "",
  until,
  count,
}: SentenceReading): string {
  // Beside days of a rule there is no other day.
  const isOnDays =
    /\bon\b|weekday|(?:of )?(?:every|each) month$|^every (?:other )?(?:mon(?!th)|tue|wed|thu|fri|sat|sun)/i.test(
      repeat,
    ) && !/^every month$/i.test(repeat);
  const [from, to] = [start, last].map((text) => text?.replace(/(:\d\d):00(?=[+-])/, "$1"));
  const length = duration && `for ${duration}${/ days?$/.test(duration) && repeat !== "" ? " each" : ""}`;
  const clockOf = (text: string | undefined) => text?.slice("YYYY-MM-DDT".length);
  const end = repeat === "" ? to : clockOf(to);
  const times = [isOnDays ? clockOf(from) : from, end && `- ${end}`, length, repeat];
  const ends = [until && `until ${until}`, count && `${count} times`];
  return [`"${title}"`, ...times, ...ends, location && `at "${location}"`, label && `#"${label}"`]
    .filter(Boolean)
    .join(" ");
}
