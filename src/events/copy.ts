import { compositeId, plainId } from "../../contract/ids.js";
import type { Calendar, Event, EventDraft, User } from "../../contract/shapes.js";
import type { Api } from "../api/client.js";
import { usageError } from "../errors.js";
import { changes } from "./draft.js";
import { isRepeating } from "./localized-event.js";
import { namedLabel } from "./names.js";
import type { TextField, TypedTimes } from "./patch.js";
import { DEFAULT_LABEL, type RelatedResolver } from "./related.js";
import { fromRuleStart, isSeries } from "./repeat/series.js";

/** What copies use of a run. */
interface CopyRun {
  readonly config: { settings(): { readonly timezone: string } };
  readonly output: { note(text: string): void };
  api(): Promise<Pick<Api, "hasExtension">>;
}

interface CopyPlace {
  readonly calendar: Pick<Calendar, "id" | "name">;
  /** Of that calendar. */
  readonly resolver: RelatedResolver;
  readonly times: Pick<TypedTimes, "start" | "by">;
}

/**
 * An event as a new one of a calendar: with the label of the same name, otherwise the default one, and the attendees who are
 * members there. What it loses is said on stderr. A series is one there, too, where the service stores them.
 * @throws CliError usage for times that do not fit the event
 */
export async function draftOfCopy(
  run: CopyRun,
  event: Event,
  { calendar, resolver, times }: CopyPlace,
): Promise<EventDraft> {
  const { config, output } = run;
  const { label, title } = event;
  const place = calendar.name || calendar.id;
  const noteMissing = (name: string): void =>
    output.note(`${title}: ${place} has no label "${name}": it gets the default label`);
  const isElsewhere = calendar.id !== event.calendar_id;
  const labelId =
    label !== null && isElsewhere
      ? await resolver.labelId(namedLabel(label, "--to"), noteMissing)
      : label?.id;
  const { attending, leftOut } = await attendeesIn(event, resolver);
  if (event.all_day === true && times.start?.kind === "date-time")
    throw usageError(
      `--start: "${times.start.text}" has a clock time, but the event is all-day`,
      "write only a date",
    );
  const recurrences = await copiedRule(run, event, { calendar, times });
  const attendees = attending.map((user) => ({ ...user, id: compositeId(calendar.id, plainId(user.id)) }));
  const placed = { ...event, calendar_id: calendar.id, attendees };
  const whole = recurrences === undefined ? placed : fromRuleStart(placed);
  const draft = changes(whole, [{ ...times, label: labelId ?? DEFAULT_LABEL }], config.settings().timezone);
  const names = leftOut.map(({ name, id }) => name || id).join(", ");
  if (names !== "") output.note(`${title}: left out, as no members of ${place}: ${names}`);
  // A cleared text is an empty one, which a new event does not have.
  const texts = {
    description: draft.description || undefined,
    location: draft.location || undefined,
    url: draft.url || undefined,
  } satisfies Pick<EventDraft, TextField>;
  return { ...draft, ...texts, recurrences };
}

/** Who of an event are members of a calendar, and who are not. */
async function attendeesIn({ attendees }: Event, resolver: RelatedResolver) {
  const members = attendees.length === 0 ? [] : await resolver.members();
  const ids = new Set(members.map(({ id }) => plainId(id)));
  const isMember = ({ id }: User): boolean => ids.has(plainId(id));
  return {
    attending: attendees.filter(isMember),
    leftOut: attendees.filter((user) => !isMember(user)),
  };
}

/** The rule of a series; none where the service stores no series, which is said. @throws CliError usage for other times */
async function copiedRule(
  { api, output }: CopyRun,
  event: Event,
  { calendar, times }: Pick<CopyPlace, "calendar" | "times">,
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
