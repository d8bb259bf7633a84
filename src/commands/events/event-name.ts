import type { LocalizedEvent } from "../../calendar/event-view.js";
import { describeWhen } from "../../output/event-when.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { titleOf } from "../../output/table/day-entry.js";

/** How errors name an event: `Dentist (Sat 21 Nov 15:40, Family, ID)`. */
export function nameEvent(event: LocalizedEvent): string {
  const start = describeWhen({ start_local: event.start_local, end_local: null }, { year: false });
  const calendar = sanitizeLine(event.calendar_name ?? "").trim();
  const facts = [start.replace("  ", " "), calendar, event.id].filter((fact) => fact !== "");
  return `${titleOf(event)} (${facts.join(", ")})`;
}
