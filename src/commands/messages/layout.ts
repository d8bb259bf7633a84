import { firstNames } from "../../output/words.js";
import { type LinkButton, linkUrls } from "./links.js";
import { CHANGE_WORDS, type DaysBody, type Message, type MessageEntry } from "./message.js";
import { cutText } from "./text-length.js";

/** An event, or a line of text. */
export interface Item {
  /** At least one; those after the first are details of it. */
  readonly lines: readonly Line[];
}

/** A day, or text. */
export interface Block {
  /** Null for text. */
  readonly heading: string | null;
  /** Of the first label. */
  readonly color: string | null;
  readonly items: readonly Item[];
  /** Whether the items are those of a list; text and a single event are not. */
  readonly isListed: boolean;
}

/** A message as every target shows it, except for the markup. */
export interface Layout {
  readonly title: string;
  /** Whom it notifies, as the target calls them. */
  readonly mentions: readonly string[];
  readonly buttons: readonly LinkButton[];
  readonly blocks: readonly Block[];
  /** `… and 12 more`; null if nothing is left out. */
  readonly more: string | null;
  readonly note: string | null;
}

/** How a target draws a layout, and whether it takes what was drawn. */
interface Drawing<T> {
  readonly draw: (layout: Layout) => T;
  readonly fits: (drawn: T) => boolean;
}

/** Draws as much of a message as fits: without details if need be, and then with as many events as fit. */
export function drawFitting<T>(message: Message, { draw, fits }: Drawing<T>): T {
  const total = countItems(message);
  const whole = draw(layOut(message, { hasDetails: true, shown: total }));
  if (fits(whole)) return whole;
  let [low, high] = [0, total + 1];
  let best = draw(layOut(message, { hasDetails: false, shown: 0 }));
  while (high - low > 1) {
    const shown = Math.floor((low + high) / 2);
    const drawn = draw(layOut(message, { hasDetails: false, shown }));
    if (fits(drawn)) {
      low = shown;
      best = drawn;
    } else {
      high = shown;
    }
  }
  return best;
}

interface Extent {
  readonly hasDetails: boolean;
  /** Number of items, from the first. */
  readonly shown: number;
}

function layOut(message: Message, extent: Extent): Layout {
  const { title, zone, body, mentions = [], buttons = [] } = message;
  const total = countItems(message);
  const left = total - extent.shown;
  const blocks = body.kind === "days" ? dayBlocks(body, extent) : textBlocks(body.text, extent);
  const what = body.kind === "days" ? "" : left === 1 ? " line" : " lines";
  const note = describeZone(zone);
  return { title, mentions, buttons, blocks, note, more: left === 0 ? null : `… and ${left} more${what}` };
}

/** `Times in Europe/Berlin`; null without a zone. */
export function describeZone(zone: string | null): string | null {
  return zone === null ? null : `Times in ${zone}`;
}

function countItems({ body }: Message): number {
  if (body.kind === "text") return body.text.split("\n").length;
  return body.days.reduce((count, { entries }) => count + entries.length, 0);
}

/** Code points of a line of one's own text, if not all of it fits. */
const MAX_LINE = 200;

function textBlocks(text: string, { hasDetails, shown }: Extent): Block[] {
  if (text === "" || shown === 0) return [];
  const lines = text.split("\n").slice(0, shown);
  const max = hasDetails ? Number.POSITIVE_INFINITY : MAX_LINE;
  const items = lines.map((line) => ({ lines: [linkUrls(cutText(line, max, "code points"))] }));
  return [{ heading: null, color: null, items, isListed: false }];
}

function dayBlocks({ days, titleDate }: DaysBody, { hasDetails, shown }: Extent): Block[] {
  const blocks: Block[] = [];
  const isListed = days.length > 1 || (days[0]?.entries.length ?? 0) > 1;
  let left = shown;
  for (const { date, heading, entries } of days) {
    const shownEntries = entries.slice(0, left);
    left -= shownEntries.length;
    if (shownEntries.length === 0) break;
    const color = shownEntries.find((entry) => entry.color !== null)?.color ?? null;
    const items = shownEntries.map((entry) => ({
      lines: entryLines(hasDetails ? entry : withoutDetails(entry)),
    }));
    const isNamed = date !== null && date === titleDate;
    blocks.push({ heading: isNamed ? null : heading, color, items, isListed });
  }
  return blocks;
}

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
function entryLines(entry: MessageEntry): Line[] {
  const { attendees, description } = entry;
  const lines = [
    headLine(entry),
    attendees.length === 0 ? [] : [{ text: `with ${firstNames(attendees, MAX_ATTENDEES)}` }],
    ...(description === "" ? [] : description.split("\n").map(linkUrls)),
  ];
  return lines.filter((line) => line.length > 0);
}

/** When and what an event is, and nothing more. */
function withoutDetails(entry: MessageEntry): MessageEntry {
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
