import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../contract/date-time.js";
import {
  findFreeTimes,
  findOverlaps,
  parseBetween,
  type TimeSpan,
} from "../../../src/commands/agenda/free-time.js";
import { formatLocal, wallClockAt } from "../../../src/time/zoned-time.js";
import { failureOf } from "../../events/fixtures.js";
import { numberOfRuns } from "../../support/shared.js";

/** Free times and overlaps, beside a look at each minute. */

const ZONES = ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo"] as const;
/** Noon before both clock changes of each zone. */
const CHANGES = {
  "Europe/Berlin": ["2026-03-28T12:00Z", "2026-10-24T12:00Z"],
  // Half an hour.
  "Australia/Lord_Howe": ["2026-04-04T06:00Z", "2026-10-03T06:00Z"],
  // At midnight.
  "Africa/Cairo": ["2026-04-23T12:00Z", "2026-10-29T12:00Z"],
} as const;
const CALENDARS = numberOfRuns(250);

/** Integers from 0, by mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const SEED = Number(process.env["CALCTL_SEED"] ?? Date.now() % 1_000_000);

/** Minutes of a day and a half, in steps, and what the clock shows at each. */
const CLOCKS = new Map<string, readonly number[]>();
const MINUTES = 36 * 60;

function clocksFrom(start: number, zone: string): readonly number[] {
  const key = `${zone} ${start}`;
  const known = CLOCKS.get(key);
  if (known !== undefined) return known;
  const clocks = Array.from({ length: MINUTES }, (_, minute) => {
    return (((wallClockAt(start + minute * MINUTE_MS, zone) % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS;
  });
  CLOCKS.set(key, clocks);
  return clocks;
}

function spansOf(minutes: Uint8Array, start: number): readonly TimeSpan[] {
  const spans: TimeSpan[] = [];
  let from = -1;
  for (let minute = 0; minute <= minutes.length; minute += 1) {
    const isFree = minutes[minute] === 1;
    if (isFree && from === -1) from = minute;
    if (isFree || from === -1) continue;
    spans.push({ start: start + from * MINUTE_MS, end: start + minute * MINUTE_MS });
    from = -1;
  }
  return spans;
}

interface World {
  readonly base: number;
  readonly zone: (typeof ZONES)[number];
  readonly busy: readonly TimeSpan[];
  /** In minutes from the base, and of the day. */
  readonly from: number;
  readonly to: number;
  readonly opens: number;
  readonly closes: number;
  readonly atLeast: number;
}

function drawWorld(random: (below: number) => number): World {
  const zone = ZONES[random(3)] ?? "Europe/Berlin";
  const base = Date.parse(CHANGES[zone][random(2)] ?? "");
  const busy = Array.from({ length: random(7) }, () => {
    const at = random(MINUTES + 240) - 120;
    return { start: base + at * MINUTE_MS, end: base + (at + random(4) * random(200)) * MINUTE_MS };
  });
  const hours = { opens: random(48) * 30, closes: random(3) === 0 ? 1440 : random(49) * 30 };
  return {
    base,
    zone,
    busy,
    from: random(600),
    to: MINUTES - random(600),
    ...hours,
    atLeast: 1 + random(90),
  };
}

function freeMinutes({ base, zone, busy, from, to, opens, closes, atLeast }: World): readonly TimeSpan[] {
  const clocks = clocksFrom(base, zone);
  const minutes = new Uint8Array(MINUTES);
  for (let minute = from; minute < to; minute += 1) {
    const clock = clocks[minute] ?? 0;
    const [isAfter, isBefore] = [clock >= opens, clock < closes];
    minutes[minute] = Number(closes > opens ? isAfter && isBefore : isAfter || isBefore);
  }
  for (const { start, end } of busy)
    minutes.fill(0, Math.max(0, (start - base) / MINUTE_MS), Math.max(0, (end - base) / MINUTE_MS));
  return spansOf(minutes, base).filter(({ start, end }) => end - start >= atLeast * MINUTE_MS);
}

function commonMinutes({ busy }: World): readonly string[] {
  return busy.flatMap((one, index) =>
    busy.flatMap((other, place) => {
      const common = Math.min(one.end, other.end) - Math.max(one.start, other.start);
      return place > index && common > 0 ? [`${index},${place}`] : [];
    }),
  );
}

test(`equal what each minute of ${CALENDARS} calendars says (CALCTL_SEED=${SEED})`, () => {
  const random = createRandom(SEED);
  for (let calendar = 0; calendar < CALENDARS; calendar += 1) {
    const world = drawWorld(random);
    const { base, zone, busy, from, to, opens, closes, atLeast } = world;
    const free = findFreeTimes(busy, {
      start: base + from * MINUTE_MS,
      end: base + to * MINUTE_MS,
      zone,
      between: { start: opens * MINUTE_MS, end: closes * MINUTE_MS },
      atLeast: atLeast * MINUTE_MS,
    });
    expect(free, JSON.stringify(world)).toEqual(freeMinutes(world));
    const pairs = findOverlaps(busy.map((span, index) => ({ ...span, index })));
    const found = pairs.map(([one, other]) => [one.index, other.index].sort().join());
    expect(found.sort(), JSON.stringify(world)).toEqual(commonMinutes(world));
  }
});

describe("free times", () => {
  const zone = "Europe/Berlin";
  const start = Date.parse("2026-10-24T20:00Z");
  const free = (between: TimeSpan, busy: readonly TimeSpan[] = []) =>
    findFreeTimes(busy, { start, end: start + 2 * DAY_MS, zone, between, atLeast: 30 * MINUTE_MS }).map(
      (span) => [span.start, span.end].map((instant) => formatLocal(instant, zone).slice(0, 19)).join(" "),
    );

  test("are one stretch where nothing divides them", () => {
    expect(free({ start: 0, end: DAY_MS })).toEqual(["2026-10-24T22:00:00 2026-10-26T21:00:00"]);
  });

  test("go over midnight, and have an hour more in the night of the change", () => {
    expect(free({ start: 23 * HOUR_MS, end: 6 * HOUR_MS })).toEqual([
      "2026-10-24T23:00:00 2026-10-25T06:00:00",
      "2026-10-25T23:00:00 2026-10-26T06:00:00",
    ]);
    // From 01:30 to 03:00, and the same hour again.
    expect(free({ start: 2.5 * HOUR_MS, end: 3 * HOUR_MS })).toHaveLength(3);
  });

  test("what touches is no overlap, and nothing is free within what lasts", () => {
    const at = (hour: number, hours: number) => ({
      start: start + hour * HOUR_MS,
      end: start + (hour + hours) * HOUR_MS,
    });
    expect(findOverlaps([at(0, 1), at(1, 1), at(2, 0), at(1, 2)])).toEqual([[at(1, 1), at(1, 2)]]);
    expect(free({ start: 0, end: DAY_MS }, [at(0, 40), at(1, 1), at(47.75, 9)])).toEqual([
      "2026-10-26T13:00:00 2026-10-26T20:45:00",
    ]);
  });
});

describe("--between", () => {
  test.each([
    ["9-18", 9, 18],
    ["9:00 - 18:00", 9, 18],
    ["9am-6pm", 9, 18],
    ["09:00–18:00", 9, 18],
    ["9 AM — 6 pm", 9, 18],
    ["9:00-9:30", 9, 9.5],
    ["18-24", 18, 24],
    ["22-6", 22, 6],
  ])("%s is from %d to %d", (text, start, end) => {
    expect(parseBetween(text, "--between")).toEqual({ start: start * HOUR_MS, end: end * HOUR_MS });
  });

  test.each([
    ["9-5", '"9-5" may be before or after noon'],
    ["9-5pm", '"9-5pm" may be before or after noon'],
    ["9-25", "the time 25:00 does not exist"],
    ["9 to 5", '"9 to 5" is not two times of day'],
    ["09:00", '"09:00" is not two times of day'],
    ["", '"" is not two times of day'],
    ["09:00-09:00", '"09:00-09:00" has no length'],
  ])("%j is refused", (text, problem) => {
    const message = `--between: ${problem}`;
    expect(failureOf(() => parseBetween(text, "--between"))).toMatchObject({ code: "usage", message });
  });
});
