import { compositeId } from "../../../contract/ids.js";
import type { EventDraft } from "../../../contract/shapes.js";

/**
 * Body of a create or update: only the contract's writable fields, related ids in composite form. JSON.stringify drops
 * undefined fields.
 */
export function eventBody(draft: EventDraft, calendarId: string): unknown {
  const { label_id: labelId, attendee_ids: attendeeIds, ...attributes } = draft;
  return {
    data: {
      attributes,
      relationships: {
        label: { data: { id: compositeId(calendarId, labelId), type: "label" } },
        attendees:
          attendeeIds === undefined
            ? undefined
            : { data: attendeeIds.map((id) => ({ id: compositeId(calendarId, id), type: "user" })) },
      },
    },
  };
}

/** Body of a comment. */
export function activityBody(content: string): unknown {
  return { data: { attributes: { content } } };
}
