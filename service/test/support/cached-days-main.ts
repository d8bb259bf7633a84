import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HOUR_MS } from "../../../contract/date-time.js";
import { awaitStart } from "../../../test/support/child-start.js";
import { createCalendarAdmin } from "../../admin/calendars.js";
import { createUserAdmin } from "../../admin/users.js";
import { dayWindow } from "../../day-window.js";
import { createUpcomingEventsCache } from "../../endpoints/upcoming-events.js";
import { eventJson } from "../../resources.js";
import { openStore } from "../../store/sqlite/open.js";

/**
 * A process of its own, since what tests before it left would be freed meanwhile. Prints how much memory the cached events
 * of many calendars take, and what each calendar's events refer to before and after they are cached.
 */

const NOW = Date.parse("2026-11-21T10:00:00.000Z");

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Of what is in use (bytes). */
function memory(): number {
  // The second time takes what the first one left to be freed.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** More than are cached, each with events of a week that are almost too large to be. */
const CALENDARS = 40;
const EVENTS = 50;
const ATTENDEES = 200;

await awaitStart();

const store = await openStore(":memory:");
const admin = { store, now: () => NOW };
const { id: creator_id } = await createUserAdmin(admin).add({ name: "ana" });
const ids: string[] = [];
for (let number = 0; number < CALENDARS; number += 1) {
  const { id } = await createCalendarAdmin(admin).add({ name: `Calendar ${number}`, owner: creator_id });
  ids.push(id);
}
await store.write(async (db) => {
  for (const number of Array(CALENDARS * EVENTS).keys()) {
    const row = {
      ...{ id: `event-${number}`, calendar_id: ids[number % CALENDARS] ?? "", creator_id, label_number: 1 },
      ...{ category: "schedule" as const, title: "Lunch", description: "", location: "", url: "" },
      ...{ all_day: 0 as const, start_at: NOW, start_timezone: "UTC", end_timezone: "UTC" },
      ...{ end_at: NOW + HOUR_MS, created_at: NOW, updated_at: NOW, revision: 1 },
      moves: "",
    };
    // Not the same of each event.
    const attendees = Array.from({ length: ATTENDEES }, (_, index) => `${number + index}`.padStart(32, "0"));
    const json = eventJson(row, attendees);
    await db
      .insertInto("events")
      .values({ ...row, json, bytes: json.length })
      .execute();
  }
});
const find = createUpcomingEventsCache();
const { window } = dayWindow(NOW, { timezone: "UTC", days: 7 });
const attendeesOf = (id: string) =>
  store.read(async (db) => {
    const { references } = await find(db, { calendar: { id, revision: 1 }, window, now: NOW });
    return references().attendees.size;
  });
const attendees: (readonly [number, number])[] = [];
const before = memory();
for (const id of ids) attendees.push([await attendeesOf(id), await attendeesOf(id)]);
const bytes = memory() - before;
process.stdout.write(`${JSON.stringify({ bytes, attendees })}\n`);
await store.close();
