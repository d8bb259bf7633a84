import type { Scope } from "../../../contract/extensions.js";
import type { CalendarEvent, EventDraft } from "../../../contract/shapes.js";
import { fillRelated, type LocalizedEvent, localizeEvent, relatedOf } from "../../calendar/event-view.js";
import { hasCode, wrapError } from "../../errors.js";
import { write } from "../../events/write.js";
import type { FoundEvent } from "../calendar-choice.js";
import type { RelatedResolver } from "./event-flags.js";
import type { EventContext } from "./event-reader.js";

/** An update of an event as it was read. */
export interface EventUpdate extends FoundEvent {
  readonly draft: EventDraft;
  /** `updated_at` when it was read, in milliseconds since the Unix epoch; null to replace whatever is there. */
  readonly seen: number | null;
  readonly resolver: RelatedResolver;
  /** Of an event that repeats. */
  readonly scope: Scope | undefined;
}

function keptNote(kept: number): string {
  return kept === 1
    ? "1 event of the series was changed on its own, and stays as it is"
    : `${kept} events of the series were changed on their own, and stay as they are`;
}

/** A rule that names days does not move with its first event: the service wants the new one. */
function askForRule(
  error: unknown,
  { recurrences, start_at: start }: EventDraft,
  { start_at: before }: CalendarEvent,
): unknown {
  const isAboutRule = hasCode(error, "rejected") && Object.hasOwn(Object(error.details), "recurrences");
  const isMoved = start !== undefined && Date.parse(start) !== Date.parse(before ?? "");
  if (!isAboutRule || !isMoved || recurrences !== undefined) return error;
  return wrapError(error, error.code, error.message, {
    hint: 'give the new rule as --repeat, such as "weekly on tue"',
  });
}

/** Writes an update, and says how many events of a series it has not changed. */
export async function writeUpdate(
  context: EventContext,
  { calendar, event: current, draft, seen, resolver, scope }: EventUpdate,
): Promise<LocalizedEvent> {
  const request = { kind: "update", event: current, draft, scope, seen } as const;
  const { event, kept } = await write(context, request).catch((error) => {
    throw askForRule(error, draft, current);
  });
  if (kept > 0) context.output.note(keptNote(kept));
  const filled = fillRelated(fillRelated(event, relatedOf(current)), resolver.resources());
  return localizeEvent(filled, context.config.settings().timezone, calendar.name);
}
