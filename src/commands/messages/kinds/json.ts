import { jsonPayload, type Payload } from "../../../delivery/target.js";
import type { LocalizedEvent } from "../../../events/localized-event.js";
import { differenceNote } from "../../../events/views/change.js";
import { describeZone } from "../layout.js";
import type { Message, MessageEntry } from "../message.js";

/** Everything, for a program that makes a message of its own. `docs/messages.md` has the schema. */
export function renderJson({ title, zone, body }: Message): Payload {
  return jsonPayload({
    version: 1,
    title,
    note: describeZone(zone),
    text: body.kind === "text" ? body.text : null,
    days:
      body.kind === "text"
        ? []
        : body.days.map(({ date, heading, entries }) => ({ date, heading, entries: entries.map(entryJson) })),
  });
}

function entryJson({ event, change, difference, ...entry }: MessageEntry) {
  const { time, url, location, calendar, attendees } = entry;
  const was = differenceNote(difference);
  const notes = was === "" ? entry.notes : [...entry.notes, was];
  return { change, time, notes, url, location, calendar, attendees, event: wellFormed(event) };
}

/** Not every program reads JSON with halves of characters. */
function wellFormed(event: LocalizedEvent): unknown {
  return JSON.parse(JSON.stringify(event), (_, member: unknown) =>
    typeof member === "string" ? member.replace(/\p{Cs}/gu, "\ufffd") : member,
  );
}
