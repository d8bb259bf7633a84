import { compositeId } from "../../contract/ids.js";
import type { EventDraft } from "../../contract/shapes.js";
import { usageError } from "../../errors.js";

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

/**
 * Joins a path of the contract below the base URL, so that no id can leave it.
 * @param template a path such as `/calendars/{calendar_id}`
 * @throws CliError usage when an id is empty, `.` or `..`
 */
export function expandPath(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? "";
    // encodeURIComponent leaves dots alone, and a URL parser would climb.
    if (id === "" || id === "." || id === "..") throw usageError(`"${id}" is no ${name.replace("_", " ")}`);
    return encodeURIComponent(id);
  });
}

/** A query string with its `?`, or nothing. Commas stay readable: the contract's lists use them. */
export function formatQuery(query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2C", ",")}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
