import type { Command } from "commander";
import type { Event } from "../../../contract/shapes.js";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { collect } from "../../cli/global-flags.js";
import { firstFailure } from "../../cli/items.js";
import { CliError, emptyValueError, usageError, wrapError } from "../../errors.js";
import {
  addDayFlags,
  type DayFlags,
  type EventQuery,
  parseLimit,
  readQuery,
} from "../../events/find/event-query.js";
import { createEventReader, rememberShown } from "../../events/find/event-reader.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { type Candidate, describeCandidate, findPerson } from "../../events/names.js";
import { sortEvents } from "../../events/order.js";
import { INSTANT } from "../../events/views/calendar.js";
import { eventView } from "../../events/views/event.js";
import { describeWhen, titleOf } from "../../events/views/event-when.js";
import { jsonObject, type View } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import { formatMinutes, parseDuration } from "../../time/dates.js";
import { addDays, localDate } from "../../time/zoned-time.js";
import {
  busyTime,
  findFreeTimes,
  findOverlaps,
  lengthOf,
  localizeTime,
  parseBetween,
  takesPart,
  timeOfDays,
} from "./free-time.js";

/** The days that are looked at by default. */
const WEEK = "7";

/** As typed. */
interface BusyOptions extends DayFlags {
  readonly allDay?: boolean;
}

/** As typed. */
interface FreeOptions extends BusyOptions {
  readonly with?: readonly string[];
  readonly for?: string;
  readonly between?: string;
  readonly limit?: string;
}

export function registerFree(command: Command, runOf: RunOf): void {
  command
    .optionsGroup("Which times")
    .option("--for <duration>", "minimum length, such as 1h (default: 30m)")
    .option("--between <times>", "only between these times of day, such as 09:00-18:00")
    .option("--with <id|name|me>", "another member who must be free, repeatable", collect)
    .option("-n, --limit <number>", "maximum number of times");
  addBusyFlags(command);
  describeCommand(command, {
    prints: { view: freeView, count: "list" },
    examples: () => [
      ["A free hour within office hours, this week", "calctl free --for 1h --between 09:00-18:00"],
      ["The first half hour tomorrow when Ana is free, too", "calctl free --with Ana --on tomorrow -n 1"],
      ["The same for a script", "calctl free --with Ana --on tomorrow -n 1 --fields start_at,end_at"],
    ],
  });
  addAction(command, runOf, runFree);
}

export function registerConflicts(command: Command, runOf: RunOf): void {
  addBusyFlags(command);
  describeCommand(command, {
    prints: { view: createConflictView(), count: "list" },
    examples: () => [
      ["Overlapping events of the next seven days", "calctl conflicts"],
      ["The ids of each pair, for a script", "calctl conflicts --on tomorrow --fields first,second"],
    ],
  });
  addAction(command, runOf, runConflicts);
}

function addBusyFlags(command: Command): void {
  command.option("--all-day", "count all-day events as busy, too");
  addDayFlags(command, WEEK);
}

/** Lists the times when I have no event, and neither has anybody of `--with`. */
async function runFree(run: Run, options: FreeOptions): Promise<void> {
  // Checks format and fields before any request.
  const output = run.output.of(freeView);
  const between = parseBetween(options.between ?? "00:00-24:00", "--between");
  const atLeast = parseDuration(options.for ?? "30m", "--for");
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : parseLimit(options.limit);
  const { timezone: zone } = run.config.settings();
  const { events, range } = await readBusyEvents(run, options, true);
  const times = findFreeTimes(
    events.map(({ span }) => span),
    { ...timeOfDays(range, { zone, now: run.now() }), zone, between, atLeast: lengthOf(atLeast) },
  );
  const shown = times.slice(0, limit);
  await output.print(shown.map((time) => localizeTime(time, zone)));
  if (shown.length === 0 && run.terminal.isTerminal) run.output.note("no free time");
}

/** Lists the pairs of my events that overlap. */
async function runConflicts(run: Run, options: BusyOptions): Promise<void> {
  run.output.of(createConflictView());
  const { events, localize } = await readBusyEvents(run, options);
  const pairs = findOverlaps(events.map(({ event, span }) => ({ event, ...span }))).map(([first, second]) => {
    return { first: localize(first.event), second: localize(second.event) };
  });
  const shown = pairs.flatMap(({ first, second }) => [first, second]);
  const shorten = await rememberShown(run, [...new Set(shown)]);
  await run.output.of(createConflictView(shorten)).print(pairs);
  if (pairs.length === 0 && run.terminal.isTerminal) run.output.note("nothing overlaps");
}

/**
 * The events that take up the time of the current user and of those of `--with`, in order. All calendars are read, or those
 * of `--calendar`.
 * @throws CliError the failure of a calendar that cannot be read; not_found for a person who is a member of none;
 * usage for days that are over where time counts from now on
 */
async function readBusyEvents(
  run: Run,
  { with: names = [], allDay = false, ...flags }: FreeOptions,
  fromNow = false,
) {
  if (names.includes("")) throw emptyValueError("--with");
  const days = flags.on === undefined && flags.to === undefined ? { days: WEEK } : {};
  const allCalendars = run.flags.calendars.length === 0;
  const query = await readQuery(run, { ...days, ...flags, allCalendars });
  const { first, last } = query.days;
  if (first === null || last === null) throw new Error("the days have no end");
  const { timezone: zone } = run.config.settings();
  if (fromNow && last < localDate(run.now(), zone))
    throw usageError(
      `${flags.on === undefined ? "--from" : "--on"}: ${last} is over`,
      "choose today or a later day",
    );
  const read = await readAll(run, query, names);
  const me = (await (await run.api()).getCurrentUser()).id;
  const others = names.map((name) => (name === "me" ? me : findPerson(name, read.members, "--with")));
  const people = [me, ...others];
  const events = sortEvents(read.events, { zone, firstDay: null }).flatMap((event) => {
    const span = takesPart(event, people) ? busyTime(event, { allDay, zone }) : null;
    return span === null ? [] : [{ event, span }];
  });
  return { events, localize: read.localize, range: { first, last } };
}

/** The events of every calendar, and the members there are where some are named. @throws CliError if one cannot be read */
async function readAll(run: Run, query: EventQuery, names: readonly string[]) {
  const { calendars, pages, localize } = await createEventReader(run, query);
  const api = await run.api();
  const members: Candidate[] = [];
  const events: Event[] = [];
  const failure = await firstFailure(calendars, async (calendar) => {
    try {
      if (names.length > 0) members.push(...(await api.listMembers(calendar.id)));
      for await (const page of pages(calendar.id)) events.push(...page);
    } catch (error) {
      if (!(error instanceof CliError) || error.code === "interrupted") throw error;
      const message = `calendar ${describeCandidate(calendar)} could not be read: ${error.message}`;
      throw wrapError(error, error.code, message);
    }
  });
  if (failure !== undefined) throw failure;
  return { localize, events, members };
}

/** A time when nobody of those asked for has an event. */
export type FreeTime = ReturnType<typeof localizeTime>;

const LOCAL = "in the chosen zone, YYYY-MM-DDTHH:mm:ss+HH:mm";

/** The free times of `free`. */
export const freeView: View<FreeTime> = {
  noun: "free time",
  shape: "free_time",
  keys: {
    start_at: { type: "string", about: INSTANT },
    end_at: { type: "string", about: INSTANT },
    start_local: { type: "string", about: `start_at ${LOCAL}` },
    end_local: { type: "string", about: `end_at ${LOCAL}` },
  },
  tsv: ["start_local", "end_local"],
  table: [
    {
      header: "When",
      cell: (time, { hours, zone }) => ({
        text: describeWhen(time, { year: false, hours: hours?.(), zone: zone() }),
      }),
    },
    {
      header: "Length",
      cell: ({ start_at, end_at }) => ({
        text: formatMinutes(Math.floor((Date.parse(end_at) - Date.parse(start_at)) / 60_000)),
      }),
    },
  ],
};

/** Two events that overlap, by their starts. */
export interface Conflict {
  readonly first: LocalizedEvent;
  readonly second: LocalizedEvent;
}

/** The pairs of `conflicts`. @param shorten makes of an id what people may type; without it a table has no ids */
export function createConflictView(shorten?: (id: string) => string): View<Conflict> {
  return {
    noun: "conflict",
    shape: "conflict",
    keys: {
      first: eventKey("the event that begins first", ({ first }) => first),
      second: eventKey("the other one", ({ second }) => second),
    },
    tsv: ["first", "second"],
    table: [
      {
        header: "When",
        cell: (pair, { hours, zone }) => ({
          text: describeWhen(commonTime(pair), { year: false, hours: hours?.(), zone: zone() }),
        }),
      },
      "first",
      "second",
      {
        header: "IDs",
        cell: ({ first, second }) => ({ text: [first.id, second.id].map((id) => shorten?.(id)).join(" ") }),
        isShown: () => shorten !== undefined,
      },
    ],
  };
}

function eventKey(
  about: string,
  eventOf: (pair: Conflict) => LocalizedEvent,
): View<Conflict>["keys"]["first"] {
  return {
    type: { object: eventView },
    about,
    json: (pair) => jsonObject(eventView, eventOf(pair)),
    text: (pair) => eventOf(pair).id,
    cell: (pair) => ({ text: titleOf(eventOf(pair)) }),
    minWidth: 8,
  };
}

function commonTime({ first, second }: Conflict): Pick<LocalizedEvent, "start_local" | "end_local"> {
  if (first.all_day !== true && second.all_day !== true) {
    const endsFirst = Date.parse(first.end_at ?? "") < Date.parse(second.end_at ?? "") ? first : second;
    return { start_local: second.start_local, end_local: endsFirst.end_local };
  }
  const areDays = first.all_day === second.all_day;
  const [one, other] = areDays ? [first, second] : [fromMidnight(first), fromMidnight(second)];
  return {
    start_local: [one.start_local ?? "", other.start_local ?? ""].sort()[1] ?? null,
    end_local: [one.end_local ?? "", other.end_local ?? ""].sort()[0] ?? null,
  };
}

/** An all-day event as times, from its first midnight to its last. */
function fromMidnight({ all_day, start_local, end_local }: LocalizedEvent) {
  if (all_day !== true || start_local === null || end_local === null) return { start_local, end_local };
  return { start_local: `${start_local}T00:00:00`, end_local: `${addDays(end_local, 1)}T00:00:00` };
}
