import { afterEach, beforeEach, expect, test } from "vitest";
import { parseLenientDateTime } from "../../../contract/date-time.js";
import type { EventResource } from "../../../contract/resources.js";
import { expandRecurrence } from "../../../src/time/recurrence/recurrence.js";
import { instantAt } from "../../../src/time/zoned-time.js";
import { describeWithSystem } from "../../../test/support/system.js";
import { eventBody, SCHEDULE } from "../support/event-bodies.js";
import { request } from "../support/send.js";
import { createWorld, type World } from "../support/world.js";
import { COMPARED, type RuleCase, randomRules, startsByDateutil } from "./random-rules.js";

let world: World;
beforeEach(async () => {
  world = await createWorld({ rateLimit: null });
});
afterEach(() => world.close());

const HOUR_MS = 3_600_000;

/** Until when starts are compared. */
function endOf({ rule, end }: RuleCase): number {
  return rule.includes("UNTIL") ? Number.POSITIVE_INFINITY : (parseLenientDateTime(end)?.instant ?? 0);
}

function firstStarts(one: RuleCase): readonly number[] {
  const { rule, start, timezone } = one;
  const found: number[] = [];
  for (const instant of expandRecurrence({ lines: [`RRULE:${rule}`], start, timezone })) {
    if (instant > endOf(one) || found.length === COMPARED) break;
    found.push(instant);
  }
  return found;
}

/** The rule with the starts that are compared alone: of some there are more than a series may have. */
function boundedRule({ rule, end }: RuleCase, starts: readonly number[]): string {
  if (!rule.includes("UNTIL")) {
    // It may give others beyond the end.
    if (starts.length === 0) return `${rule.replace(/;COUNT=\w+/, "")};UNTIL=${end}`;
    return rule.includes("COUNT") ? rule : `${rule};COUNT=${starts.length}`;
  }
  if (starts.length < COMPARED) return rule;
  const last = new Date(starts.at(-1) ?? 0).toISOString().replace(/[-:]|\.000/g, "");
  return rule.replace(/UNTIL=\w+/, `UNTIL=${last}`);
}

function bodyOf(one: RuleCase, starts: readonly number[], index: number): object {
  const start = instantAt(Date.parse(`${one.start}Z`), one.timezone);
  return eventBody({
    ...SCHEDULE,
    title: `${index}`,
    start_at: new Date(start).toISOString(),
    end_at: new Date(start + HOUR_MS).toISOString(),
    start_timezone: one.timezone,
    end_timezone: one.timezone,
    recurrences: [`RRULE:${boundedRule(one, starts)}`],
  });
}

/** Rules that only imported files have. */
const isOfFiles = ({ rule }: RuleCase) => /HOURLY|BYHOUR|BYMINUTE/.test(rule);

/** A calendar has 1,000 series at most. */
async function addCalendars(count: number): Promise<readonly string[]> {
  const calendars: string[] = [];
  for (let index = 0; index < count; index += 1)
    calendars.push(
      (await world.service.admin.calendars.add({ name: `${index}`, owner: world.member.id })).id,
    );
  return calendars;
}

/** The events of a calendar, on all pages. */
async function list(calendarId: string): Promise<readonly EventResource[]> {
  const events: EventResource[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const { json } = await request(world, `GET /calendars/${calendarId}/events${next}`);
    const page: { data: EventResource[]; links: { next: string | null } } = json;
    events.push(...page.data);
    next = page.links.next;
  }
  return events;
}

describeWithSystem("python", "python3", () => {
  describeWithSystem("dateutil", "with dateutil", () => {
    test("3,000 rules give the same starts, also through the service", { timeout: 240_000 }, async () => {
      const cases = randomRules(3_000);
      const oracle = startsByDateutil(cases);
      const expanded = cases.map(firstStarts);
      const expected = await oracle;
      expect(cases.filter((_, index) => `${expanded[index]}` !== `${expected[index]}`)).toEqual([]);
      expect(expected.filter((starts) => starts.length > 0).length).toBeGreaterThan(2_500);

      const statuses = new Set<string>();
      const calendars = await addCalendars(3);
      for (const [index, one] of cases.entries()) {
        const starts = isOfFiles(one) ? [] : (expected[index] ?? []);
        const body = bodyOf(one, starts, index);
        const { status } = await request(world, `POST /calendars/${calendars[index % 3]}/events`, { body });
        statuses.add(`${status} ${starts.length > 0}`);
      }
      expect([...statuses].sort()).toEqual(["201 true", "400 false"]);

      // By then the occurrences of more than two years from now are made as well.
      world.clock.now = Date.parse("2060-01-01T00:00:00Z");
      await world.service.continueSeries();
      const listed = new Map<string, number[]>();
      for (const { attributes } of (await Promise.all(calendars.map(list))).flat()) {
        const starts = listed.get(attributes.title) ?? [];
        listed.set(attributes.title, [...starts, Date.parse(attributes.start_at ?? "")]);
      }
      const differing = cases.filter((one, index) => {
        if (isOfFiles(one)) return false;
        const starts = listed.get(`${index}`)?.filter((start) => start <= endOf(one)) ?? [];
        return `${starts.slice(0, COMPARED)}` !== `${expected[index]}`;
      });
      expect(differing).toEqual([]);
    });
  });
});
