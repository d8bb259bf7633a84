import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventResource } from "../../../contract/resources.js";
import { eventBody, SCHEDULE } from "../support/event-bodies.js";
import { request } from "../support/send.js";
import { createWorld, NOW, type World } from "../support/world.js";

/** A year of random writes to series with every scope, beside a model that counts occurrences and knows no rules. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Of Berlin, as an instant: between the changes of the clock of 2026 to 2030 it is an hour ahead of UTC, else two. */
const SUMMERS = [
  ["2027-03-28T01:00:00Z", "2027-10-31T01:00:00Z"],
  ["2028-03-26T01:00:00Z", "2028-10-29T01:00:00Z"],
  ["2029-03-25T01:00:00Z", "2029-10-28T01:00:00Z"],
  ["2030-03-31T01:00:00Z", "2030-10-27T01:00:00Z"],
].map((times) => times.map((time) => Date.parse(time)));

function clockAt(instant: number): number {
  const isSummer = SUMMERS.some(([start = 0, end = 0]) => instant >= start && instant < end);
  return instant + (isSummer ? 2 : 1) * HOUR;
}

/** A time that is skipped has the offset before it, of one that is there twice the earlier is meant. */
function instantOf(clock: number): number {
  const [winter, summer] = [clock - HOUR, clock - 2 * HOUR];
  return clockAt(summer) === clock ? summer : winter;
}

interface Occurrence {
  /** Its place in the series. */
  readonly index: number;
  /** Null: as the rest of the series. */
  readonly own: { readonly start: number; readonly title: string } | null;
}

interface ModelSeries {
  readonly id: string;
  readonly start: number;
  /** Between two starts (ms of the clock). */
  readonly step: number;
  readonly title: string;
  readonly occurrences: readonly Occurrence[];
}

interface Shown {
  readonly id: string;
  readonly start: number;
  readonly title: string;
}

const clockOf = ({ start, step }: ModelSeries, { index }: Occurrence) => start + index * step;

function show(series: ModelSeries, occurrence: Occurrence): Shown {
  const slot = instantOf(clockOf(series, occurrence));
  const { start, title } = occurrence.own ?? { start: slot, title: series.title };
  const time = new Date(slot).toISOString().replace(/[-:]|\.000/g, "");
  return { id: `${series.id}_${time}`, start, title };
}

const showAll = (all: readonly ModelSeries[]) =>
  all.flatMap((series) => series.occurrences.map((occurrence) => show(series, occurrence))).sort(inOrder);

interface Action {
  readonly what: "create" | "update" | "delete";
  readonly scope: "this" | "following" | "all" | "series";
  readonly pick: number;
  /** Hours by which the start moves. */
  readonly move: number;
  readonly title: string;
  readonly count: number;
  readonly days: number;
  readonly hour: number;
}

const actionOf: fc.Arbitrary<Action> = fc.record({
  what: fc.constantFrom("create", "update", "update", "update", "delete"),
  scope: fc.constantFrom("this", "this", "this", "following", "all", "series"),
  pick: fc.nat(1_000_000),
  move: fc.constantFrom(0, 0, 1, -2, 24, 49, -24),
  title: fc.constantFrom("Lunch", "Tea", "Dinner", "Run"),
  count: fc.integer({ min: 2, max: 60 }),
  days: fc.constantFrom(1, 2, 7, 14),
  // Starts at half past the hour; 1 to 3 are those that a change of the clock skips or repeats.
  hour: fc.constantFrom(1, 2, 3, 9, 23),
});

const bodyOf = (start: number, title: string, more: object = {}) =>
  eventBody({
    ...SCHEDULE,
    title,
    start_at: new Date(start).toISOString(),
    end_at: new Date(start + HOUR).toISOString(),
    start_timezone: "Europe/Berlin",
    end_timezone: "Europe/Berlin",
    ...more,
  });

async function call(world: World, route: string, body?: object) {
  const answer = await request(world, route.replace(" ", ` /calendars/${world.calendarId}/`), { body });
  expect(answer.status, `${route}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}

function readEvent({ id, attributes: { start_at, title } }: EventResource): Shown {
  return { id, start: Date.parse(start_at ?? ""), title };
}

/** What a client has that follows the changes, in pages of 50. */
function createFollower() {
  const events = new Map<string, Shown>();
  let revision = 1;
  return async (world: World): Promise<readonly Shown[]> => {
    for (let isLast = false; !isLast; ) {
      const { data, meta, links } = await call(world, `GET changes?limit=50&since=${revision}`);
      for (const id of meta.deleted) events.delete(id);
      for (const event of data) events.set(event.id, readEvent(event));
      revision = meta.revision;
      isLast = links.next === null;
    }
    return [...events.values()].sort(inOrder);
  };
}

function inOrder(one: Shown, other: Shown): number {
  return one.start - other.start || (one.id < other.id ? -1 : 1);
}

async function list(world: World, query = ""): Promise<readonly Shown[]> {
  const found: Shown[] = [];
  for (let next: string | null = query; next !== null; ) {
    const page: { data: EventResource[]; links: { next: string | null } } = await call(
      world,
      `GET events${next}`,
    );
    found.push(...page.data.map(readEvent));
    next = page.links.next;
  }
  return found;
}

async function create(world: World, { title, count, days, hour }: Action): Promise<ModelSeries> {
  const today = Math.floor(clockAt(world.clock.now) / DAY) * DAY;
  const start = today + DAY + hour * HOUR + HOUR / 2;
  const rule = days % 7 === 0 ? `FREQ=WEEKLY;INTERVAL=${days / 7}` : `FREQ=DAILY;INTERVAL=${days}`;
  const recurrences = [`RRULE:${rule};COUNT=${count}`];
  const { data } = await call(world, "POST events", bodyOf(instantOf(start), title, { recurrences }));
  const occurrences = Array.from({ length: count }, (_, index) => ({ index, own: null }));
  // What the day of a change skips begins the series an hour later.
  return { id: data.id, start: clockAt(instantOf(start)), step: days * DAY, title, occurrences };
}

/** One occurrence, and what a client sends for it. */
function aim(series: ModelSeries, { pick, scope, move }: Action) {
  const unchanged = series.occurrences.find(({ own }) => own === null);
  const first = unchanged ?? series.occurrences[0];
  const picked = scope === "series" ? first : series.occurrences[pick % series.occurrences.length];
  if (picked === undefined) throw new Error("a series of the model has no occurrence");
  // A series is shown as it was made, also where each of its occurrences was changed on its own.
  const own = scope === "series" ? null : picked.own;
  const { id, start } = show(series, { ...picked, own });
  const slot = clockOf(series, picked);
  // What starts as its series says is at the time that the rule means, also where a change of the clock skips that.
  const clock = start === instantOf(slot) ? slot : clockAt(start);
  const moved = instantOf(clock + move * HOUR);
  // Around a change of the clock a time may not tell by how much it was moved.
  const isClear = clockAt(moved) === clock + move * HOUR && clockAt(start) === clock;
  const step = isClear ? move * HOUR : 0;
  return { picked, id: scope === "series" ? series.id : id, start: step === 0 ? start : moved, step };
}

async function update(world: World, series: ModelSeries, action: Action): Promise<readonly ModelSeries[]> {
  const { picked, id, start, step } = aim(series, action);
  const { scope, title } = action;
  const query = scope === "series" ? "" : `?scope=${scope}`;
  const { data } = await call(world, `PUT events/${id}${query}`, bodyOf(start, title));
  // One that becomes as its series has it is not changed on its own any more; what stays as it is is not written.
  const isAs = (shown: { start: number; title: string }) => shown.start === start && shown.title === title;
  const isKept = picked.own !== null && isAs(picked.own);
  const isEqual =
    scope === "this"
      ? !isKept && isAs(show(series, { ...picked, own: null }))
      : start === instantOf(clockOf(series, picked) + step);
  const change = (all: readonly Occurrence[]) =>
    all.map((one) =>
      one === picked && (scope === "this" || (scope !== "series" && one.own !== null))
        ? { ...one, own: isEqual ? null : { start, title } }
        : one,
    );
  if (scope === "this") return [{ ...series, occurrences: change(series.occurrences) }];
  const before = scope === "following" ? series.occurrences.filter(({ index }) => index < picked.index) : [];
  const rest = change(series.occurrences.filter((one) => !before.includes(one)));
  const moved = { ...series, title, start: series.start + step, occurrences: rest };
  if (before.length === 0) return [moved];
  const begun = rest.map((one) => ({ ...one, index: one.index - picked.index }));
  const start0 = clockOf(series, picked) + step;
  return [
    { ...series, occurrences: before },
    { ...moved, id: data.id, start: start0, occurrences: begun },
  ];
}

async function remove(world: World, series: ModelSeries, action: Action): Promise<readonly ModelSeries[]> {
  const { picked, id } = aim(series, action);
  const { scope } = action;
  await call(world, `DELETE events/${id}${scope === "series" ? "" : `?scope=${scope}`}`);
  const left = series.occurrences.filter((one) => {
    if (scope === "this") return one !== picked;
    return scope === "following" && one.index < picked.index;
  });
  return left.length === 0 ? [] : [{ ...series, occurrences: left }];
}

test("a year of random writes with all scopes leaves the lists that a model expects", {
  timeout: 240_000,
}, async () => {
  const seed = Date.now();
  const world = await createWorld({ rateLimit: null });
  const follow = createFollower();
  let all: readonly ModelSeries[] = [];
  for (const [day, action] of fc.sample(actionOf, { numRuns: 365, seed }).entries()) {
    world.clock.now = NOW + day * DAY;
    const index = action.pick % Math.max(all.length, 1);
    const series = all[index];
    const isNew = series === undefined || (action.what === "create" && all.length < 8);
    const write = action.what === "delete" ? remove : update;
    const changed = isNew ? [await create(world, action)] : await write(world, series, action);
    all = isNew ? [...all, ...changed] : [...all.slice(0, index), ...changed, ...all.slice(index + 1)];
    const place = `seed ${seed}, day ${day}: ${JSON.stringify(action)}`;
    expect(await list(world, "?to=2033-01-01"), place).toEqual(showAll(all));
    expect(await follow(world), place).toEqual(await list(world));
  }
  await world.close();
});
