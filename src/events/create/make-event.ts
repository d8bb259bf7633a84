import type { Event, EventDraft } from "../../../contract/shapes.js";
import type { Created } from "../../api/endpoints.js";
import { readFailure } from "../../cli/items.js";
import type { Run } from "../../run/run.js";
import { localDate } from "../../time/zoned-time.js";
import type { ChosenCalendar } from "../find/calendar-choice.js";
import {
  fillRelated,
  type LocalizedEvent,
  localizeEvent,
  type RelatedResources,
} from "../localized-event.js";
import type { Named } from "../names.js";
import { createRelatedResolver, DEFAULT_LABEL, type RelatedResolver } from "../related.js";
import { requireSeries } from "../repeat/series.js";
import { write } from "../write.js";

interface MakeOptions {
  readonly key?: string | undefined;
  /** Names of its label and people, which the response lacks. */
  readonly known?: RelatedResources;
}

export type EventMaker = ReturnType<typeof createEventMaker>;

/** Makes events in one calendar, whose labels and members are read once. */
export function createEventMaker(run: Run, calendar: ChosenCalendar) {
  const settings = run.config.settings();
  const resolver = createRelatedResolver(run, calendar.id);
  let related: Promise<RelatedResources> | undefined;
  const noted = new Set<string>();
  const noteMissing = (label: string): void => {
    if (!noted.has(label))
      run.output.note(`--input: this calendar has no label "${label}": these events get the default label`);
    noted.add(label);
  };
  return {
    /** Of the calendar. */
    resolver,
    /**
     * Finds label and attendees.
     * @throws CliError not_found for names that the calendar does not have, rejected where the service stores no series
     */
    async complete({ label, attendees, ...content }: EventDraft<Named>): Promise<EventDraft> {
      if (content.recurrences !== undefined) await requireSeries(await run.api(), calendar.id);
      const chosen = label && (await resolver.labelId(label, noteMissing));
      const preset = chosen ? undefined : settings.setting("label");
      const labelId = chosen ?? (preset && (await resolver.labelId(preset))) ?? DEFAULT_LABEL;
      return { ...content, label: labelId, attendees: await resolver.attendeeIds(attendees) };
    },
    /** Creates the event, with a key only once. @throws CliError rejected for a key that the service does not keep */
    async make(draft: EventDraft, { key, known }: MakeOptions = {}): Promise<Created<LocalizedEvent>> {
      related ??= readRelated(run, resolver);
      const others = await related;
      const { event, isRepeat } = await write(run, {
        kind: "create",
        calendarId: calendar.id,
        draft,
        key,
      });
      const filled = fillRelated(known === undefined ? event : fillRelated(event, known), others);
      return { created: localizeEvent(filled, settings.timezone, calendar.name), isRepeat };
    },
  };
}

/** Checks the recurrences of an input. @throws CliError usage */
export async function checkRecurrences(content: EventDraft<unknown>): Promise<void> {
  if (content.recurrences === undefined) return;
  const { checkLines } = await import("../repeat/repeat.js");
  checkLines(content, content.recurrences);
}

/**
 * The names that the response to a create lacks. They are read for a terminal, and from the embedded service, where that is
 * free. For a script no request is sent: it gets the names that were read anyway. A failure to read them is ignored.
 */
async function readRelated(
  { config, terminal }: Run,
  resolver: Pick<RelatedResolver, "readAll" | "resources">,
): Promise<RelatedResources> {
  if (!terminal.isTerminal && config.settings().service.kind !== "local") return resolver.resources();
  try {
    const { labels, members } = await resolver.readAll();
    return { labels, users: members };
  } catch (error) {
    if (readFailure(error).kind === "stopped") throw error;
    return resolver.resources();
  }
}

/** Tells how to find a keep again that has no date. It was created, so a service that fails now is no error. */
export async function noteKeepWithoutTimes(
  { api, config, output, now }: Run,
  { id, calendar_id: calendarId, start_at: start }: Pick<Event, "id" | "calendar_id" | "start_at">,
): Promise<void> {
  if (start !== null) return;
  const { timezone } = config.settings();
  const today = localDate(now(), timezone);
  const query = { calendarId, timezone, from: today, to: today, search: null, limit: 1 };
  const list = await (await api()).listEvents({ ...query, category: "keep" }).catch((error: unknown) => {
    if (readFailure(error).kind === "stopped") throw error;
    return null;
  });
  output.note(
    list?.hasKeepsWithoutTimes === true
      ? "calctl events list --category keep shows keeps without times"
      : `this keep has no date and appears on no day; note its id: ${id}`,
  );
}
