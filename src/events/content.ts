import { parseWireDateTime } from "../../contract/date-time.js";
import { compositeId, plainId } from "../../contract/ids.js";
import type { ContentField, Event, EventDraft, Label, User, WritableField } from "../../contract/shapes.js";
import { CliError } from "../errors.js";
import type { ClearableField, TextField } from "./patch.js";
import { readSpan } from "./times.js";

/** What events say, compared with other events and with drafts. */

/** What is compared of an event; of its label and people only the ids. */
type Content = Pick<Event, Exclude<WritableField, "label" | "attendees">> & {
  readonly label: Pick<Label, "id"> | null;
  readonly attendees: readonly Pick<User, "id">[];
};

/** Whether two versions of an event say the same. Null and empty texts are the same, as are ids of any form. */
export function isSameContent(one: Content, other: Content): boolean {
  return contentKey(one) === contentKey(other);
}

/** What is the same for two versions of an event that say the same. Imports remember a hash of it, so that it must not change. */
export function contentKey(event: Content): string {
  return contentKeyWithoutTimes(event) + timesKey(event);
}

/** The same, whenever the event is. */
export function contentKeyWithoutTimes(event: Content): string {
  const content = {
    category: event.category,
    title: event.title ?? "",
    description: event.description ?? "",
    location: event.location ?? "",
    url: event.url ?? "",
    recurrences: event.recurrences,
    label: event.label === null ? null : plainId(event.label.id),
    attendees: event.attendees.map(({ id }) => plainId(id)).sort(),
  } satisfies Record<ContentField, unknown>;
  return JSON.stringify(hashedFields(content));
}

/**
 * What a hash is made of: each field with its name, but for those that are null or empty, so that a new field changes no hash of
 * events without it.
 */
export function hashedFields(fields: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Object.entries(fields).filter(([, value]) => !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return (value ?? "") === "" || (Array.isArray(value) && value.length === 0);
}

function timesKey(event: Content): string {
  const { allDay, start, end, startTimezone, endTimezone } = readSpan(event);
  return JSON.stringify([allDay ?? false, start, end, startTimezone, endTimezone]);
}

/**
 * Whether an event is as a draft would leave it, but for its rule. What the draft omits besides the times stays as it is; ids may
 * be plain or composite.
 */
export function says(event: Event, { label, attendees, ...fields }: EventDraft): boolean {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return isSameContent(event, {
    ...event,
    ...Object.fromEntries(given),
    all_day: fields.all_day ?? null,
    start_at: fields.start_at ?? null,
    end_at: fields.end_at ?? null,
    recurrences: event.recurrences,
    label: label === undefined ? event.label : { id: label },
    attendees: attendees?.map((id) => ({ id })) ?? event.attendees,
  });
}

/** The event as an update leaves it, with what is known of its label and attendees. */
export function eventOfDraft(
  current: Event,
  draft: EventDraft,
  { labels, members }: { readonly labels: readonly Label[]; readonly members: readonly User[] },
): Event {
  const composite = (id: string): string => compositeId(current.calendar_id, id);
  const users = [...members, ...current.attendees];
  const label = [...labels, current.label].find(
    (each) => each !== null && composite(each.id) === draft.label,
  );
  const written: Pick<Event, WritableField> = {
    category: draft.category,
    title: draft.title,
    all_day: draft.all_day ?? null,
    start_at: draft.start_at ?? null,
    start_timezone: draft.start_timezone ?? null,
    end_at: draft.end_at ?? null,
    end_timezone: draft.end_timezone ?? null,
    recurrences: draft.recurrences ?? current.recurrences,
    description: draft.description ?? null,
    location: draft.location ?? null,
    url: draft.url ?? null,
    label: label ?? current.label,
    attendees:
      draft.attendees?.flatMap((id) => users.find((user) => composite(user.id) === id) ?? []) ??
      current.attendees,
  };
  return { ...current, ...written };
}

/** A draft as what replaces an event: what it does not have is cleared. */
export function replacing(event: Event, draft: EventDraft): EventDraft {
  const textOf = (field: TextField) => draft[field] ?? (event[field] ? "" : undefined);
  const cleared: Pick<EventDraft, ClearableField> = {
    description: textOf("description"),
    location: textOf("location"),
    url: textOf("url"),
    attendees: draft.attendees ?? (event.attendees.length > 0 ? [] : undefined),
  };
  return { ...draft, ...cleared };
}

/**
 * Checks that an event was not updated since the user last read it.
 * @param expectedUpdatedAt the `updated_at` that the user read, in milliseconds since the Unix epoch
 * @param source the flag that asks for the check, for messages
 * @throws CliError changed when it was updated, rejected when the service did not send `updated_at`
 */
export function checkUnchanged(event: Event, expectedUpdatedAt: number, source: string): void {
  if (lastUpdate(event, source) === expectedUpdatedAt) return;
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
export function lastUpdate({ updated_at: updatedAt }: Pick<Event, "updated_at">, source: string): number {
  const time = updatedAt === null ? null : parseWireDateTime(updatedAt);
  if (time !== null) return time.instant;
  throw new CliError("rejected", `${source}: the service does not say when the event was last changed`);
}

/**
 * Whether an update that got no response was applied; false when the event is unchanged.
 * @param update.expectedUpdatedAt the `updated_at` before it, in milliseconds since the Unix epoch
 * @throws CliError outcome_unknown when the event is neither unchanged nor as the update would leave it
 */
export function wasUpdated(
  found: Event,
  { expectedUpdatedAt: expected, draft }: { readonly expectedUpdatedAt: number; readonly draft: EventDraft },
): boolean {
  const { id, updated_at: updatedAt } = found;
  const updated = parseWireDateTime(updatedAt ?? "")?.instant ?? null;
  if (updated === expected) return false;
  if (updated !== null && updated > expected && says(found, draft)) return true;
  throw new CliError(
    "outcome_unknown",
    `it is unknown whether event ${id} was updated: the update may have been done and then overwritten, or another change came first`,
    { hint: `check it with \`calctl events get ${id}\``, details: { updated_at: updatedAt } },
  );
}
