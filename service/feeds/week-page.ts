import { DateTime } from "luxon";
import { sortEvents } from "../../src/events/order.js";
import { html, type Markup, renderPage } from "../../src/html/page.js";
import { localDate } from "../../src/time/zoned-time.js";
import { windowOfDays } from "../day-window.js";
import { ProblemError } from "../http/response.js";
import { splitTarget } from "../request.js";
import type { OpenFeed } from "../store/feeds.js";
import { describeLeftOut, type FeedRepresentation, readFeed } from "./feed-events.js";
import { STYLE } from "./page-style.js";
import { drawWeek } from "./week-grid.js";

/** Events of a page at most: it is drawn at once. */
const LIMIT = 200;

/** A feed as a page with a week: that of `?week=2026-W48`, or this one. @throws ProblemError 400 */
export function weekPage(found: OpenFeed, target: string, now: number): FeedRepresentation {
  const { name, timezone } = found.feed;
  const today = localDate(now, timezone);
  const monday = findMonday(new URLSearchParams(splitTarget(target).query).getAll("week"), today);
  const dates = [0, 1, 2, 3, 4, 5, 6].map((days) => monday.plus({ days }).toISODate());
  const [from = today] = dates;
  const to = dates[6] ?? from;
  return {
    version: ["page", from, today],
    async read(db) {
      const window = { ...windowOfDays({ from, to, timezone }), latestFirst: false };
      const { events, leftOut } = await readFeed(db, found, {
        windows: [window],
        limit: LIMIT,
        wholeSeries: false,
      });
      const showsCalendar = found.calendars.length > 1 && found.feed.busy_only === 0;
      return () => {
        const sorted = sortEvents(events, { zone: timezone, firstDay: from });
        const week = drawWeek(sorted, { dates, today, timezone, showsCalendar });
        const missing = describeLeftOut(leftOut, timezone);
        const cut = missing === "" ? null : html`<p>${missing}</p>`;
        const header = html`<header><h1>${name}</h1>
<p>${titleOf(monday)}</p>
${navigation(monday)}</header>`;
        const main = html`${header}${cut}${week.markup}
<p class="zone">Times in ${timezone}</p>`;
        return renderPage({ title: name, style: `${STYLE}${week.style}`, main });
      };
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

/** @param week as ISO 8601 has it; without one that of today */
function findMonday([week, another]: readonly string[], today: string): DateTime<true> {
  const isWeek = week === undefined || /^(?:19|2\d)\d\d-W\d\d$/.test(week);
  const day = DateTime.fromISO(week ?? today, { zone: "utc", locale: "en" });
  if (!isWeek || another !== undefined || !day.isValid) throw new ProblemError(400);
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
