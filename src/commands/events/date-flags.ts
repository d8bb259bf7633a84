import type { Command } from "commander";
import {
  type DateInput,
  type DurationInput,
  dayOfInput,
  isIsoDateInput,
  isLocalDateTime,
  notADayError,
  parseDateInput,
  parseDuration,
  parseTimeZone,
  readDuration,
} from "../../calendar/dates.js";
import type { Settings } from "../../config/settings.js";
import type { Context } from "../../context.js";
import {
  asUsageError,
  type CliError,
  configurationError,
  joinUsageErrors,
  missingFlagsError,
} from "../../errors.js";
import type { TypedTimes } from "../../events/patch.js";

/** Reads dates, times and durations of flags where commands start, so that `src/calendar` gets parsed values. */

export function addStrictDatesFlag(command: Command): Command {
  return command.option("--strict-dates", "read only ISO 8601 dates, no words");
}

/** What reading times needs. */
export interface TimeContext extends Pick<Context, "now"> {
  readonly config: Pick<Context["config"], "settings">;
  readonly output: Pick<Context["output"], "note">;
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
  const { parseDateWords } = await import("../../calendar/date-words.js");
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

/** The flags about the times of an event, as typed. */
export interface TypedTimeFlags extends Pick<DateFlagOptions, "addsTime"> {
  readonly start?: string;
  readonly end?: string;
  readonly duration?: string;
  readonly allDay?: boolean;
  readonly startTimezone?: string;
  readonly endTimezone?: string;
  readonly strictDates?: boolean;
}

/**
 * Reads each time in its own zone, by default the chosen one.
 * @param missing flags that the command needs and that are not given, for the error
 * @throws CliError usage that names everything that is wrong, and then what is missing
 */
export async function readTimeFlags(
  { config, now, output }: TimeContext,
  typed: TypedTimeFlags,
  missing: readonly string[] = [],
): Promise<TypedTimes> {
  const problems = createProblems(missing);
  const readZone = (name: string | undefined, source: string) =>
    problems.collect(name, (given) => parseTimeZone(given, source));
  const startTimezone = await readZone(typed.startTimezone, "--start-timezone");
  const endTimezone = await readZone(typed.endTimezone, "--end-timezone");
  // Without valid zones, the times cannot be read.
  problems.report();
  const strict = typed.strictDates === true;
  // An all-day event has no use for a time, so that no message should offer one.
  const common = (text: string) => {
    const dayOnly = typed.allDay === true && !isIsoDateInput(text);
    return { now, echo: output.note, strict, dayOnly };
  };
  const startZone = () => startTimezone ?? config.settings().timezone;
  const start = await problems.collect(typed.start, (text) =>
    readDateFlag(text, {
      ...common(text),
      source: "--start",
      zone: startZone(),
      addsTime: typed.addsTime === true,
    }),
  );
  const end = await problems.collect(typed.end, (text) => {
    const zone = endTimezone ?? config.settings().timezone;
    const from = () => (start === undefined ? null : dayOfInput(start, startZone()));
    if (endTimezone === undefined && startZone() !== zone && isLocalDateTime(text))
      output.note(
        `end: "${text}" is in ${zone}; for the zone of the start, add --end-timezone ${startZone()}`,
      );
    return readDateFlag(text, { ...common(text), source: "--end", zone, from });
  });
  const duration = await problems.collect(typed.duration, (text) => parseDuration(text, "--duration"));
  problems.report();
  return { start, end, duration, allDay: typed.allDay, startTimezone, endTimezone };
}

/** Collects usage errors, so that one error can name them all. */
function createProblems(missing: readonly string[]) {
  const errors: CliError[] = [];
  return {
    /** What `read` makes of a value; undefined without one, and if reading it is a usage error. */
    async collect<T>(value: string | undefined, read: (value: string) => T | Promise<T>) {
      try {
        return value === undefined ? undefined : await read(value);
      } catch (error) {
        errors.push(asUsageError(error));
        return undefined;
      }
    },
    /** @throws CliError usage when there are errors */
    report(): void {
      if (errors.length === 0) return;
      throw joinUsageErrors(missing.length === 0 ? errors : [...errors, missingFlagsError(missing)]);
    },
  };
}
