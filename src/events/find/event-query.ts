import type { Command } from "commander";
import type { Category, Event } from "../../../contract/shapes.js";
import { collect } from "../../cli/global-flags.js";
import { emptyValueError, usageError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import { lastOfDays, parseDays, upcomingDays } from "../../time/dates.js";
import { localDate } from "../../time/zoned-time.js";
import type { DayRange } from "../day-list.js";
import { addStrictDatesFlag, readDayFlag } from "../input/date-flags.js";
import { CATEGORY_CHOICES } from "../order.js";
import type { UpcomingQuery } from "../reminders.js";

/** The flags that choose calendars and filter their events, as typed. */
export interface FilterFlags {
  readonly allCalendars?: boolean;
  readonly category?: Category;
  /** Names or numbers, of which an event has one. */
  readonly label?: readonly string[];
  /** The same, of which it has none. */
  readonly excludeLabel?: readonly string[];
  /** Members, of whom one attends it. */
  readonly attendee?: readonly string[];
  /** Created or attended by the current user. */
  readonly mine?: boolean;
  /** Omit events that are over. */
  readonly remaining?: boolean;
}

/** The flags that choose days and a text, as typed. */
export interface DayFlags {
  readonly days?: string;
  readonly on?: string;
  readonly from?: string;
  readonly to?: string;
  readonly strictDates?: boolean;
  readonly search?: string;
}

/** The names of the filters as they are remembered: in no order, and one as before there could be several. */
export function rememberedNames({ label, excludeLabel, attendee }: FilterFlags) {
  const remembered = (values: readonly string[] = []): string | readonly string[] | undefined => {
    const each = [...new Set(values)].sort();
    return each.length > 1 ? each : each[0];
  };
  return {
    label: remembered(label),
    excludeLabel: remembered(excludeLabel),
    attendee: remembered(attendee),
  };
}

type EventPages = AsyncIterable<readonly Event[]>;

/** The events that are asked for. */
export interface EventQuery {
  readonly days: DayRange;
  /** The lists of next days that have them, which every service has; null where only the extension lists them. */
  readonly upcoming: readonly UpcomingQuery[] | null;
  /** Null for any text. */
  readonly search: string | null;
  /** Whether each series is listed once, as by a search without days. */
  readonly oncePerSeries?: boolean;
  /** Whether keeps without times are listed too, after those of the days. */
  readonly keepsWithoutTimes?: boolean;
  /**
   * Reads pages only up to the first events that are wanted, of days after the next week: a service that lists only that week
   * gives no events instead of an error.
   */
  readonly takeFirst?: (pages: EventPages) => EventPages;
  readonly filters: FilterFlags;
}

/** Reads how many are wanted at most. @throws CliError usage */
export function parseLimit(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  if (text.trim() === "") throw emptyValueError("--limit");
  throw usageError(`--limit: "${text}" is not a whole number of at least 1`);
}

/** Adds the flags that choose days. */
export function addDayFlags(command: Command, days: string): void {
  command
    .optionsGroup("Days")
    .option("--days <1-366>", `number of days from today or --from (default: ${days})`)
    .option("--on <date>", "a single day: a date, or words such as tomorrow or fri")
    .option("--from <date>", "first day (default: today)")
    .option("--to <date>", "last day");
  addStrictDatesFlag(command);
}

/** Heading of help, above the flags that choose events. */
const EVENTS_GROUP = "Which events";

/** Adds `--all-calendars`. */
export function addCalendarFlag(command: Command): void {
  command
    .optionsGroup(EVENTS_GROUP)
    .option("-A, --all-calendars", "events of every calendar, even if a default calendar is set");
}

/** Adds the flags that filter events. */
export function addFilterFlags(command: Command, category = "only events of this category"): void {
  command
    .optionsGroup(EVENTS_GROUP)
    .option("--mine", "only events that you created or attend")
    .option("--label <number|id|name>", "only events with one of these labels, repeatable", collect)
    .option("--exclude-label <number|id|name>", "omit events with this label, repeatable", collect)
    .option("--attendee <id|name|me>", "only events that one of these members attends, repeatable", collect)
    .addOption(command.createOption("--category <category>", category).choices(CATEGORY_CHOICES))
    .option("--remaining", "omit events that are over");
}

/** Reads which events the flags ask for. @throws CliError usage */
export async function readQuery(run: Run, flags: DayFlags & FilterFlags): Promise<EventQuery> {
  const search =
    flags.search === undefined ? null : (await import("../search.js")).parseSearch(flags.search, "--search");
  const chosen = await readDays(run, flags);
  if (chosen !== null) return { days: chosen, upcoming: null, search, filters: flags };
  const count = flags.days === undefined ? 1 : parseDays(flags.days, "--days");
  const { timezone } = run.config.settings();
  const first = localDate(run.now(), timezone);
  const last = lastOfDays(first, count);
  const isAnyDay = search !== null && flags.days === undefined;
  const days = search === null ? upcomingDays(first, last, first) : null;
  return {
    days: isAnyDay ? { first: null, last: null } : { first, last },
    upcoming: days === null ? null : [{ timezone, days }],
    search,
    oncePerSeries: isAnyDay,
    filters: flags,
  };
}

const EXCLUSIVE = [
  ["on", "from"],
  ["on", "to"],
  ["on", "days"],
  ["to", "days"],
] as const;

/**
 * `--from` alone has no last day, `--to` alone begins today, `--days` counts from `--from`. Null where only `--days` may
 * be given.
 */
async function readDays(run: Run, typed: DayFlags): Promise<DayRange | null> {
  const conflict = EXCLUSIVE.find((flags) => flags.every((flag) => typed[flag] !== undefined));
  if (conflict !== undefined) throw usageError(`use either --${conflict[0]} or --${conflict[1]}, not both`);
  const days = typed.days === undefined ? null : parseDays(typed.days, "--days");
  const read = createDayReader(run, typed);
  const on = await read("--on", typed.on, "first");
  if (on !== null) return { first: on, last: await read("--on", typed.on, "last") };
  const from = await read("--from", typed.from, "first");
  const to = await read("--to", typed.to, "last", from);
  if (from === null && to === null) return null;
  const today = localDate(run.now(), run.config.settings().timezone);
  if (from === null && to !== null && to < today) {
    throw usageError(`--to: ${to} is over`, "add --from to list past days");
  }
  if (from !== null && to !== null && to < from)
    throw usageError(`--to: ${to} is before ${from}, the day of --from`);
  const first = from ?? today;
  return { first, last: days === null ? to : lastOfDays(first, days) };
}

function createDayReader({ config, now, output }: Run, { strictDates = false }: DayFlags) {
  return async (
    source: "--on" | "--from" | "--to",
    text: string | undefined,
    edge: "first" | "last",
    from: string | null = null,
  ) => {
    if (text === undefined) return null;
    return readDayFlag(text, {
      source,
      zone: config.settings().timezone,
      now,
      edge,
      strict: strictDates,
      // The days of --on are read twice.
      echo: source === "--on" && edge === "last" ? () => undefined : output.note,
      from: () => from,
    });
  };
}

/** What is said when there are no such events. */
export function describeEmpty({ days: { first, last }, upcoming, search }: EventQuery): string {
  if (upcoming !== null) {
    const [{ days } = { days: 1 }] = upcoming;
    return days === 1 ? "no events today" : `no events in ${days} days`;
  }
  const days = [
    ...(first === null || first === last ? [] : [`from ${first}`]),
    ...(last === null ? [] : [`${first === last ? "on" : "to"} ${last}`]),
  ];
  const found = search === null ? [] : ["found"];
  return ["no events", ...found, ...days].join(" ");
}
