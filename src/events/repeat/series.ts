import { DAY_MS, formatWireDateTime, parseLenientDateTime } from "../../../contract/date-time.js";
import { excludedStarts, SCOPES, type Scope } from "../../../contract/extensions.js";
import type { Event, EventDraft } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import { CliError } from "../../errors.js";
import { instantAt, wallClockAt } from "../../time/zoned-time.js";

/** What ids tell of series: an occurrence has the id of its series, then `_` and its start by the rule. @see docs/extensions.md */

/** The values of `--scope`, the widest last. */
export const SCOPE_CHOICES: readonly Scope[] = SCOPES;

type SeriesMember = Pick<Event, "id" | "series_id">;

/** Whether an event is a series itself, not one of its occurrences. */
export function isSeries({ id, series_id }: SeriesMember): boolean {
  return id === series_id;
}

/**
 * When an occurrence takes place by the rule of its series, even if it was moved: `20261207T080000Z`, of an all-day event
 * `20261207`. Null for other events, and where a service has other ids.
 */
export function originalStartOf({ id, series_id }: SeriesMember): string | null {
  const originalStart =
    series_id === null || !id.startsWith(`${series_id}_`) ? "" : id.slice(series_id.length + 1);
  return /^\d{8}(?:T\d{6}Z)?$/.test(originalStart) ? originalStart : null;
}

/** Whether an occurrence begins when it does by the rule of its series; false for other events. */
export function isWhereItsRuleSays(event: Pick<Event, "id" | "series_id" | "start_at">): boolean {
  const digits = (text: string) => text.replace(/\D/g, "");
  const originalStart = originalStartOf(event);
  return originalStart !== null && digits(event.start_at ?? "").startsWith(digits(originalStart));
}

/** The lines of a series without the exceptions of some of its events. */
export function withoutExceptions(
  recurrences: readonly string[],
  events: readonly SeriesMember[],
): readonly string[] {
  const originalStarts = new Set(events.map(originalStartOf));
  return recurrences.flatMap((line) => {
    const left = excludedStarts([line]).filter((originalStart) => !originalStarts.has(originalStart));
    if (!line.startsWith("EXDATE")) return [line];
    return left.length === 0 ? [] : [`${line.split(":")[0]}:${left.join(",")}`];
  });
}

type Times = Readonly<Record<"start_at" | "end_at", string | null | undefined>>;

/** A series from where its rule begins: a service shows its first event, and those before are excepted. */
export function fromRuleStart<T extends Partial<Times> & Pick<EventDraft, "recurrences">>(series: T): T {
  const [first = ""] = excludedStarts(series.recurrences ?? []).toSorted();
  const start = parseLenientDateTime(first)?.instant;
  const shown = Date.parse(series.start_at ?? "");
  return start === undefined || start >= shown ? series : { ...series, ...timesFrom(series, start) };
}

/** The times of an event that begins at an instant and takes as long. */
export function timesFrom({ start_at, end_at }: Partial<Times>, start: number) {
  const length = Date.parse(end_at ?? "") - Date.parse(start_at ?? "");
  return { start_at: formatWireDateTime(start), end_at: formatWireDateTime(start + length) };
}

/** When a series would have the events that its exceptions leave out (ms). */
export function exceptionsOf(recurrences: readonly string[] = []): readonly number[] {
  return excludedStarts(recurrences).flatMap(
    (originalStart) => parseLenientDateTime(originalStart)?.instant ?? [],
  );
}

/** Whether an id is that of an occurrence. */
export function isOccurrenceId(id: string): boolean {
  return /_\d{8}(?:T\d{6}Z)?$/.test(id);
}

/** Series that move as one of their events does. */

/** When an event begins; both have times. */
interface Start {
  readonly start_at?: string | null | undefined;
  readonly start_timezone?: string | null | undefined;
}

interface ShownStart extends Start {
  readonly all_day?: boolean | null | undefined;
}

/** How far an event is moved by the clock of its zone: in milliseconds, and in days. */
interface Shift {
  readonly clock: number;
  readonly days: number;
}

/** From an event to what is written to it. */
export function shiftBetween(event: Start, draft: Start): Shift {
  const from = wallClockOf(event);
  const to = wallClockOf(draft);
  return { clock: to - from, days: Math.floor(to / DAY_MS) - Math.floor(from / DAY_MS) };
}

function wallClockOf({ start_at: start, start_timezone: zone }: Start): number {
  return wallClockAt(Date.parse(start ?? ""), zone ?? "UTC");
}

/** The start of a series that moves with one of its events. @param zone which is written, IANA */
export function shiftedStart(series: Start, { clock }: Shift, zone: string): string {
  return formatWireDateTime(instantAt(wallClockOf(series) + clock, zone));
}

/**
 * Lines that stay as they are, also where their series moves: with names in small letters, they are not those of a GET,
 * which would move, too.
 * @param written what is written with them
 */
export function linesFor(
  lines: readonly string[],
  current: ShownStart,
  written: ShownStart,
): readonly string[] {
  if (written.start_at === current.start_at && written.all_day === current.all_day) return lines;
  return lines.map((line) => line.replace(/^[A-Z]+/, (name) => name.toLowerCase()));
}

/** @throws CliError rejected where the service stores no series */
export async function requireSeries(api: Api, calendarId: string): Promise<void> {
  if (await api.hasExtension("recurrences", calendarId)) return;
  throw new CliError("rejected", "this service does not store repeating events", {
    hint: "--copies creates single events, as many as --until or --count says",
  });
}
