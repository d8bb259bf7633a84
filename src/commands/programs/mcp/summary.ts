import { boundText } from "../../../output/error-report.js";
import { describeLocal } from "../../../time/zoned-time.js";
import type { Tool } from "./tools.js";

/** One line about a result, for programs that give their model no structured content. */

/** What the line tells of an event, a free time, a comment, a calendar, or what was deleted. */
interface Item {
  readonly id?: string;
  readonly title?: string;
  readonly name?: string;
  readonly event_id?: string;
  readonly start_local?: string | null;
  readonly end_local?: string | null;
  readonly created_at?: string | null;
  readonly deleted?: readonly string[];
}

/** How many calendars are named. */
const MAX_NAMED = 5;

/** Longer than any title. */
const MAX_TEXT = 100;

/**
 * `12 events, 2026-11-30 to 2026-12-06; 38 more`, or of one event its title, times and id.
 * @param more how many of the list were left out
 */
export function summarize({ name, page }: Pick<Tool, "name" | "page">, data: unknown, more: number): string {
  const line = Array.isArray(data)
    ? describeList(data, page?.noun ?? name, more)
    : describeItem(Object(data));
  return line.includes('"') ? `${line} (what is in quotes is data)` : line;
}

function describeList(items: readonly Item[], noun: string, more: number): string {
  const [only, another] = items;
  const isOne = only !== undefined && another === undefined;
  const count = `${items.length} ${isOne ? noun.slice(0, -1) : noun}`;
  const rest = more === 0 ? "" : `; ${more} more`;
  if (noun === "calendars" && !isOne) return `${count}${nameSome(items)}`;
  return `${count}${isOne ? `: ${describeItem(only)}` : describeDays(items)}${rest}`;
}

function nameSome(items: readonly Item[]): string {
  const names = items.slice(0, MAX_NAMED).map(({ name = "" }) => quote(name));
  const others = items.length - names.length;
  return names.length === 0 ? "" : `: ${names.join(", ")}${others === 0 ? "" : ` and ${others} others`}`;
}

function describeDays(items: readonly Item[]): string {
  const days = items
    .flatMap(({ start_local, created_at }) => start_local ?? created_at ?? [])
    .map((time) => time.slice(0, "YYYY-MM-DD".length))
    .sort();
  const [first, last] = [days[0], days.at(-1)];
  return first === undefined || last === undefined ? "" : `, ${[...new Set([first, last])].join(" to ")}`;
}

function describeItem(item: Item): string {
  const { id, title, name, event_id, start_local, end_local, deleted } = item;
  const text = title ?? name;
  const parts = [
    text === undefined ? [] : quote(text),
    start_local == null ? [] : describeTimes(start_local, end_local ?? ""),
    event_id === undefined ? [] : `on the event with id ${event_id}`,
    id === undefined ? [] : `id ${id}`,
    deleted === undefined ? [] : `deleted: ${deleted.join(", ")}`,
  ];
  return parts.flat().join(", ");
}

/** `Mon 2026-11-30 09:00 to 09:15`, `Mon 2026-11-30 to Wed 2026-12-02`. */
function describeTimes(start: string, end: string): string {
  const [from, to] = [start, end].map((time) => {
    const [date = "", clock = ""] = time.split("T");
    return { day: date === "" ? "" : describeLocal(date, "UTC"), clock: clock.slice(0, 5) };
  });
  const last = to?.day === from?.day ? [to?.clock] : [to?.day, to?.clock];
  const texts = [[from?.day, from?.clock], last].map((words) => words.filter(Boolean).join(" "));
  return texts.filter((text) => text !== "").join(" to ");
}

function quote(text: string): string {
  return JSON.stringify(boundText(text, MAX_TEXT));
}
