import { parseWireDateTime } from "../../contract/date-time.js";
import type { Event, EventDraft } from "../../contract/shapes.js";
import { CliError } from "../errors.js";
import { says } from "./content.js";

/**
 * Checks that an event was not updated since the user last read it.
 * @param expectedUpdatedAt the `updated_at` that the user read, in milliseconds since the Unix epoch
 * @param source the flag that asks for the check, for messages
 * @throws CliError changed when it was updated, rejected when the service did not send `updated_at`
 */
export function checkUnchanged(event: Event, expectedUpdatedAt: number, source: string): void {
  if (lastUpdate(event, source) === expectedUpdatedAt) return;
  const { id, updated_at: updatedAt } = event;
  throw new CliError("changed", `event ${id} was changed: it was updated at ${updatedAt}`, {
    hint: "read it again with `calctl events get` before updating it",
    details: { updated_at: updatedAt },
  });
}

/**
 * When an event was last updated, in milliseconds since the Unix epoch.
 * @param source the flag that needs to know, for messages
 * @throws CliError rejected when the service did not send it
 */
export function lastUpdate({ updated_at: updatedAt }: Pick<Event, "updated_at">, source: string): number {
  const time = updatedAt === null ? null : parseWireDateTime(updatedAt);
  if (time !== null) return time.instant;
  throw new CliError("rejected", `${source}: the service does not say when the event was last changed`);
}

/**
 * Whether an update that got no response was applied; false when the event is unchanged.
 * @param update.expectedUpdatedAt the `updated_at` before it, in milliseconds since the Unix epoch
 * @throws CliError outcome_unknown when the event is neither unchanged nor as the update would leave it
 */
export function wasUpdated(
  found: Event,
  { expectedUpdatedAt: expected, draft }: { readonly expectedUpdatedAt: number; readonly draft: EventDraft },
): boolean {
  const { id, updated_at: updatedAt } = found;
  const updated = parseWireDateTime(updatedAt ?? "")?.instant ?? null;
  if (updated === expected) return false;
  if (updated !== null && updated > expected && says(found, draft)) return true;
  throw new CliError(
    "outcome_unknown",
    `it is unknown whether event ${id} was updated: the update may have been done and then overwritten, or another change came first`,
    { hint: `look at it with \`calctl events get ${id}\``, details: { updated_at: updatedAt } },
  );
}
