import { parseWireDateTime } from "../../contract/date-time.js";
import { compositeId } from "../../contract/ids.js";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { CliError } from "../errors.js";
import { readSpan } from "./event-span.js";

/**
 * Checks that an event was not updated since the user last read it.
 * @param seen the `updated_at` that the user read, in milliseconds since the Unix epoch
 * @param source the flag that asks for the check, for messages
 * @throws CliError changed when it was updated, rejected when the service did not send `updated_at`
 */
export function checkUnchanged(event: CalendarEvent, seen: number, source: string): void {
  if (lastUpdate(event, source) === seen) return;
  const { id, updated_at: updatedAt } = event;
  throw new CliError("changed", `event ${id} was changed: it was updated at ${updatedAt}`, {
    hint: "read it again with `calctl events get` before updating it",
    details: { updated_at: updatedAt },
  });
}

/**
 * When an event was last updated, in milliseconds since the Unix epoch.
 * @param source the flag that needs to know, for messages
 * @throws CliError rejected when the service did not send it
 */
export function lastUpdate(
  { updated_at: updatedAt }: Pick<CalendarEvent, "updated_at">,
  source: string,
): number {
  const time = updatedAt === null ? null : parseWireDateTime(updatedAt);
  if (time !== null) return time.instant;
  throw new CliError("rejected", `${source}: the service does not say when the event was last changed`);
}

/** An update that was sent. `seen` is the `updated_at` before it, in milliseconds since the Unix epoch. */
export interface SentUpdate {
  readonly seen: number;
  readonly draft: EventDraft;
}

/**
 * Whether an update that got no response was applied; false when the event is unchanged.
 * @throws CliError outcome_unknown when the event is neither unchanged nor as the update would leave it
 */
export function wasUpdated(found: CalendarEvent, { seen, draft }: SentUpdate): boolean {
  const { id, updated_at: updatedAt } = found;
  const updated = parseWireDateTime(updatedAt ?? "")?.instant ?? null;
  if (updated === seen) return false;
  if (updated !== null && updated > seen && hasFields(found, draft)) return true;
  throw new CliError(
    "outcome_unknown",
    `it is unknown whether event ${id} was updated: the update may have been done and then overwritten, or another change came first`,
    { hint: `look at it with \`calctl events get ${id}\``, details: { updated_at: updatedAt } },
  );
}

/** Whether the event has every field of the draft. Texts that were cleared may be null. */
function hasFields(event: CalendarEvent, draft: EventDraft): boolean {
  const { calendar_id: calendarId, label } = event;
  const composite = (id: string): string => compositeId(calendarId, id);
  const texts = (["description", "location", "url", "start_timezone", "end_timezone"] as const).every(
    (field) => draft[field] === undefined || draft[field] === (event[field] ?? ""),
  );
  const attendees = event.attendees.map(({ id }) => composite(id)).sort();
  return (
    texts &&
    event.category === draft.category &&
    event.title === draft.title &&
    hasTimes(event, draft) &&
    label !== null &&
    composite(label.id) === composite(draft.label_id) &&
    (draft.attendee_ids === undefined ||
      attendees.join(" ") === draft.attendee_ids.map(composite).sort().join(" "))
  );
}

function hasTimes(event: CalendarEvent, { all_day, start_at, end_at }: EventDraft): boolean {
  const times = { all_day: all_day ?? null, start_at: start_at ?? null, end_at: end_at ?? null };
  const found = readSpan(event);
  const sent = readSpan({ ...times, start_timezone: null, end_timezone: null });
  const sameKind = (found.allDay ?? false) === (sent.allDay ?? false);
  return sameKind && found.start === sent.start && found.end === sent.end;
}
