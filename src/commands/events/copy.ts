import type { Command } from "commander";
import type { Event } from "../../../contract/shapes.js";
import { addAction, describeCommand, type RunOf, requireConfirmation } from "../../cli/command.js";
import { addPickAction, completeValues } from "../../cli/missing-values.js";
import { CliError, usageError, wrapError } from "../../errors.js";
import { draftOfCopy } from "../../events/copy.js";
import { createEventMaker, type EventMaker } from "../../events/create/make-event.js";
import {
  type ChosenCalendar,
  chooseOneCalendar,
  createEventFinder,
  type FoundEvent,
  resolveCalendars,
} from "../../events/find/calendar-choice.js";
import {
  chooseEventId,
  describeFound,
  isSingleId,
  readEventIds,
  STDIN_IDS,
} from "../../events/find/event-ids.js";
import { addStrictDatesFlag } from "../../events/input/date-flags.js";
import { readTimeFlags } from "../../events/input/event-flags.js";
import { type LocalizedEvent, relatedOf } from "../../events/localized-event.js";
import { checkId } from "../../events/names.js";
import type { TypedTimes } from "../../events/patch.js";
import { isSeries } from "../../events/repeat/series.js";
import { eventView } from "../../events/views/event.js";
import { write } from "../../events/write.js";
import { noteMove, writeEvents } from "../../events/write-events.js";
import type { Run } from "../../run/run.js";
import { parseShift } from "../../time/dates.js";

const IDS = "event ids, or - to read them from stdin, one per line (default: prompt)";

interface EventsCopyOptions {
  readonly id: readonly string[];
  readonly start?: string;
  readonly by?: string;
  readonly strictDates?: boolean;
  readonly to?: string;
}

export function registerEventsCopy(command: Command, runOf: RunOf): void {
  command
    .argument("[id...]", IDS)
    .option("--start <time>", "start of the copy; a date alone keeps the time of day")
    .option("--by <+duration>", "shift the copy by +1w, +90m or -2d")
    .option("--to <id|name>", "calendar of the copy (default: the event's own)");
  addStrictDatesFlag(command);
  describeCommand(command, {
    prints: { view: eventView, count: "one or list" },
    examples: () => [
      [
        "Repeat today's first event next week",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl events copy "$id" --by +1w',
      ],
      [
        "Copy today's events to another calendar",
        "calctl events list -c Family --fields id | calctl events copy - --to Work",
      ],
    ],
  });
  addPickAction(command, runOf, runEventsCopy);
}

/** Creates events again: at another time, or in another calendar. Comments are not copied. */
async function runEventsCopy(run: Run, options: EventsCopyOptions): Promise<void> {
  const { id, start, by, strictDates = false, to } = options;
  run.output.of(eventView);
  if ((start ?? by ?? to) === undefined)
    throw usageError("this would copy the event to the same calendar and time", "use --start, --by or --to");
  const shift = by === undefined ? undefined : parseShift(by, "--by");
  const typed = { ...(start !== undefined && { start }), strictDates, addsTime: true };
  const read = await readTimeFlags(run, typed);
  const times = { start: read.start, by: shift };
  const target = to === undefined ? undefined : await findTarget(run, to);
  const ids = id.length === 0 ? [await chooseEventId(run, undefined)] : id;
  const copierTo = createCopier(run, times);
  await writeEvents(run, ids, {
    verb: "copied",
    async prepare({ calendar, event }) {
      const create = await copierTo(target ?? calendar, event);
      return async () => {
        const copy = await create();
        noteMove(run, copy, { patches: [times], isSingle: isSingleId(ids) });
        return copy;
      };
    },
  });
}

interface EventsMoveOptions extends Pick<EventsCopyOptions, "id" | "to"> {
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

export function registerEventsMove(command: Command, runOf: RunOf): void {
  command
    .argument("[id...]", IDS)
    .option("--to <id|name>", "calendar to move the events to")
    .option("-y, --yes", "skip the confirmation");
  describeCommand(command, {
    prints: { view: eventView, count: "one or list" },
    examples: () => [
      [
        "Move today's first event without confirmation",
        'id="$(calctl events list -c Family --fields id | head -n 1)"',
        'calctl events move "$id" --to Work --yes',
      ],
    ],
  });
  addAction<EventsMoveOptions>(command, runOf, runEventsMove);
}

const MOVE_LOSSES = "a moved event has a new id, and its comments are not moved";

/** Copies events to another calendar and deletes them here, after a confirmation. */
async function runEventsMove(
  run: Run,
  { id, to: typed, yes = false }: EventsMoveOptions,
  command: Command,
): Promise<void> {
  const { output, terminal, config } = run;
  requireConfirmation(yes, terminal.prompt.available && !id.includes(STDIN_IDS));
  const values = await completeValues<{ readonly id: readonly string[]; readonly to: string }>(
    terminal.prompt,
    {
      id: {
        name: "ID",
        given: id.length === 0 ? undefined : id,
        ask: async () => [await chooseEventId(run, undefined)],
      },
      to: {
        name: "--to",
        given: typed,
        async ask({ id: ids = [] }) {
          const calendars = await resolveCalendars(run, []);
          const finder = await createEventFinder(run);
          const typed = ids.includes(STDIN_IDS) ? [] : await readEventIds(run, ids);
          const own = await Promise.all(typed.map(async (each) => (await finder.findCalendar(each)).id));
          const others = calendars.filter((each) => !own.includes(each.id));
          return (await chooseOneCalendar(run, others.length === 0 ? calendars : others)).id;
        },
      },
    },
    { command, check: () => output.of(eventView) },
  );
  const target = await findTarget(run, values.to);
  const copierTo = createCopier(run, {});
  await writeEvents(run, values.id, {
    verb: "moved",
    async confirm(found) {
      if (yes) return output.note(MOVE_LOSSES);
      for (const each of found) output.warn(describeFound(each, config.settings().timezone));
      output.warn(MOVE_LOSSES);
      const what = found.length === 1 ? "this event" : `these ${found.length} events`;
      if (await terminal.prompt.confirm(`Move ${what} to ${target.name || target.id}?`)) return;
      throw new CliError("interrupted", "nothing was moved");
    },
    async prepare(found) {
      const { event, calendar } = found;
      if (calendar.id === target.id)
        throw usageError(`--to: event ${event.id} is in ${target.name || target.id} already`);
      // What was changed on its own would be deleted without a copy.
      if (isSeries(event))
        throw usageError(
          `event ${event.id} is a series and cannot be moved`,
          "copy it, check the copy, then delete it",
        );
      const create = await copierTo(target, event);
      return async (read) => {
        if ((await read()).updated_at !== event.updated_at)
          throw new CliError("changed", `event ${event.id} was changed since it was read`);
        return moveEvent(run, found, { create, target });
      };
    },
  });
}

/** @throws CliError partial with both ids when the event was copied and not deleted */
async function moveEvent(
  run: Run,
  { calendar, event }: FoundEvent,
  { create, target }: { readonly create: () => Promise<LocalizedEvent>; readonly target: ChosenCalendar },
): Promise<LocalizedEvent> {
  const hasSeries = async () => (await run.api()).hasExtension("recurrences", calendar.id);
  // So that undo puts it back into its series.
  const isOfSeries = event.series_id !== null && (await hasSeries());
  const scope = isOfSeries ? "this" : undefined;
  const copy = await create();
  try {
    await write(run, { kind: "delete", calendarId: calendar.id, eventId: event.id, event, scope });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.code === "not_found") throw await goneMeanwhile(run, event, copy);
    const copied = `event ${event.id} was copied to ${copy.id} in ${target.name || target.id}`;
    const code = error.code === "interrupted" ? "interrupted" : "partial";
    throw wrapError(error, code, `${copied}, but deleting it failed: ${error.message}`, {
      hint: `check both, and delete one: calctl events delete ${event.id}`,
      details: { copied: { from: event.id, to: copy.id } },
    });
  }
  return copy;
}

/** Deletes the copy of an event that somebody else has moved or deleted. @returns the error that says so */
async function goneMeanwhile(run: Run, { id }: Event, copy: LocalizedEvent): Promise<CliError> {
  const problem = `event ${id} was deleted or moved meanwhile`;
  const address = { calendarId: copy.calendar_id, eventId: copy.id };
  try {
    await write(run, { kind: "delete", ...address, event: copy, isUndo: true });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = `${problem}, and its copy ${copy.id} could not be deleted: ${error.message}`;
    return wrapError(error, "partial", message, { hint: `calctl events delete ${copy.id} deletes it` });
  }
  return new CliError("changed", `${problem}: it was not moved`);
}

async function findTarget(run: Run, value: string): Promise<ChosenCalendar> {
  const [target] = await resolveCalendars(run, [{ value: checkId(value, "--to"), source: "--to" }]);
  if (target === undefined) throw new CliError("not_found", `--to: there is no calendar "${value}"`);
  return target;
}

/** Finds out how events are created again, and returns what does it. */
function createCopier(run: Run, times: Pick<TypedTimes, "start" | "by">) {
  const makers = new Map<string, EventMaker>();
  return async (target: ChosenCalendar, event: Event) => {
    const maker = makers.get(target.id) ?? createEventMaker(run, target);
    makers.set(target.id, maker);
    const draft = await draftOfCopy(run, event, { calendar: target, resolver: maker.resolver, times });
    return async () => (await maker.make(draft, { known: relatedOf(event) })).created;
  };
}
