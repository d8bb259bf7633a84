import { writeICalendar } from "../../src/events/icalendar/icalendar.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { addDays, localDate } from "../../src/time/zoned-time.js";
import { windowOfDays } from "../day-window.js";
import type { OpenFeed } from "../store/feeds.js";
import { describeLeftOut, type FeedRepresentation, readFeed } from "./feed-events.js";

/** Days of a feed before and after today. */
const DAYS = { past: 30, coming: 365 };

/** Events of a file at most: those to come, then the latest past ones. */
const LIMIT = 5_000;

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
  const coming = windowOfDays({ from: today, to: addDays(today, DAYS.coming), timezone });
  const past = windowOfDays({ from: addDays(today, -DAYS.past), to: addDays(today, -1), timezone });
  return {
    version: ["ics", today],
    async read(db) {
      const { events, leftOut } = await readFeed(db, found, {
        windows: [
          { ...coming, latestFirst: false },
          { ...past, latestFirst: true },
        ],
        limit: LIMIT,
        wholeSeries: true,
      });
      const description = describeLeftOut(leftOut, timezone);
      const subscription = { name, description, refresh: REFRESH };
      return async () => ({
        headers: HEADERS,
        body: await writeICalendar(events, {
          // The same for the whole day, so that it tells nothing else.
          now: coming.start,
          note: () => undefined,
          subscription,
          pause: yieldToEventLoop,
        }),
      });
    },
  };
}
