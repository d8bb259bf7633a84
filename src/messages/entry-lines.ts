import { firstNames } from "../calendar/first-names.js";
import { CHANGE_WORDS } from "./first-line.js";
import { linkUrls } from "./links.js";
import type { MessageEntry } from "./message-days.js";
import { cutText } from "./text-length.js";

/** A piece of a line. */
export interface Segment {
  readonly text: string;
  readonly emphasis?: "strong" | "struck";
  /** Where it leads to. */
  readonly url?: string | null;
}

export type Line = readonly Segment[];

/** How much of a message is shown. Details are shortened before any event is left out. */
export interface Detail {
  /** Code points; 0 leaves it out. */
  readonly description: number;
  /** Names. */
  readonly attendees: number;
  /** Of what an event was before, beside its time. */
  readonly differences: number;
  /** Code points. */
  readonly location: number;
  /** UTF-16 units; a longer one is left out. */
  readonly url: number;
  /** Code points of a line of one's own text. */
  readonly textLine: number;
}

/** An event as lines: when and what it is, then its details. */
export function entryLines(entry: MessageEntry, detail: Detail): Line[] {
  const { attendees, description } = entry;
  const lines = [
    headLine(entry, detail),
    attendees.length === 0 || detail.attendees === 0
      ? []
      : [{ text: `with ${firstNames(attendees, detail.attendees)}` }],
    ...descriptionLines(description, detail),
  ];
  return lines.filter((line) => line.length > 0);
}

/** `15:00–16:00 Parents' evening (until Sun 02:00) – Room 12 · Family` */
function headLine(entry: MessageEntry, detail: Detail): Line {
  const { change, name } = entry;
  const url = entry.url !== null && entry.url.length <= detail.url ? entry.url : null;
  // A name that looks like a URL must not lead to another one.
  const isLinked = name !== "" && !name.includes("://");
  const [when, notes] = [whenOf(entry), notesOf(entry, detail)];
  const title: Segment[] = [
    ...(change === null ? [] : [{ text: `${CHANGE_WORDS[change]}: ` }]),
    ...(name === "" ? [] : [named(name, { url: isLinked ? url : null, isGone: change === "gone" })]),
    ...(notes.length === 0 || name === "" ? [] : [{ text: " " }]),
    ...notes,
  ];
  const details = detailsOf(entry, detail.location, isLinked ? null : url);
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

function notesOf({ notes, difference }: MessageEntry, { differences }: Detail): Line {
  const others = difference.others.slice(0, differences);
  const text = [...notes, ...(others.length === 0 ? [] : [`(${others.join(", ")})`])].join(" ");
  return text === "" ? [] : [{ text }];
}

function named(
  text: string,
  { url, isGone }: { readonly url: string | null; readonly isGone: boolean },
): Segment {
  return { text, url, ...(isGone && { emphasis: "struck" as const }) };
}

/** @param url one that no name leads to */
function detailsOf({ location, calendar, name }: MessageEntry, max: number, url: string | null): Line[] {
  const place = max === 0 ? [] : linkUrls(cutText(location, max, "code points"));
  const isShown = url === null || place.some((part) => part.url === url);
  return [
    ...(place.length === 0 ? [] : [place]),
    // The title that has the name has the calendar, too.
    ...(calendar === "" || name === "" ? [] : [[{ text: calendar }]]),
    ...(isShown ? [] : [[{ text: new URL(url).host || "mail", url }]]),
  ];
}

function descriptionLines(description: string, { description: max }: Detail): Line[] {
  const text = max === 0 ? "" : cutText(description, max, "code points");
  return text === "" ? [] : text.split("\n").map(linkUrls);
}
