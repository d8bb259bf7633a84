import { localizeEvent } from "../../calendar/event-view.js";
import { describeWhen } from "../../output/event-when.js";
import type { FoundEvent } from "../calendar-choice.js";

/** A line about an event that a question is about, since an id says nothing to a person. */
export function describeFound({ calendar, event }: FoundEvent, zone: string): string {
  const when = describeWhen(localizeEvent(event, zone), { year: true }) || "no time";
  return `  ${event.title ?? event.id}  ${when}  ${calendar.name || calendar.id}`;
}
