import { compositeId } from "../../contract/ids.js";
import type { EventDraft } from "../../contract/shapes.js";
import { usageError } from "../../errors.js";

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

/**
 * Fills the ids into a path of the contract, so that the URL cannot leave the base URL.
 * @param template a path such as `/calendars/{calendar_id}`
 * @throws CliError usage when an id is empty, `.` or `..`
 */
export function expandPath(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? "";
    // encodeURIComponent keeps dots, and a URL parser would go up a level.
    if (id === "" || id === "." || id === "..")
      throw usageError(`"${id}" is not a valid ${name.replace("_", " ")}`);
    return encodeURIComponent(id);
  });
}

/** A query string with its `?`, or an empty one. Commas are not encoded: the contract's lists use them. */
export function formatQuery(query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2C", ",")}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
