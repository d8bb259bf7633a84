import type { CalendarEvent } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import { beginningOf, seriesOf } from "../../calendar/recurrence-events.js";
import { dateLines, readRecurrence } from "../../calendar/recurrence-lines.js";
import { writeRule } from "../../calendar/recurrence-rule.js";
import { describeRule } from "../../calendar/recurrence-words.js";
import { fromFirstSlot, isSeries } from "../../calendar/series.js";
import { shiftBetween, shiftedStart } from "../../calendar/series-shift.js";
import { addDays, instantAt, localDate, wallClockAt } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import type { TimeContext } from "./date-flags.js";
import type { EventFieldFlags } from "./event-flags.js";
import { requireSeries } from "./extensions.js";
import { describeRepeat, readRepeat } from "./recurrence-flags.js";
import type { EventUpdate } from "./write-update.js";

/** `events update --repeat RULE`: another rule, or another end of the one that there is. */

/**
 * The lines of a series as the flags change it, and says on stderr how they were read.
 * @param update the event, and what is written to it
 * @throws CliError usage for a rule that does not fit, rejected where the service stores no series
 */
export async function planRule(
  context: TimeContext & Pick<Context, "api">,
  flags: EventFieldFlags,
  { event, draft, scope }: Pick<EventUpdate, "event" | "draft" | "scope">,
): Promise<readonly string[]> {
  if (scope === "this") {
    const flag = flags.repeat === undefined ? "--until and --count" : "--repeat";
    throw usageError(`${flag}: one event of a series has no rule`, "give --scope following or --scope all");
  }
  const api = await context.api();
  if (scope === undefined) await requireSeries(api, event.calendar_id);
  const series = fromFirstSlot(await readSeries(api, event));
  const shift = shiftBetween(event, draft);
  const start = scope === "all" ? shiftedStart(series, shift, draft.start_timezone ?? "UTC") : draft.start_at;
  const content = { ...draft, start_at: start };
  const beginning = beginningOf(content);
  const { rule: ownRule, excluded: exceptions, extra } = readLines(series);
  if (flags.repeat === undefined && ownRule === null)
    throw usageError("missing --repeat: --until and --count have no effect without it");
  const { COUNT, UNTIL, ...own } = ownRule ?? {};
  const { rule, excluded } = await readRepeat(context, flags, { beginning, own: writeRule(own) });
  const zone = series.start_timezone ?? "UTC";
  const kept = [...exceptions].map((instant) => addDays(localDate(instant, zone), shift.days));
  const today = localDate(context.now(), beginning.zone);
  const { content: planned, days } = seriesOf(content, rule, { excluded, kept, today });
  context.output.note(describeRepeat(rule, beginning, days));
  if (ownRule !== null && (COUNT ?? UNTIL) !== undefined && !/COUNT=|UNTIL=/.test(rule)) {
    const ended = describeRule(ownRule, zone);
    context.output.note(
      `the series had an end (${ended}) and now has none: add --until or --count to keep one`,
    );
  }
  const moved = extra.map((instant) => instantAt(wallClockAt(instant, zone) + shift.clock, beginning.zone));
  const isKept = (instant: number) => flags.repeat === undefined && instant >= Date.parse(start ?? "");
  return [...planned.recurrences, ...dateLines("RDATE", moved.filter(isKept), beginning)];
}

/** The series of which an event is one; an event that does not repeat itself. */
async function readSeries(api: Api, event: CalendarEvent): Promise<CalendarEvent> {
  if (event.series_id === null || isSeries(event)) return event;
  return api.getEvent({ calendarId: event.calendar_id, eventId: event.series_id });
}

function readLines({
  recurrences: lines,
  start_at: start,
  start_timezone: timezone,
  all_day,
}: CalendarEvent) {
  return readRecurrence(
    { lines, start: start ?? "", timezone: all_day === true ? null : timezone },
    "recurrences",
  );
}
