import { plainId } from "../../../contract/ids.js";
import type { ContentField } from "../../../contract/shapes.js";
import { firstNames } from "../../output/first-names.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { truncateText } from "../../output/table/text-width.js";
import type { LocalizedEvent } from "../localized-event.js";
import { describeFormerWhen, titleOf } from "./event-when.js";

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
