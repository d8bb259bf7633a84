import { firstNames } from "../../output/first-names.js";
import { CHANGE_WORDS } from "./first-line.js";
import { linkUrls } from "./links.js";
import type { MessageEntry } from "./message-days.js";

/** A piece of a line. */
export interface Segment {
  readonly text: string;
  readonly emphasis?: "strong" | "struck";
  /** Where it leads to. */
  readonly url?: string | null;
}

export type Line = readonly Segment[];

/** Names of attendees. */
const MAX_ATTENDEES = 20;

/** An event as lines: when and what it is, then its details. */
export function entryLines(entry: MessageEntry): Line[] {
  const { attendees, description } = entry;
  const lines = [
    headLine(entry),
    attendees.length === 0 ? [] : [{ text: `with ${firstNames(attendees, MAX_ATTENDEES)}` }],
    ...(description === "" ? [] : description.split("\n").map(linkUrls)),
  ];
  return lines.filter((line) => line.length > 0);
}

/** When and what an event is, and nothing more. */
export function withoutDetails(entry: MessageEntry): MessageEntry {
  const difference = { ...entry.difference, others: [] };
  return { ...entry, difference, attendees: [], description: "", location: "", url: null };
}

/** `15:00–16:00 Parents' evening (until Sun 02:00) – Room 12 · Family` */
function headLine(entry: MessageEntry): Line {
  const { change, name, url } = entry;
  // A name that looks like a URL must not lead to another one.
  const isLinked = name !== "" && !name.includes("://");
  const [when, notes] = [whenOf(entry), notesOf(entry)];
  const title: Segment[] = [
    ...(change === null ? [] : [{ text: `${CHANGE_WORDS[change]}: ` }]),
    ...(name === "" ? [] : [named(name, { url: isLinked ? url : null, isRemoved: change === "removed" })]),
    ...(notes.length === 0 || name === "" ? [] : [{ text: " " }]),
    ...notes,
  ];
  const details = detailsOf(entry, isLinked ? null : url);
  return [
    ...when,
    ...(when.length === 0 || title.length === 0 ? [] : [{ text: "  " }]),
    ...title,
    ...details.flatMap((part) => [{ text: " · " }, ...part]),
  ];
}

/** `16:00–17:00, was 12:00–13:00` */
function whenOf({ time, difference: { time: was } }: MessageEntry): Line {
  return [
    ...(time === "" ? [] : [{ text: time, emphasis: "strong" as const }]),
    ...(was === "" ? [] : [{ text: time === "" ? was : `, ${was}` }]),
  ];
}

function notesOf({ notes, difference }: MessageEntry): Line {
  const { others } = difference;
  const text = [...notes, ...(others.length === 0 ? [] : [`(${others.join(", ")})`])].join(" ");
  return text === "" ? [] : [{ text }];
}

function named(
  text: string,
  { url, isRemoved }: { readonly url: string | null; readonly isRemoved: boolean },
): Segment {
  return { text, url, ...(isRemoved && { emphasis: "struck" as const }) };
}

/** @param url one that no name leads to */
function detailsOf({ location, calendar, name }: MessageEntry, url: string | null): Line[] {
  const place = linkUrls(location);
  const isShown = url === null || place.some((part) => part.url === url);
  return [
    ...(place.length === 0 ? [] : [place]),
    // The title that has the name has the calendar, too.
    ...(calendar === "" || name === "" ? [] : [[{ text: calendar }]]),
    ...(isShown ? [] : [[{ text: new URL(url).host || "mail", url }]]),
  ];
}
