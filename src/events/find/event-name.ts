import { sanitizeLine } from "../../output/sanitize.js";
import { type LocalizedEvent, localizeEvent } from "../localized-event.js";
import { describeWhen, titleOf } from "../views/event-when.js";
import type { FoundEvent } from "./calendar-choice.js";

/** How errors name an event: `Dentist (Sat 21 Nov 15:40, Family, ID)`. */
export function nameEvent(event: LocalizedEvent): string {
  const start = describeWhen({ start_local: event.start_local, end_local: null }, { year: false });
  const calendar = sanitizeLine(event.calendar_name ?? "").trim();
  const facts = [start.replace("  ", " "), calendar, event.id].filter((fact) => fact !== "");
  return `${titleOf(event)} (${facts.join(", ")})`;
}

/** A line about an event that a question is about, since an id says nothing to a person. */
export function describeFound({ calendar, event }: FoundEvent, zone: string): string {
  const when = describeWhen(localizeEvent(event, zone), { year: true }) || "no time";
  return `  ${event.title ?? event.id}  ${when}  ${calendar.name || calendar.id}`;
}
