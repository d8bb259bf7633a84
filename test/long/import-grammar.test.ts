import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHarness } from "../support/harness.js";
import { RANDOM_CALENDAR } from "./random-calendars.js";

/** Files made from the grammar of RFC 5545. */

interface CalendarFile {
  readonly text: string;
  readonly events: number;
}

/** A new calendar, and imports of versions of a file to it: each of their events is counted once. */
async function createSubject() {
  const harness = await createHarness();
  const path = join(harness.directory, "club.ics");
  const rejects = join(harness.directory, "rejects.ics");
  const importFile = async ({ text, events }: CalendarFile) => {
    writeFileSync(path, text, "latin1");
    const argv = ["import", path, "--yes", "-o", "json", "--rejects", rejects];
    const { exitCode, stdout, stderr } = await harness.run(...argv);
    const inRejects = readFileSync(rejects, "utf8").match(/^BEGIN:VEVENT\r?$/gm)?.length ?? 0;
    if (exitCode === 11) {
      expect({ stdout, inRejects }).toEqual({ stdout: "", inRejects: events });
      return { exitCode, rejected: events };
    }
    const { source: _, rejected, ...counts } = JSON.parse(stdout);
    expect({ exitCode, inRejects }, stderr).toEqual({
      exitCode: rejected.length > 0 ? 12 : 0,
      inRejects: rejected.length,
    });
    const total = Object.values<number>(counts).reduce((sum, each) => sum + each, rejected.length);
    // A repeating event that is no series is several, and an event that the file does not have any more may be deleted.
    const isSeveral = stderr.includes("imported as single events");
    const most = isSeveral ? Number.POSITIVE_INFINITY : events + (counts.deleted ?? 0);
    expect(total, JSON.stringify({ counts, rejected, stderr })).toBeGreaterThanOrEqual(events);
    expect(total, JSON.stringify({ counts, rejected, stderr })).toBeLessThanOrEqual(most);
    return { exitCode, rejected, ...counts };
  };
  /** Changes the first event that the calendar lists, as a person does. */
  const changeFirst = async () => {
    const list = ["events", "list", "--from", "2026-11-01", "--to", "2027-01-31", "-n", "1"];
    for (const { id, series_id } of await harness.json<{ id: string; series_id: string | null }[]>(...list)) {
      const scope = series_id === null ? [] : ["--scope", "this"];
      await harness.json("events", "update", id, "--title", "Changed", ...scope);
    }
  };
  return { importFile, changeFirst };
}

/** What is written into each so many of the events of a file. */
interface Change {
  readonly every: number;
  readonly line: string;
}

const CHANGE: fc.Arbitrary<Change> = fc.record({
  every: fc.integer({ min: 1, max: 3 }),
  line: fc.constantFrom("LOCATION:Elsewhere", "STATUS:CANCELLED"),
});

function changedBy({ text, events }: CalendarFile, { every, line }: Change): CalendarFile {
  let count = 0;
  const changed = text.replace(/^BEGIN:VEVENT(\r?\n)/gm, (begin, end: string) => {
    count += 1;
    return count % every === 0 ? `${begin}${line}${end}` : begin;
  });
  return { text: changed, events };
}

test("each event is created, unchanged or rejected, the counts add up, and a second run writes nothing", async () => {
  const property = fc.asyncProperty(RANDOM_CALENDAR, async (file) => {
    const { importFile } = await createSubject();
    const { exitCode, rejected, created = 0, unchanged = 0, ...others } = await importFile(file);
    expect(others).toEqual(exitCode === 11 ? {} : { updated: 0, deleted: 0, conflicts: 0 });
    const second = { exitCode, rejected, ...others };
    expect(await importFile(file)).toEqual(
      exitCode === 11 ? second : { ...second, created: 0, unchanged: created + unchanged },
    );
  });
  await fc.assert(property, { numRuns: 60 });
});

test("of a changed version each event is counted once, too, and a second run of it writes nothing", async () => {
  const kinds = { created: 0, updated: 0, deleted: 0, conflicts: 0 };
  const property = fc.asyncProperty(
    RANDOM_CALENDAR,
    fc.oneof(RANDOM_CALENDAR, CHANGE),
    fc.boolean(),
    async (before, other, isChanged) => {
      const after = "line" in other ? changedBy(before, other) : other;
      const { importFile, changeFirst } = await createSubject();
      await importFile(before);
      if (isChanged) await changeFirst();
      const changed = await importFile(after);
      for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) kinds[kind] += changed[kind] ?? 0;
      expect(await importFile(after)).toMatchObject(
        changed.exitCode === 11
          ? changed
          : { exitCode: changed.exitCode, created: 0, updated: 0, deleted: 0 },
      );
    },
  );
  await fc.assert(property, { numRuns: 80, seed: 27 });
  // None of them is left untested.
  expect(Object.entries(kinds).filter(([, count]) => count === 0)).toEqual([]);
});
