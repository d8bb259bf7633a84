import { compositeId } from "../../contract/ids.js";
import type { EventDraft } from "../../contract/shapes.js";

/**
 * Body of a create and an update: the contract's writable fields and nothing else, related ids in composite form.
 * Undefined fields drop out in JSON.stringify.
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
