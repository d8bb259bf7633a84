import type { CalendarEvent, EventDraft } from "../../../contract/shapes.js";
import { isRepeating } from "../../calendar/event-view.js";
import { namedLabel } from "../../calendar/names.js";
import { fromFirstSlot, isSeries } from "../../calendar/series.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";
import { changes, placeEvent } from "../../events/draft.js";
import { DEFAULT_LABEL, type RelatedResolver } from "../../events/names.js";
import type { TypedTimes } from "../../events/patch.js";
import type { ChosenCalendar } from "../calendar-choice.js";

interface PlacedCopy {
  readonly calendar: ChosenCalendar;
  /** Of that calendar. */
  readonly resolver: RelatedResolver;
  readonly times: Pick<TypedTimes, "start" | "by">;
}

/**
 * An event as a new one of a calendar: with the label of the same name, otherwise the default one, and the attendees who are
 * members there. What it loses is said on stderr. A series is one there, too, where the service stores them.
 * @throws CliError usage for times that do not fit the event
 */
export async function placeCopy(
  context: Pick<Context, "config" | "output" | "api">,
  event: CalendarEvent,
  { calendar, resolver, times }: PlacedCopy,
): Promise<EventDraft> {
  const { config, output } = context;
  const { label, title } = event;
  const place = calendar.name || calendar.id;
  const isElsewhere = calendar.id !== event.calendar_id;
  const labelId =
    label !== null && isElsewhere ? await resolver.labelId(namedLabel(label, "--to")) : label?.id;
  if (labelId === null)
    output.note(`${title}: ${place} has no label "${label?.name || label?.number}": it gets the default one`);
  const members = event.attendees.length === 0 ? [] : await resolver.members();
  const { placed, leftOut } = placeEvent(event, calendar.id, members);
  if (event.all_day === true && times.start?.kind === "date-time")
    throw usageError(
      `--start: "${times.start.text}" has a clock time, but the event is all-day`,
      "write only a date",
    );
  const recurrences = await copiedRule(context, event, { calendar, times });
  const whole = recurrences === undefined ? placed : fromFirstSlot(placed);
  const draft = changes(whole, [{ ...times, label: labelId ?? DEFAULT_LABEL }], config.settings().timezone);
  const names = leftOut.map(({ name, id }) => name || id).join(", ");
  if (names !== "") output.note(`${title}: left out, as no members of ${place}: ${names}`);
  return { ...draft, recurrences };
}

/** The rule of a series; none where the service stores no series, which is said. @throws CliError usage for other times */
async function copiedRule(
  { api, output }: Pick<Context, "output" | "api">,
  event: CalendarEvent,
  { calendar, times }: Pick<PlacedCopy, "calendar" | "times">,
): Promise<readonly string[] | undefined> {
  const { id, title, recurrences } = event;
  if (isSeries(event) && (await (await api()).hasExtension("recurrences", calendar.id))) {
    if ((times.start ?? times.by) === undefined) return recurrences;
    throw usageError(
      `event ${id} is a series, whose rule says when it is`,
      "copy one of its events, or make another series with events create --repeat",
    );
  }
  if (isRepeating(event)) output.note(`${title}: it is copied as a single event`);
  return undefined;
}
