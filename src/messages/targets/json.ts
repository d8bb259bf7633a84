import type { Message, MessageEntry } from "../message.js";
import { jsonPayload, type Payload } from "../payload.js";

/** Everything, for a program that makes a message of its own. `docs/messages.md` has the schema. */
export function renderJson({ title, note, body }: Message): Payload {
  return jsonPayload({
    version: 1,
    title,
    note,
    text: body.kind === "text" ? body.text : null,
    days:
      body.kind === "text"
        ? []
        : body.days.map(({ date, heading, entries }) => ({ date, heading, entries: entries.map(entryJson) })),
  });
}

function entryJson({ event, change, time, notes, url, location, calendar, attendees }: MessageEntry) {
  return { change, time, notes, url, location, calendar, attendees, event };
}
