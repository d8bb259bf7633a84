import { expect, test } from "vitest";
import { createDraw } from "./draw.js";
import { DAY } from "./month/agenda.js";
import { CRASH_POINTS } from "./month/crashes.js";
import { liveThrough } from "./month/month.js";
import { createWallClock } from "./month/wall-clock.js";

/**
 * A month of cron: `remind` every five minutes, `post --once` every morning, while clocks
 * change, people move events, processes are killed at every step, and calendar service and chats fail one
 * call in five. What had to arrive is known from the events and the runs alone. A seed repeats a run.
 *
 * `npm run soak` runs all of it. Otherwise it is one month, and the week of each other change; of the runs that are far from
 * any start, or have nothing left to announce, some are left out. That these do nothing is checked for those that are not.
 */
const WHOLE = process.env["SOAK_MONTH"] === "whole";
const SEED = Number(process.env["SOAK_SEED"] ?? 20_261_122);

/** With a time of day that the change in spring skips, and that in autumn repeats. */
const ZONES = [
  { zone: "Europe/Berlin", allDayAt: "02:30", changes: ["2027-03-28T01:00Z", "2027-10-31T01:00Z"] },
  { zone: "America/New_York", allDayAt: "02:30", changes: ["2027-03-14T07:00Z", "2027-11-07T06:00Z"] },
  { zone: "Australia/Lord_Howe", allDayAt: "02:15", changes: ["2027-10-02T15:30Z", "2027-04-03T15:00Z"] },
] as const;

const CHANGES = ZONES.flatMap(({ changes, ...zone }) => changes.map((change) => ({ ...zone, change })));

test.each(CHANGES)(
  `$zone, $change: everything arrives once, or is reported (seed ${SEED})`,
  {
    timeout: 3_600_000,
  },
  async ({ zone, allDayAt, change: changeAt }) => {
    const change = Date.parse(changeAt);
    const isMonth = WHOLE || changeAt === CHANGES[0]?.change;
    const days = isMonth ? 15 : 1.5;
    const month = {
      clock: createWallClock(zone),
      ...{ allDayAt, change, from: change - days * DAY, until: change + days * DAY },
    };
    const { counts, crashes, violation } = await liveThrough(month, createDraw(SEED), { everyRun: WHOLE });
    process.stdout.write(`${zone} ${changeAt} ${JSON.stringify({ ...counts, crashes })}\n`);
    expect(violation).toBeNull();
    if (!isMonth) return;
    expect(CRASH_POINTS.filter((step) => crashes[step] === undefined)).toEqual([]);
  },
);
