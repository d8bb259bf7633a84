import { readEventId } from "./event-ids.js";
import type { PickContext } from "./pick-event.js";

/**
 * The id as given; without one, the event that is picked on a terminal. What picks it is loaded only then.
 * @throws CliError usage for an id that is empty or too short, not_found when there are no events
 */
export async function chooseEventId(context: PickContext, typed: string | undefined): Promise<string> {
  if (typed !== undefined) return readEventId(context, typed);
  const { pickEvent } = await import("./pick-event.js");
  return pickEvent(context);
}
