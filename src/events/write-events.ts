import type { Scope } from "../../contract/extensions.js";
import type { Event, EventDraft } from "../../contract/shapes.js";
import { failUnread, processEach } from "../cli/items.js";
import { CliError, hasCode, wrapError } from "../errors.js";
import type { Run } from "../run/run.js";
import { isIsoDateInput } from "../time/dates.js";
import { describeLocal } from "../time/zoned-time.js";
import { movesEvent } from "./draft.js";
import { createEventFinder, type FoundEvent } from "./find/calendar-choice.js";
import { isSingleId, readEventIds } from "./find/event-ids.js";
import { rememberShown } from "./find/event-reader.js";
import { fillRelated, type LocalizedEvent, localizeEvent, relatedOf } from "./localized-event.js";
import { type EventPatch, isTyped, said, withoutNames } from "./patch.js";
import type { RelatedResolver } from "./related.js";
import { eventView } from "./views/event.js";
import { write } from "./write.js";

/** Writes an event. @param read gives it as it is now */
type WriteEvent = (read: () => Promise<Event>) => Promise<LocalizedEvent>;

interface EventWrites {
  /** What was done, as messages say it: `updated`. */
  readonly verb: string;
  /** Finds out what is written, so that a value that does not fit is refused before anything is. */
  readonly prepare: (found: FoundEvent) => Promise<WriteEvent>;
  /** Asks before anything is written. @throws CliError interrupted for no */
  readonly confirm?: (found: readonly FoundEvent[]) => Promise<void>;
}

/**
 * Writes events that are given by id, each once, and prints them: one as an object, several or those of stdin as a list.
 * All are read before the first is written.
 * @throws CliError as `processEach`; nothing was written when a value does not fit one of them
 */
export async function writeEvents(
  run: Run,
  given: readonly string[],
  { verb, prepare, confirm }: EventWrites,
): Promise<void> {
  const output = run.output.of(eventView);
  const ids = [...new Set(await readEventIds(run, given))];
  if (ids.length === 0) return output.print([]);
  const finder = await createEventFinder(run);
  const prepared = new Map<string, FoundEvent & { readonly write: WriteEvent }>();
  const notFound = new Map<string, CliError>();
  const texts = { noun: "event", verb, name: (id: string) => id, warn: run.output.warn };
  for (const id of ids) {
    const found = await finder.read(id).catch((error: unknown) => {
      if (hasCode(error, "not_found")) return error;
      return failUnread(error, { item: id, items: ids, ...texts });
    });
    if (found instanceof CliError) notFound.set(id, found);
    else prepared.set(id, { ...found, write: await prepare(found) });
  }
  if (prepared.size > 0) await confirm?.([...prepared.values()]);
  const api = await run.api();
  const { results, reportFailures } = await processEach(ids, {
    ...texts,
    // One at a time, so that an interruption leaves at most one in doubt.
    concurrency: 1,
    async work(eventId) {
      const found = prepared.get(eventId);
      if (found === undefined) throw notFound.get(eventId);
      const { calendar, event, write } = found;
      const isFresh = ids.length === 1 && confirm === undefined;
      return write(async () => (isFresh ? event : api.getEvent({ calendarId: calendar.id, eventId })));
    },
  });
  await rememberShown(run, results);
  const [first] = results;
  const done = describeWritten(results, verb);
  if (first !== undefined) await output.print(isSingleId(given) ? first : results, done);
  reportFailures();
}

function describeWritten(events: readonly LocalizedEvent[], verb: string): string {
  const ids = events.map(({ id }) => id).join(", ");
  return events.length === 1 ? `event ${ids} was ${verb}` : `these events were ${verb}: ${ids}`;
}

/** Says on stderr to where an event was moved or copied, if that is all that its patches say of times. */
export function noteMove(
  { config, output }: Run,
  { title, all_day: allDay, start_local: start, end_local: end }: LocalizedEvent,
  { patches, isSingle }: { readonly patches: readonly EventPatch[]; readonly isSingle: boolean },
): void {
  if (!movesEvent(patches)) return;
  const { timezone } = config.settings();
  const name = isSingle ? "" : `${title}: `;
  const given = said(patches.filter(isTyped), "start");
  const isExact = given?.kind === "date-time" || (allDay === true && isIsoDateInput(given?.text ?? ""));
  if (start !== null && !isExact) output.note(`${name}start: ${describeLocal(start, timezone)}`);
  if (end !== null) output.note(`${name}end: ${describeLocal(end, timezone)}`);
}

/** An update of an event as it was read. */
export interface EventUpdate extends FoundEvent {
  readonly draft: EventDraft;
  /** `updated_at` when it was read, in milliseconds since the Unix epoch; null to replace whatever is there. */
  readonly expectedUpdatedAt: number | null;
  readonly resolver: RelatedResolver;
  /** Of an event that repeats. */
  readonly scope: Scope | undefined;
}

/** Updates an event, and says how many events of a series it has not changed. */
export async function updateEvent(
  run: Run,
  { calendar, event: current, draft, expectedUpdatedAt, resolver, scope }: EventUpdate,
): Promise<LocalizedEvent> {
  const request = { kind: "update", event: current, draft, scope, expectedUpdatedAt } as const;
  const { event, keptOccurrences: kept } = await write(run, request).catch((error) => {
    throw askForRule(error, draft, current);
  });
  if (kept > 0) run.output.note(keptNote(kept));
  const filled = fillRelated(fillRelated(event, relatedOf(current)), resolver.resources());
  return localizeEvent(filled, run.config.settings().timezone, calendar.name);
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
  { start_at: before }: Event,
): unknown {
  const isAboutRule = hasCode(error, "rejected") && Object.hasOwn(Object(error.details), "recurrences");
  const isMoved = start !== undefined && Date.parse(start) !== Date.parse(before ?? "");
  if (!isAboutRule || !isMoved || recurrences !== undefined) return error;
  return wrapError(error, error.code, error.message, {
    hint: 'set the new rule with --repeat, such as "weekly on tue"',
  });
}

/** The patches with the ids of what they name in the calendar of the event. */
export async function withIds(
  { output }: Run,
  patches: readonly EventPatch[],
  { event, resolver }: { readonly event: Event; readonly resolver: RelatedResolver },
): Promise<readonly EventPatch<string>[]> {
  const typed = patches.filter(isTyped);
  const label = said(patches, "label");
  const noteMissing = (name: string): void =>
    output.note(`--input: this calendar has no label "${name}": the event keeps its own`);
  const ids = {
    label: (label && (await resolver.labelId(label, noteMissing))) ?? undefined,
    // An attendee may no longer be a member.
    attendees: await resolver.attendeeIds(said(patches, "attendees"), event.attendees),
    addAttendees: await resolver.attendeeIds(said(typed, "addAttendees")),
    removeAttendees: await resolver.attendeeIds(said(typed, "removeAttendees"), event.attendees),
  };
  return [...patches.map(withoutNames), ids];
}
