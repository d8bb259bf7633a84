import { lastOfDays, parseDays } from "../../calendar/dates.js";
import { parseSearch } from "../../calendar/event-search.js";
import { localDate } from "../../calendar/zoned-time.js";
import { type ListedDays, readDayFlags, type TimeContext, type TypedDayFlags } from "./date-flags.js";

/** Which events of a calendar are listed. */
export type EventSelection =
  /** The next days, which every service has. */
  | { readonly kind: "upcoming"; readonly days: number }
  /** Any days, and a text or null, which only services with the extension have. */
  | { readonly kind: "any"; readonly days: ListedDays; readonly search: string | null };

/** The flags that choose events, as typed. */
export interface SelectionFlags extends TypedDayFlags {
  readonly search?: string;
}

/** Reads which events the flags choose. @throws CliError usage */
export async function readSelection(context: TimeContext, options: SelectionFlags): Promise<EventSelection> {
  const { days } = options;
  const search = options.search === undefined ? null : parseSearch(options.search, "--search");
  const chosen = await readDayFlags(context, options);
  if (chosen !== null) return { kind: "any", days: chosen, search };
  const count = days === undefined ? 1 : parseDays(days, "--days");
  if (search === null) return { kind: "upcoming", days: count };
  const first = localDate(context.now(), context.config.settings().timezone);
  const listed = days === undefined ? EVERY_DAY : { first, last: lastOfDays(first, count) };
  return { kind: "any", days: listed, search };
}

const EVERY_DAY: ListedDays = { first: null, last: null };

/** The days of a selection. @param today as `YYYY-MM-DD` */
export function selectedDays(selection: EventSelection, today: string): ListedDays {
  if (selection.kind === "any") return selection.days;
  return { first: today, last: lastOfDays(today, selection.days) };
}

/** What is said when there are no such events. */
export function describeEmpty(selection: EventSelection): string {
  if (selection.kind === "upcoming")
    return selection.days === 1 ? "no events today" : `no events in ${selection.days} days`;
  const { first, last } = selection.days;
  const days = [
    ...(first === null || first === last ? [] : [`from ${first}`]),
    ...(last === null ? [] : [`${first === last ? "on" : "to"} ${last}`]),
  ];
  const found = selection.search === null ? [] : ["found"];
  return ["no events", ...found, ...days].join(" ");
}
