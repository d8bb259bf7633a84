import type { ChangeKind } from "../calendar/event-changes.js";
import { linkUrls } from "./links.js";
import type { Message, MessageDay, MessageEntry } from "./message.js";
import { cutText } from "./text-length.js";

/** How much of a message is shown. Details are shortened before any event is left out. */
interface Detail {
  /** Code points; 0 leaves it out. */
  readonly description: number;
  /** Names. */
  readonly attendees: number;
  /** Code points. */
  readonly location: number;
  /** UTF-16 units; a longer one is left out. */
  readonly url: number;
  /** Code points of a line of one's own text. */
  readonly textLine: number;
}

/** What an event is without details. */
const LEAST: Detail = { description: 0, attendees: 0, location: 0, url: 0, textLine: 100 };

/** From everything to the least. */
const DETAILS: readonly Detail[] = [
  { description: 1_000, attendees: 20, location: 200, url: 2_000, textLine: Number.POSITIVE_INFINITY },
  { description: 300, attendees: 10, location: 200, url: 2_000, textLine: 1_000 },
  { description: 0, attendees: 5, location: 100, url: 500, textLine: 500 },
  { description: 0, attendees: 0, location: 100, url: 300, textLine: 200 },
  { description: 0, attendees: 0, location: 40, url: 200, textLine: 100 },
  LEAST,
];

/** A piece of a line. */
export interface Segment {
  readonly text: string;
  readonly look?: "strong" | "struck";
  /** Where it leads to. */
  readonly url?: string | null;
}

export type Line = readonly Segment[];

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
  readonly blocks: readonly Block[];
  /** `… and 12 more`; null if nothing is left out. */
  readonly more: string | null;
  readonly note: string | null;
}

/** How a target draws a layout, and whether it takes what was drawn. */
export interface Drawing<T> {
  readonly draw: (layout: Layout) => T;
  readonly fits: (drawn: T) => boolean;
}

/** Draws as much of a message as fits: with fewer details if need be, then with fewer events. */
export function drawFitting<T>(message: Message, { draw, fits }: Drawing<T>): T {
  const total = countItems(message);
  for (const detail of DETAILS) {
    const drawn = draw(layOut(message, { detail, shown: total }));
    if (fits(drawn)) return drawn;
  }
  return drawFewer(message, { draw, fits });
}

/** As many items as fit, at the least detail. */
function drawFewer<T>(message: Message, { draw, fits }: Drawing<T>): T {
  let [low, high] = [0, countItems(message)];
  let best = draw(layOut(message, { detail: LEAST, shown: 0 }));
  while (high - low > 1) {
    const shown = Math.floor((low + high) / 2);
    const drawn = draw(layOut(message, { detail: LEAST, shown }));
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
  readonly detail: Detail;
  /** Number of items, from the first. */
  readonly shown: number;
}

function layOut(message: Message, extent: Extent): Layout {
  const { title, note, body } = message;
  const total = countItems(message);
  const left = total - extent.shown;
  const blocks = body.kind === "days" ? dayBlocks(body.days, extent) : textBlocks(body.text, extent);
  const what = body.kind === "days" ? "" : left === 1 ? " line" : " lines";
  return { title, blocks, note, more: left === 0 ? null : `… and ${left} more${what}` };
}

function countItems({ body }: Message): number {
  if (body.kind === "text") return body.text.split("\n").length;
  return body.days.reduce((count, { entries }) => count + entries.length, 0);
}

function textBlocks(text: string, { detail, shown }: Extent): Block[] {
  if (text === "" || shown === 0) return [];
  const lines = text.split("\n").slice(0, shown);
  const items = lines.map((line) => ({
    lines: [linkUrls(cutText(line, detail.textLine, "code points"))],
  }));
  return [{ heading: null, color: null, items, isListed: false }];
}

function dayBlocks(days: readonly MessageDay[], { detail, shown }: Extent): Block[] {
  const blocks: Block[] = [];
  const isListed = days.length > 1 || (days[0]?.entries.length ?? 0) > 1;
  let left = shown;
  for (const { heading, entries } of days) {
    const kept = entries.slice(0, left);
    left -= kept.length;
    if (kept.length === 0) break;
    const color = kept.find((entry) => entry.color !== null)?.color ?? null;
    const items = kept.map((entry) => ({ lines: entryLines(entry, detail) }));
    blocks.push({ heading, color, items, isListed });
  }
  return blocks;
}

const CHANGE_WORDS: Readonly<Record<ChangeKind, string>> = {
  added: "New",
  changed: "Changed",
  gone: "Gone",
};

function entryLines(entry: MessageEntry, detail: Detail): Line[] {
  const { attendees, description } = entry;
  const lines = [
    headLine(entry, detail),
    attendees.length === 0 || detail.attendees === 0 ? [] : [{ text: namesOf(attendees, detail.attendees) }],
    ...descriptionLines(description, detail),
  ];
  return lines.filter((line) => line.length > 0);
}

/** `15:00–16:00 Parents' evening (until Sun 02:00) – Room 12 · Family` */
function headLine(entry: MessageEntry, detail: Detail): Line {
  const { time, change, name, notes } = entry;
  const url = entry.url !== null && entry.url.length <= detail.url ? entry.url : null;
  // A name that looks like a URL must not lead to another one.
  const isLinked = name !== "" && !name.includes("://");
  const title: Segment[] = [
    ...(change === null ? [] : [{ text: `${CHANGE_WORDS[change]}: ` }]),
    ...(name === "" ? [] : [named(name, { url: isLinked ? url : null, isGone: change === "gone" })]),
    ...(notes.length === 0 ? [] : [{ text: `${name === "" ? "" : " "}${notes.join(" ")}` }]),
  ];
  const details = detailsOf(entry, detail.location, isLinked ? null : url);
  return [
    ...(time === "" ? [] : [{ text: time, look: "strong" as const }]),
    ...(time === "" || title.length === 0 ? [] : [{ text: "  " }]),
    ...title,
    ...details.flatMap((part) => [{ text: " · " }, ...part]),
  ];
}

function named(
  text: string,
  { url, isGone }: { readonly url: string | null; readonly isGone: boolean },
): Segment {
  return { text, url, ...(isGone && { look: "struck" as const }) };
}

/** @param url one that no name leads to */
function detailsOf({ location, calendar }: MessageEntry, max: number, url: string | null): Line[] {
  const place = max === 0 ? [] : linkUrls(cutText(location, max, "code points"));
  const isShown = url === null || place.some((part) => part.url === url);
  return [
    ...(place.length === 0 ? [] : [place]),
    ...(calendar === "" ? [] : [[{ text: calendar }]]),
    ...(isShown ? [] : [[{ text: new URL(url).host || "mail", url }]]),
  ];
}

function namesOf(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(", ");
  return names.length <= max ? `with ${shown}` : `with ${shown} and ${names.length - max} more`;
}

function descriptionLines(description: string, { description: max }: Detail): Line[] {
  const text = max === 0 ? "" : cutText(description, max, "code points");
  return text === "" ? [] : text.split("\n").map(linkUrls);
}
