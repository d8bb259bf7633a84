import { type Detail, entryLines, type Line } from "./entry-lines.js";
import { type LinkButton, linkUrls } from "./links.js";
import type { DaysBody, Message } from "./message.js";
import { cutText } from "./text-length.js";

/** What an event is without details. */
const LEAST: Detail = { description: 0, attendees: 0, differences: 0, location: 0, url: 0, textLine: 100 };

/** From everything to the least. */
const DETAILS: readonly Detail[] = [
  {
    description: 1_000,
    attendees: 20,
    differences: 4,
    location: 200,
    url: 2_000,
    textLine: Number.POSITIVE_INFINITY,
  },
  { description: 300, attendees: 10, differences: 4, location: 200, url: 2_000, textLine: 1_000 },
  { description: 0, attendees: 5, differences: 4, location: 100, url: 500, textLine: 500 },
  { description: 0, attendees: 0, differences: 1, location: 100, url: 300, textLine: 200 },
  { description: 0, attendees: 0, differences: 1, location: 40, url: 200, textLine: 100 },
  LEAST,
];

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

function textBlocks(text: string, { detail, shown }: Extent): Block[] {
  if (text === "" || shown === 0) return [];
  const lines = text.split("\n").slice(0, shown);
  const items = lines.map((line) => ({
    lines: [linkUrls(cutText(line, detail.textLine, "code points"))],
  }));
  return [{ heading: null, color: null, items, isListed: false }];
}

function dayBlocks({ days, titleDate }: DaysBody, { detail, shown }: Extent): Block[] {
  const blocks: Block[] = [];
  const isListed = days.length > 1 || (days[0]?.entries.length ?? 0) > 1;
  let left = shown;
  for (const { date, heading, entries } of days) {
    const kept = entries.slice(0, left);
    left -= kept.length;
    if (kept.length === 0) break;
    const color = kept.find((entry) => entry.color !== null)?.color ?? null;
    const items = kept.map((entry) => ({ lines: entryLines(entry, detail) }));
    const isNamed = date !== null && date === titleDate;
    blocks.push({ heading: isNamed ? null : heading, color, items, isListed });
  }
  return blocks;
}
