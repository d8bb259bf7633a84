import {
  type DateInput,
  isIsoDateInput,
  lastOfDays,
  notADayError,
  parseDateInput,
  parseDays,
  parseDuration,
  parseTimeZone,
} from "../../calendar/dates.js";
import type { TimeFlags } from "../../calendar/event-times.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { asUsageError, type CliError, joinUsageErrors, missingFlagsError, usageError } from "../../errors.js";

/** Reads dates, times and durations of flags where commands start, so that `src/calendar` gets parsed values. */

/** What reading times needs. */
export interface TimeContext extends Pick<Context, "now"> {
  readonly config: Pick<Context["config"], "settings">;
  readonly output: Pick<Context["output"], "note">;
}

/** How the text of a flag is read. */
export interface FlagReading {
  /** How messages name the flag. */
  readonly source: string;
  /** The zone of a time without an offset. */
  readonly zone: string;
  /** Whether only ISO 8601 is read. */
  readonly strict: boolean;
  /** Whether only a day is meant; the default is no. */
  readonly dayOnly?: boolean;
  /** Milliseconds since the Unix epoch, for texts relative to today. */
  readonly now: () => number;
  /** Prints on stderr how a text was understood; ISO 8601 needs no such line. */
  readonly echo: (line: string) => void;
  /** The day from which a time alone, a weekday and a date without a year count; null for today. */
  readonly from?: () => string | null;
}

/** Reads ISO 8601 or words; what reads words is loaded only for them. @throws CliError usage */
export async function readDateFlag(text: string, reading: FlagReading): Promise<DateInput> {
  if (reading.strict || isIsoDateInput(text)) return parseDateInput(text, reading);
  const { parseDateWords } = await import("../../calendar/date-words.js");
  const { now, from } = reading;
  const options = { ...reading, now: now(), from: from?.() ?? null };
  const { input, description } = parseDateWords(text, options);
  const { source } = reading;
  reading.echo(`${source.replace(/^--/, "")}: ${description}`);
  return input;
}

/** The flags about the times of an event, as typed. */
export interface TypedTimeFlags {
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
): Promise<TimeFlags> {
  const problems = createProblems(missing);
  const readZone = (name: string | undefined, source: string) =>
    problems.collect(name, (given) => parseTimeZone(given, source));
  const startTimezone = await readZone(typed.startTimezone, "--start-timezone");
  const endTimezone = await readZone(typed.endTimezone, "--end-timezone");
  // Without valid zones, the times cannot be read.
  problems.report();
  const common = { now, echo: output.note, strict: typed.strictDates === true };
  const startZone = () => startTimezone ?? config.settings().timezone;
  const start = await problems.collect(typed.start, (text) =>
    readDateFlag(text, { ...common, source: "--start", zone: startZone() }),
  );
  const end = await problems.collect(typed.end, (text) => {
    const zone = endTimezone ?? config.settings().timezone;
    return readDateFlag(text, { ...common, source: "--end", zone, from: () => dayOf(start, startZone) });
  });
  const duration = await problems.collect(typed.duration, (text) => parseDuration(text, "--duration"));
  problems.report();
  return { start, end, duration, allDay: typed.allDay, startTimezone, endTimezone };
}

/** The flags about the days of a list, as typed. */
export interface TypedDayFlags {
  readonly days?: string;
  readonly on?: string;
  readonly from?: string;
  readonly to?: string;
  readonly strictDates?: boolean;
}

/** The first and the last day of a list, as `YYYY-MM-DD`; null for no limit. */
export interface ListedDays {
  readonly first: string | null;
  readonly last: string | null;
}

const EXCLUSIVE = [
  ["on", "from"],
  ["on", "to"],
  ["on", "days"],
  ["to", "days"],
] as const;

/**
 * Reads the days of a list. `--from` alone has no last day, `--to` alone begins today, `--days` counts from `--from`.
 * Null where only `--days` may be given.
 * @throws CliError usage
 */
export async function readDayFlags(context: TimeContext, typed: TypedDayFlags): Promise<ListedDays | null> {
  const conflict = EXCLUSIVE.find((flags) => flags.every((flag) => typed[flag] !== undefined));
  if (conflict !== undefined) throw usageError(`give either --${conflict[0]} or --${conflict[1]}, not both`);
  const days = typed.days === undefined ? null : parseDays(typed.days, "--days");
  const read = createDayReader(context, typed);
  const on = await read("--on", typed.on);
  if (on !== null) return { first: on, last: on };
  const from = await read("--from", typed.from);
  const to = await read("--to", typed.to, from);
  if (from === null && to === null) return null;
  const today = localDate(context.now(), context.config.settings().timezone);
  if (from === null && to !== null && to < today) {
    throw usageError(`--to: ${to} is over`, "give --from as well, to list days of the past");
  }
  if (from !== null && to !== null && to < from)
    throw usageError(`--to: ${to} is before ${from}, the day of --from`);
  const first = from ?? today;
  return { first, last: days === null ? to : lastOfDays(first, days) };
}

function createDayReader({ config, now, output }: TimeContext, { strictDates = false }: TypedDayFlags) {
  return async (source: string, text: string | undefined, from: string | null = null) => {
    if (text === undefined) return null;
    const { timezone: zone } = config.settings();
    const reading = {
      source,
      zone,
      strict: strictDates,
      dayOnly: true,
      now,
      echo: output.note,
      from: () => from,
    };
    const input = await readDateFlag(text, reading);
    if (input.kind === "date") return input.date;
    throw notADayError(text, source);
  };
}

function dayOf(input: DateInput | undefined, zone: () => string): string | null {
  if (input === undefined) return null;
  return input.kind === "date" ? input.date : localDate(input.instant, zone());
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
