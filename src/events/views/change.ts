import { plainId } from "../../../contract/ids.js";
import type { ContentField } from "../../../contract/shapes.js";
import { renderNdjson } from "../../output/formats/data.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { truncateText } from "../../output/table/text-width.js";
import { jsonObject, type Rendering, type View } from "../../output/view.js";
import { firstNames } from "../../output/words.js";
import { localDate } from "../../time/zoned-time.js";
import { CHANGE_KINDS, type ChangeKind, type EventChange } from "../changes/compare.js";
import type { LocalizedEvent } from "../localized-event.js";
import type { EntryOptions } from "./days.js";
import { dayListOptions, daysOf, eventView } from "./event.js";
import { describeFormerWhen, titleOf } from "./event-when.js";

/** A change. The keys of its event are there once more, for columns. */
type ListedChange = LocalizedEvent & EventChange<LocalizedEvent>;

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
      const { drawDayList } = await import("./days.js");
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

interface ChangeListViewOptions {
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
      const { drawDayList } = await import("./days.js");
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

/** How an event differs from what it was, in the order of what a reader has to know. All text is sanitized. */
export interface EventDifference {
  /** `was Tue 12:00–13:00`; empty if it takes place when it did. */
  readonly time: string;
  /** `was "Lunch"`, `was at Room 1`, `Ana joined`; of the description only if there is nothing else. */
  readonly others: readonly string[];
}

/** Columns of a former title or place. */
const MAX_WIDTH = 40;
/** Names of people. */
const MAX_NAMES = 3;
/** Differences beside the time; of more, the rest is counted. */
const MAX_OTHERS = 4;

/** Compares an event with what it was. */
export function describeDifference(before: LocalizedEvent, event: LocalizedEvent): EventDifference {
  const time = timeDifference(before, event);
  const content = {
    title: titleOf(before) === titleOf(event) ? "" : `was "${shorten(titleOf(before))}"`,
    location: placeDifference(before, event),
    attendees: [peopleText(peopleOf(event, before), "joined"), peopleText(peopleOf(before, event), "left")],
    label: labelDifference(before, event),
    url: differs(before.url, event.url) ? "link changed" : "",
    category: differs(before.category, event.category) ? `now a ${shorten(event.category)}` : "",
    recurrences: differs(String(before.recurrences), String(event.recurrences)) ? "repeats differently" : "",
  } satisfies Record<Exclude<ContentField, "description">, string | readonly string[]>;
  const others = Object.values(content)
    .flat()
    .filter((text) => text !== "");
  const isSeen = time !== "" || others.length > 0;
  if (!isSeen && differs(before.description, event.description))
    return { time, others: ["description changed"] };
  if (others.length <= MAX_OTHERS) return { time, others };
  const shown = others.slice(0, MAX_OTHERS - 1);
  return { time, others: [...shown, `${others.length - shown.length} more changes`] };
}

/** A difference as a note on an event: `(was 12:00–13:00, Ana joined)`; empty if there is none. */
export function differenceNote({ time, others }: EventDifference): string {
  const all = time === "" ? others : [time, ...others];
  return all.length === 0 ? "" : `(${all.join(", ")})`;
}

function timeDifference(before: LocalizedEvent, event: LocalizedEvent): string {
  if (before.start_local === event.start_local && before.end_local === event.end_local) return "";
  return before.start_local === null ? "had no time" : `was ${describeFormerWhen(before, event)}`;
}

function placeDifference({ location: before }: LocalizedEvent, { location }: LocalizedEvent): string {
  if (!differs(before, location)) return "";
  if (shorten(before) === "") return "place is new";
  return `${shorten(location) === "" ? "no longer" : "was"} at ${shorten(before)}`;
}

/** Ids of labels are the same everywhere; their names are not of the event. */
function labelDifference({ label: before }: LocalizedEvent, { label }: LocalizedEvent): string {
  if (plainId(before?.id ?? "") === plainId(label?.id ?? "")) return "";
  const name = shorten(before?.name ?? null);
  return name === "" ? "label changed" : `label was ${name}`;
}

/** The names of who attends one event and not the other. */
function peopleOf({ attendees }: LocalizedEvent, other: LocalizedEvent): readonly string[] {
  const there = new Set(other.attendees.map(({ id }) => plainId(id)));
  return attendees.filter(({ id }) => !there.has(plainId(id))).map(({ name }) => shorten(name) || "somebody");
}

function peopleText(names: readonly string[], word: string): string {
  return names.length === 0 ? "" : `${firstNames(names, MAX_NAMES)} ${word}`;
}

function differs(before: string | null, now: string | null): boolean {
  return (before ?? "") !== (now ?? "");
}

function shorten(text: string | null): string {
  return truncateText(sanitizeLine(text ?? "").trim(), MAX_WIDTH);
}
