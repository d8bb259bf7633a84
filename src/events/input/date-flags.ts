import type { Command } from "commander";
import type { Settings } from "../../config/settings.js";
import { configurationError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import {
  type DateInput,
  type DurationInput,
  isIsoDateInput,
  notADayError,
  parseDateInput,
  readDuration,
} from "../../time/dates.js";

/** Reads dates, times and durations of flags where commands start, so that `src/calendar` gets parsed values. */

export function addStrictDatesFlag(command: Command): Command {
  return command.option("--strict-dates", "accept only ISO 8601 dates, no words");
}

/** What reading times uses of a run. */
export interface TimeReading extends Pick<Run, "now"> {
  readonly config: Pick<Run["config"], "settings">;
  readonly output: Pick<Run["output"], "note">;
}

/** How the text of a flag is read. */
export interface DateFlagOptions {
  /** How messages name the flag. */
  readonly source: string;
  /** The zone of a time without an offset. */
  readonly zone: string;
  /** Whether only ISO 8601 is read. */
  readonly strict: boolean;
  /** Whether only a day is meant; the default is no. */
  readonly dayOnly?: boolean;
  /** Whether a day alone gets the time of an event, with which it is printed later. */
  readonly addsTime?: boolean;
  /** Which of several days is meant, such as those of next week; by default they are refused. */
  readonly edge?: "first" | "last";
  /** Milliseconds since the Unix epoch, for texts relative to today. */
  readonly now: () => number;
  /** Prints on stderr how a text was understood; ISO 8601 needs no such line. */
  readonly echo: (line: string) => void;
  /** The day from which a time alone, a weekday and a date without a year count; null for today. */
  readonly from?: () => string | null;
}

/** Reads ISO 8601 or words; what reads words is loaded only for them. @throws CliError usage */
export async function readDateFlag(text: string, options: DateFlagOptions): Promise<DateInput> {
  const { source, strict, now, from, echo } = options;
  if (strict || isIsoDateInput(text)) return parseDateInput(text, options);
  const { parseDateWords } = await import("../../time/date-words.js");
  const wordOptions = { ...options, now: now(), from: from?.() ?? null };
  const { input, description } = parseDateWords(text, wordOptions);
  if (options.addsTime !== true || input.kind === "date-time")
    echo(`${source.replace(/^--/, "")}: ${description}`);
  return input;
}

/** Reads a day likewise. @returns `YYYY-MM-DD` @throws CliError usage for anything else */
export async function readDayFlag(text: string, options: DateFlagOptions): Promise<string> {
  const input = await readDateFlag(text, { ...options, dayOnly: true });
  if (input.kind === "date") return input.date;
  throw notADayError(text, options.source);
}

/** How long a new timed event is without an end: the profile's `duration`, else an hour. @throws CliError configuration */
export function defaultLength({ setting }: Pick<Settings, "setting">): DurationInput {
  const { value: text, source } = setting("duration") ?? { value: "1h", source: "" };
  const duration = readDuration(text);
  if (duration !== null) return { text, ...duration };
  throw configurationError(`${source}: "${text}" is not a valid duration`, { hint: "write 90m or 1.5h" });
}
