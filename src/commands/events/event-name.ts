import type { LocalizedEvent } from "../../calendar/event-view.js";
import { describeWhen } from "../../output/event-when.js";
import { titleOf } from "../../output/table/day-entry.js";

/** How errors name an event: `Dentist (Sat 21 Nov 15:40, ID)`. */
export function nameEvent(event: LocalizedEvent): string {
  const start = describeWhen({ start_local: event.start_local, end_local: null }, { year: false });
  const facts = [start.replace("  ", " "), event.id].filter((fact) => fact !== "");
  return `${titleOf(event)} (${facts.join(", ")})`;
}
