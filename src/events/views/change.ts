import { renderNdjson } from "../../output/formats/data.js";
import { jsonObject, type Rendering, type View } from "../../output/view.js";
import { localDate } from "../../time/zoned-time.js";
import { CHANGE_KINDS, type ChangeKind, type EventChange } from "../changes/compare.js";
import type { LocalizedEvent } from "../localized-event.js";
import type { EntryOptions } from "./day-entry.js";
import { dayListOptions, daysOf } from "./day-formats.js";
import { eventView } from "./event.js";

/** A change. The keys of its event are there once more, for columns. */
export type ListedChange = LocalizedEvent & EventChange<LocalizedEvent>;

const HEADINGS: Readonly<Record<ChangeKind, string>> = {
  added: "Added",
  changed: "Changed",
  removed: "Removed",
};

/** Headings and their events for reading: once each, under the day on which they begin. */
const EVERY_DAY = { range: { first: null, last: null } };

const CHANGE_KEYS: View<EventChange<LocalizedEvent>>["keys"] = {
  change: {
    type: "string",
    about: "added, changed, or removed: deleted or no longer readable",
  },
  event: {
    type: { object: eventView },
    about: "as it is now; a removed one as it was last seen",
    json: ({ event }) => jsonObject(eventView, event),
  },
  before: {
    type: { object: eventView, nullable: true },
    about: "the event as it was last seen; null if it was not, as of one that was added",
    json: ({ before }) => (before === null ? null : jsonObject(eventView, before)),
  },
};

/** What changed since the last run: for data a list, for reading each kind by day. */
export const changeView: View<ListedChange> = {
  noun: "change",
  shape: "change",
  keys: {
    ...CHANGE_KEYS,
    ...eventView.keys,
  },
  members: ["change", "event", "before"],
  tsv: ["change", ...eventView.tsv],
  formats: {
    async markdown(rendering) {
      const { renderMarkdown } = await import("../../output/formats/markdown.js");
      const { renderDaysAsMarkdown } = await import("./markdown.js");
      if (rendering.single || rendering.fields !== null) return renderMarkdown(rendering);
      const options = await changeListOptions(rendering);
      return sectionsOf(rendering, (heading, events) => {
        return `# ${heading}\n\n${renderDaysAsMarkdown(daysOf(events, EVERY_DAY), options)}`;
      });
    },
    async text(rendering) {
      if (rendering.single || rendering.fields !== null)
        return (await import("../../output/formats/table.js")).renderText(rendering);
      const { drawDayList } = await import("./day-list.js");
      const options = await changeListOptions(rendering);
      return sectionsOf(rendering, (heading, events) => {
        const days = drawDayList(daysOf(events, EVERY_DAY), {
          ...options,
          width: options.width - INDENT.length,
        });
        return `${heading}\n${indent(days)}`;
      });
    },
  },
};

/** A change as it happens. */
export interface WatchedChange extends EventChange<LocalizedEvent> {
  /** The same for a change that is delivered again. */
  readonly id: string;
}

/** One line for each change, in every format. */
export const watchedChangeView: View<WatchedChange> = {
  noun: "change",
  shape: "watched_change",
  keys: {
    id: { type: "string", about: "the same for a change that is delivered again" },
    ...CHANGE_KEYS,
  },
  tsv: [],
  formats: { table: renderNdjson, tsv: renderNdjson, json: renderNdjson },
};

const INDENT = "  ";

async function changeListOptions(rendering: Rendering<ListedChange>): Promise<EntryOptions> {
  return { ...dayListOptions(rendering), ...(await changeNotes(rendering)) };
}

/** What each event was before it changed. */
async function changeNotes({
  values,
}: Pick<Rendering<ListedChange>, "values">): Promise<Pick<EntryOptions, "noteOf">> {
  const { describeDifference, differenceNote } = await import("./event-difference.js");
  const notes = new Map(
    values.map(({ event, before }) => {
      return [event, before === null ? "" : differenceNote(describeDifference(before, event))];
    }),
  );
  return { noteOf: (event) => notes.get(event) ?? "" };
}

/** One text for each kind of change that there is, with an empty line between them. */
function sectionsOf(
  { values }: Pick<Rendering<ListedChange>, "values">,
  render: (heading: string, events: readonly LocalizedEvent[]) => string,
): string {
  return CHANGE_KINDS.flatMap((kind) => {
    const events = values.filter(({ change }) => change === kind).map(({ event }) => event);
    return events.length === 0 ? [] : [render(HEADINGS[kind], events)];
  }).join("\n");
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, INDENT);
}

export interface ChangeListViewOptions {
  /** The calendars that were asked. */
  readonly calendars: readonly { readonly id: string; readonly color?: string | null }[];
  /** The id as people may type it. */
  readonly shorten: (id: string) => string;
}

/** The same for terminals: in the colors of the calendars, with ids. */
export function createChangeListView({ calendars, shorten }: ChangeListViewOptions): View<ListedChange> {
  const calendarColors = new Map(calendars.map(({ id, color = null }) => [id, color]));
  return {
    ...changeView,
    async draw(rendering, drawing) {
      const { values, fields, single, now, zone, hours, capabilities } = rendering;
      if (fields !== null || single) return null;
      const { drawDayList } = await import("./day-list.js");
      const options = {
        ...drawing,
        width: drawing.width - INDENT.length,
        calendarColors,
        showCalendar: calendars.length > 1,
        today: localDate(now(), zone()),
        now: now(),
        zone: zone(),
        hours: hours?.(),
        ...(await changeNotes({ values })),
        idOf: ({ id }: LocalizedEvent) => (capabilities.isTerminal ? shorten(id) : id),
      };
      return sectionsOf({ values }, (heading, events) => {
        return `${drawing.style.bold(heading)}\n${indent(drawDayList(daysOf(events, EVERY_DAY), options))}`;
      });
    },
  };
}
