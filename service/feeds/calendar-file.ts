import { writeICalendar } from "../../src/calendar/icalendar.js";
import { addDays, localDate } from "../../src/calendar/zoned-time.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { windowOfDays } from "../day-window.js";
import type { OpenFeed } from "../store/feeds.js";
import { type FeedRepresentation, readFeed, withSeries } from "./feed-events.js";

/** Days of a feed before and after today. */
const DAYS = { past: 30, coming: 365 };

/** How often programs should ask for a feed. @see RFC 5545 §3.3.6 */
const REFRESH = "PT1H";

const HEADERS = {
  "content-type": "text/calendar; charset=utf-8",
  // Without a name, browsers would save it under its address.
  "content-disposition": 'attachment; filename="calendar.ics"',
};

/** A feed as a calendar that programs subscribe to. @param now milliseconds since the epoch */
export function calendarFile(found: OpenFeed, now: number): FeedRepresentation {
  const { name, timezone } = found.feed;
  const today = localDate(now, timezone);
  const [from, to] = [addDays(today, -DAYS.past), addDays(today, DAYS.coming)];
  return {
    version: ["ics", from],
    async read(db) {
      const { events: listed, isCut } = await readFeed(db, found, windowOfDays({ from, to, timezone }));
      const events = await withSeries(db, found, listed);
      const description = isCut ? "The last events do not fit." : "";
      const subscription = { name, description, refresh: REFRESH };
      return async () => ({
        headers: HEADERS,
        body: await writeICalendar(events, {
          now,
          note: () => undefined,
          subscription,
          pause: yieldToEventLoop,
        }),
      });
    },
  };
}
