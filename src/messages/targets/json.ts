import type { LocalizedEvent } from "../../calendar/event-view.js";
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
  return { change, time, notes, url, location, calendar, attendees, event: wellFormed(event) };
}

/** Not every program reads JSON with halves of characters. */
function wellFormed(event: LocalizedEvent): unknown {
  return JSON.parse(JSON.stringify(event), (_, member: unknown) =>
    typeof member === "string" ? member.replace(/\p{Cs}/gu, "\ufffd") : member,
  );
}
