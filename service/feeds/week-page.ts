import { DateTime } from "luxon";
import { HEX_COLOR } from "../../contract/limits.js";
import { type DayEntry, fillDays, lastsAllDay, listByDay } from "../../src/calendar/day-list.js";
import type { LocalizedEvent } from "../../src/calendar/event-view.js";
import { divideIntoRows, type GridRows } from "../../src/calendar/grid-rows.js";
import { localDate, repeatedOffset } from "../../src/calendar/zoned-time.js";
import { html, type Markup, renderPage } from "../../src/html/page.js";
import { windowOfDays } from "../day-window.js";
import { ProblemError } from "../http/response.js";
import { splitTarget } from "../request.js";
import type { OpenFeed } from "../store/feeds.js";
import { type FeedRepresentation, readFeed } from "./feed-events.js";
import { STYLE } from "./page-style.js";

/** A feed as a page with a week: that of `?week=2026-W48`, or this one. @throws ProblemError 400 */
export function weekPage(found: OpenFeed, target: string, now: number): FeedRepresentation {
  const { name, timezone } = found.feed;
  const today = localDate(now, timezone);
  const monday = findMonday(new URLSearchParams(splitTarget(target).query).get("week"), today);
  const dates = [0, 1, 2, 3, 4, 5, 6].map((days) => monday.plus({ days }).toISODate());
  const [from = today] = dates;
  const to = dates[6] ?? from;
  return {
    version: ["page", from, today],
    async render(db) {
      const parts = await readFeed(db, found, windowOfDays({ from, to, timezone }));
      const events = parts.flatMap((part) => part.events);
      const days = fillDays(listByDay(events, { first: from, last: to }), { first: from, last: to });
      const timed = days.map(({ entries }) => entries.filter((entry) => !lastsAllDay(entry)));
      const grid = divideIntoRows(
        timed.map((entries) => entries.map(({ event }) => event)),
        { dates, now: null },
      );
      const options = { timezone, showsCalendar: found.calendars.length > 1 && found.feed.busy_only === 0 };
      const sections = days.map(({ date, entries }, column) => {
        const whole = entries.filter(lastsAllDay);
        const day = {
          date: date ?? "",
          whole,
          timed: timed[column] ?? [],
          blocks: grid.blocks[column] ?? [],
        };
        return daySection(day, { ...options, isToday: date === today });
      });
      const cut = parts.some(({ isCut }) => isCut) ? html`<p>Not all events of this week fit.</p>` : null;
      return renderPage({
        title: name,
        style: `${STYLE}${styleOf(grid, events)}`,
        main: html`<header><h1>${name}</h1>
<p>${titleOf(monday)}</p>
${navigation(monday)}</header>
${cut}<div class="week">
${axis(grid)}
${joined(sections)}
</div>
<p class="zone">Times in ${timezone}</p>`,
      });
    },
  };
}

/** A page that says what went wrong. */
export function problemPage(status: number): ReturnType<typeof renderPage> {
  const [title, advice] = PROBLEMS[status] ?? ["Something went wrong", "Reload this page in a moment."];
  const link = status === 400 ? html`<p><a href="?">This week</a></p>` : null;
  return renderPage({
    title,
    style: STYLE,
    main: html`<h1>${title}</h1>
<p>${advice}</p>
${link}`,
  });
}

const PROBLEMS: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  400: ["There is no such week", "An address of a week ends in ?week=2026-W48."],
  404: ["There is no calendar here", "Check whether the address is complete."],
  410: ["This calendar is no longer shared", "Ask who gave you the address for another one."],
  429: ["Too many requests", "Wait a few minutes, then reload this page."],
};

/** @param week as ISO 8601 has it; null for the week of today */
function findMonday(week: string | null, today: string): DateTime<true> {
  const isWeek = week === null || /^(?:19|2\d)\d\d-W\d\d$/.test(week);
  const day = DateTime.fromISO(week ?? today, { zone: "utc", locale: "en" });
  if (!isWeek || !day.isValid) throw new ProblemError(400);
  return day.startOf("week");
}

function titleOf(monday: DateTime<true>): string {
  const sunday = monday.plus({ days: 6 });
  const first = monday.toFormat(monday.year === sunday.year ? "d LLLL" : "d LLLL yyyy");
  return `${first} – ${sunday.toFormat("d LLLL yyyy")}, week ${monday.weekNumber}`;
}

function navigation(monday: DateTime<true>): Markup {
  const addressOf = (weeks: number) => `?week=${monday.plus({ weeks }).toFormat("kkkk-'W'WW")}`;
  return html`<nav aria-label="Weeks"><a rel="prev" href="${addressOf(-1)}">Previous</a>
<a href="?">This week</a>
<a rel="next" href="${addressOf(1)}">Next</a></nav>`;
}

/** The hours at the left of the grid, which each event says in words. */
function axis({ start, step, shown }: GridRows): Markup {
  const labels = shown.map((row, line) => {
    const minutes = start + (row ?? 0) * step;
    const hour = minutes % 60 === 0 ? DateTime.fromObject({ hour: minutes / 60 }).toFormat("HH:mm") : "";
    return html`<span class="h${String(line)}">${row === null ? "⋮" : hour}</span>`;
  });
  return html`<div class="axis" aria-hidden="true">${joined(labels)}</div>`;
}

interface DayColumn {
  readonly date: string;
  readonly whole: readonly DayEntry<LocalizedEvent>[];
  readonly timed: readonly DayEntry<LocalizedEvent>[];
  readonly blocks: GridRows["blocks"][number];
}

interface DayOptions {
  readonly timezone: string;
  readonly showsCalendar: boolean;
  readonly isToday: boolean;
}

function daySection({ date, whole, timed, blocks }: DayColumn, options: DayOptions): Markup {
  const day = DateTime.fromISO(date, { locale: "en" });
  const places = new Map(blocks.map((placed) => [placed.item.event, placed]));
  const list = (kind: string, entries: readonly DayEntry<LocalizedEvent>[]) =>
    entries.length === 0
      ? null
      : html`<ul class="${kind}">${joined(
          entries.map((entry) => {
            const place = places.get(entry.event);
            const classes = kind === "timed" && place ? placeClasses(place) : "";
            return eventItem(entry, `${classes} ${colorClass(entry.event)}`, options);
          }),
        )}</ul>
`;
  const none = whole.length + timed.length === 0 ? html`<p class="none">No events</p>` : null;
  return html`<section${options.isToday ? html` class="today"` : null}>
<h2${options.isToday ? html` aria-current="date"` : null}>${day.toFormat("cccc")} <span>${day.toFormat("d LLLL")}</span></h2>
${list("whole", whole)}${list("timed", timed)}${none}</section>`;
}

function eventItem(
  entry: DayEntry<LocalizedEvent>,
  classes: string,
  { timezone, showsCalendar }: DayOptions,
) {
  const { title, location, calendar_name } = entry.event;
  const rest = [location, showsCalendar ? calendar_name : null].filter(Boolean).join(" · ");
  return html`<li class="${classes.trim()}"><span class="time">${timeOf(entry, timezone)}</span>
<b>${title?.trim() || "(no title)"}</b>${rest === "" ? null : html` <span class="rest">${rest}</span>`}</li>
`;
}

function timeOf({ event, part }: DayEntry<LocalizedEvent>, zone: string): string {
  if (lastsAllDay({ event, part })) return "All day";
  const clock = (local: string | null) => `${local?.slice(11, 16)}${repeatedOffset(local ?? "", zone)}`;
  const [start, end] = [clock(event.start_local), clock(event.end_local)];
  if (part === "first") return `from ${start}`;
  if (part === "last") return `until ${end}`;
  return event.start_local === event.end_local ? start : `${start}–${end}`;
}

/** Attributes of style are refused by the policy of the page: what is placed has classes. */
function placeClasses({ item, lane, lanes }: GridRows["blocks"][number][number]): string {
  return `r${item.start}-${item.end} l${lane}-${lanes}`;
}

function colorClass({ label }: LocalizedEvent): string {
  const color = label?.color ?? "";
  return HEX_COLOR.test(color) ? `k${color.slice(1).toLowerCase()}` : "";
}

/** The rules of the classes that this week has. Hours that are left out take one line of the grid. */
function styleOf({ step, blocks, shown }: GridRows, events: readonly LocalizedEvent[]): string {
  const colors = events.map(colorClass).filter((name) => name !== "");
  const rules = [
    `.week{--rows:${shown.length};--row:${step === 60 ? 2.4 : 1.75}rem}`,
    ...shown.map((_, line) => `.h${line}{grid-row:${line + 1}}`),
    ...blocks
      .flat()
      .flatMap(({ item, lane, lanes }) => [
        `.r${item.start}-${item.end}{grid-row:${shown.indexOf(item.start) + 1}/${shown.indexOf(item.end - 1) + 2}}`,
        `.l${lane}-${lanes}{margin-left:${(100 * lane) / lanes}%;width:calc(${100 / lanes}% - 2px)}`,
      ]),
  ];
  return [
    ...new Set(colors.map((name) => `.${name}{--k:#${name.slice(1)}}`)),
    `@media (min-width:60rem),print{${[...new Set(rules)].join("")}}`,
  ].join("");
}

function joined(parts: readonly Markup[]): Markup {
  return { html: parts.map((part) => part.html).join("") };
}
