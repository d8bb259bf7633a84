import fc from "fast-check";
import { expect, test } from "vitest";
import { choir, concert, icsFile, importText, request, vevent } from "../commands/import/world.js";
import { createUndoWorld, type Event } from "../commands/undo/world.js";
import { withoutSeries } from "../support/contract-service.js";

/** The same random edits of a file and of two calendars: one has series, the other single events. After imports they show the same. */

/** The nights of a rule of every day, of which the file changes some, and a person others. */
const NIGHT = fc.integer({ min: 0, max: 5 });

const FILE = fc.record({
  title: fc.constantFrom("Choir", "Singing"),
  location: fc.constantFrom("", "Hall"),
  count: fc.constantFrom(8, 10),
  allDay: fc.boolean(),
  first: fc.constantFrom(0, 1),
  excepted: fc.uniqueArray(fc.constantFrom(3, 4, 5), { maxLength: 2 }),
  changed: fc.uniqueArray(
    fc.record({ night: NIGHT, title: fc.constantFrom("Choir", "Concert"), cancelled: fc.boolean() }),
    { selector: ({ night }) => night, maxLength: 3 },
  ),
});

type File = typeof FILE extends fc.Arbitrary<infer T> ? T : never;

/** By hand: null deletes. */
const HAND = fc.record({ night: fc.constantFrom(0, 1, 2), location: fc.constantFrom("Mine", null) });

/** `20261201T190000`, or `20261201` */
function startOf(night: number, { allDay }: File): string {
  return `2026120${night + 1}${allDay ? "" : "T190000"}`;
}

function icsOf(file: File): string {
  const time = (name: string, night: number) =>
    `${name};${file.allDay ? "VALUE=DATE" : "TZID=Europe/Berlin"}:${startOf(night, file)}`;
  const event = (title: string, ...lines: readonly string[]) =>
    vevent("choir", title, `LOCATION:${file.location}`, ...lines);
  const changes = file.changed.map(({ night, title, cancelled }) =>
    event(
      title,
      time("RECURRENCE-ID", night),
      time("DTSTART", night),
      ...(cancelled && night > 2 ? ["STATUS:CANCELLED"] : []),
    ),
  );
  const series = event(
    file.title,
    time("DTSTART", file.first),
    `RRULE:FREQ=DAILY;COUNT=${file.count}`,
    ...file.excepted.map((night) => time("EXDATE", night)),
  );
  return icsFile([series, ...changes]);
}

async function createCalendar(storesSeries: boolean) {
  const world = await createUndoWorld();
  const { handle } = world.service;
  if (!storesSeries) Object.assign(world.service, withoutSeries({ handle }));
  return {
    async import(text: string) {
      const report = await importText(world, "choir.ics", text);
      expect(report.exitCode, report.stderr).toBe(0);
      return report;
    },
    async edit(night: number, location: string | null): Promise<void> {
      const day = `2026-12-0${night + 1}`;
      const found: Event | undefined = (await world.list()).find((event) =>
        String(event["start_local"]).startsWith(day),
      );
      if (found === undefined) return;
      const scope = storesSeries ? ["--scope", "this"] : [];
      const { exitCode } = await (location === null
        ? world.step("events", "delete", found.id, ...scope, "--yes")
        : world.step("events", "update", found.id, ...scope, "--location", location));
      expect(exitCode).toBe(0);
    },
    async list(): Promise<readonly string[]> {
      const shown = ({ title, ...event }: Event) =>
        [title, event["location"], event["start_local"], event["end_local"]].join(" ");
      return (await world.list()).map(shown).sort();
    },
    undo: () => world.step("undo", "--yes"),
  };
}

test("a series of the file is shown as its single events would be, whatever the file and people change", async () => {
  const edits = fc.array(fc.oneof(FILE, FILE, HAND), { minLength: 2, maxLength: 8 });
  const property = fc.asyncProperty(edits, async (all) => {
    const both = [await createCalendar(true), await createCalendar(false)] as const;
    // A person's changes stay where they are, an event that moves does not: only one that was not changed is compared.
    const { allDay = false } = all.find((edit) => "title" in edit) ?? {};
    for (const edit of all)
      for (const calendar of both)
        if (!("title" in edit)) await calendar.edit(edit.night, edit.location);
        else {
          const text = icsOf({ ...edit, allDay, first: 0 });
          await calendar.import(text);
          expect(await calendar.import(text)).toMatchObject({ created: 0, updated: 0, deleted: 0 });
        }
    expect(await both[0].list()).toEqual(await both[1].list());
  });
  await fc.assert(property, { numRuns: 12 });
});

test("files that move a series, before anybody changes it, and undo of all", async () => {
  const property = fc.asyncProperty(fc.array(FILE, { minLength: 2, maxLength: 5 }), async (files) => {
    const [series, single] = [await createCalendar(true), await createCalendar(false)];
    for (const each of files) {
      // One that says what its series says is put back as one that was never changed: an undo of what came before differs.
      const file = {
        ...each,
        changed: each.changed.map((change) => ({ ...change, title: "Concert" as const })),
      };
      for (const calendar of [series, single]) await calendar.import(icsOf(file));
      expect(await series.list()).toEqual(await single.list());
      expect(await series.import(icsOf(file))).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    }
    for (const _ of files) await series.undo();
    expect(await series.list()).toEqual([]);
  });
  await fc.assert(property, { numRuns: 8 });
});

test("emails of one series in any order leave the same as in the order of their versions", async () => {
  const mails: readonly (readonly string[])[] = [
    request(choir("Choir", 0)),
    request(concert("First", 1)),
    ["METHOD:CANCEL", concert("First", 2)],
    request(concert("Concert", 3)),
    ["METHOD:CANCEL", concert("Concert", 4)],
    ["METHOD:CANCEL", choir("Choir", 5)],
  ];
  const listedAfter = async (order: readonly number[]) => {
    const world = await createUndoWorld();
    for (const each of order)
      expect(await importText(world, "mail.ics", icsFile(mails[each] ?? []))).toMatchObject({
        ...{ exitCode: 0, conflicts: 0 },
      });
    return (await world.list()).map(({ title, ...event }) => `${event["start_local"]} ${title}`);
  };
  const property = fc.asyncProperty(
    fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 2 }),
    async (order) => {
      expect(await listedAfter(order)).toEqual(await listedAfter([...order].sort()));
    },
  );
  await fc.assert(property, { numRuns: 30 });
});
