import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unicodeCharacter } from "../../support/any-text.js";
import { createHarness } from "../../support/harness.js";
import { numberOfRuns } from "../../support/shared.js";

/** `events list` in a format, imported into an empty calendar, gives the same events. */

const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "UTC", "Etc/UTC"];
/** Around the clock changes of autumn, when some local times are there twice. */
const FIRST = Date.parse("2026-10-20T00:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Lines, but no control characters: they become visible escapes in iCalendar. */
const text = (maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(fc.constantFrom(..."aé \\;,:\"'nN\t🎉"), unicodeCharacter),
      minLength: 1,
      maxLength,
    })
    .map((value) => value.replace(/[\p{Cc}\p{Cs}]/gu, "-"))
    .filter((value) => value.trim() !== "" && [...value].length <= maxLength);

const timed = fc
  .record({
    start: fc.oneof(
      fc.integer({ min: 0, max: 40 * 24 }).map((hours) => FIRST + hours * (HOUR / 2)),
      fc.integer({ min: 0, max: 40 * DAY }).map((offset) => FIRST + offset),
    ),
    length: fc.integer({ min: 1, max: 2 * 24 * 60 }),
    zones: fc.tuple(fc.constantFrom(...ZONES), fc.constantFrom(...ZONES)),
  })
  .map(({ start, length, zones }) => ({
    all_day: false,
    start_at: new Date(start).toISOString(),
    start_timezone: zones[0],
    end_at: new Date(start + length * 60_000).toISOString(),
    end_timezone: zones[1],
  }));

const allDay = fc
  .record({ day: fc.integer({ min: 0, max: 40 }), days: fc.integer({ min: 1, max: 9 }) })
  .map(({ day, days }) => ({
    all_day: true,
    start_at: new Date(FIRST + day * DAY).toISOString(),
    end_at: new Date(FIRST + (day + days) * DAY).toISOString(),
  }));

const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const event = fc
  .tuple(
    fc.record({
      title: text(50),
      category: fc.constantFrom("schedule", "keep"),
      description: option(
        fc.array(text(40), { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
      ),
      location: option(text(100)),
      url: option(
        fc.constantFrom(
          "https://a.example",
          "https://bücher.example/?q=1,2;3#x y",
          "mailto:a@b.example",
          "geo:1,2",
        ),
      ),
      label: fc.constantFrom("1", "2", "3"),
      attendees: fc.constantFrom([], ["me"], ["Ben"], ["me", "Ben"]),
    }),
    fc.oneof(timed, allDay),
  )
  .map(([fields, times]) => ({ ...fields, ...times }));

type Listed = Readonly<Record<string, unknown>> & { readonly label: { number: number } };

/** What two calendars have in common. */
function withoutIds(events: readonly Listed[]): readonly string[] {
  const plain = (users: unknown) =>
    (users as { id: string }[]).map(({ id }) => id.replace(/^.*,/, "")).sort();
  return events
    .map(({ id, calendar_id, calendar_name, created_at, updated_at, creator, label, attendees, ...rest }) =>
      JSON.stringify({ ...rest, label: label.number, attendees: plain(attendees) }),
    )
    .sort();
}

test.each(["ics", "ndjson"])("an imported list in %s has the same events", async (format) => {
  const harness = await createHarness();
  const { admin } = harness.service;
  await admin.users.add({ name: "Ben" });
  let round = 0;
  const list = (name: string, ...flags: readonly string[]) =>
    harness.run("events", "list", "-c", name, "--from", "2026-10-01", "--to", "2027-01-31", ...flags);
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), async (events) => {
      round += 1;
      for (const name of [`From ${round}`, `To ${round}`]) {
        await admin.calendars.add({ name, owner: "ana" });
        await admin.members.add("Ben", name);
      }
      const input = join(harness.directory, "events.json");
      writeFileSync(input, JSON.stringify(events));
      expect((await harness.run("events", "create", "-c", `From ${round}`, "--input", input)).stderr).toBe(
        "",
      );
      const path = join(harness.directory, `${round}.${format}`);
      writeFileSync(path, (await list(`From ${round}`, "-o", format)).stdout);
      const report = await harness.json("import", path, "-c", `To ${round}`, "--yes");
      expect(report).toMatchObject({ created: events.length, rejected: [] });
      const [before, after] = await Promise.all(
        ["From", "To"].map((name) => list(`${name} ${round}`, "-o", "json")),
      );
      expect(withoutIds(JSON.parse(after?.stdout ?? ""))).toEqual(
        withoutIds(JSON.parse(before?.stdout ?? "")),
      );
    }),
    { numRuns: numberOfRuns(1), seed: 26 },
  );
});
