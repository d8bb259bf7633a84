import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHarness } from "../support/harness.js";
import { RANDOM_CALENDAR } from "../support/random-calendars.js";

/** Files made from the grammar of RFC 5545. */

/** A new calendar, and imports of a file with so many events to it, whose counts are checked. */
async function createSubject({ text, events }: { readonly text: string; readonly events: number }) {
  const harness = await createHarness();
  const path = join(harness.directory, "club.ics");
  const rejects = join(harness.directory, "rejects.ics");
  writeFileSync(path, text, "latin1");
  return async () => {
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
    // A repeating event that is no series is several.
    if (stderr.includes("imported as single events")) expect(total).toBeGreaterThanOrEqual(events);
    else expect({ counts, rejected, total }).toEqual({ counts, rejected, total: events });
    return { exitCode, rejected, ...counts };
  };
}

test("each event is created, unchanged or rejected, the counts add up, and a second run writes nothing", {
  timeout: 120_000,
}, async () => {
  const property = fc.asyncProperty(RANDOM_CALENDAR, async (file) => {
    const importFile = await createSubject(file);
    const { exitCode, rejected, created = 0, unchanged = 0, ...others } = await importFile();
    expect(others).toEqual(exitCode === 11 ? {} : { updated: 0, deleted: 0, conflicts: 0 });
    const second = { exitCode, rejected, ...others };
    expect(await importFile()).toEqual(
      exitCode === 11 ? second : { ...second, created: 0, unchanged: created + unchanged },
    );
  });
  await fc.assert(property, { numRuns: 60 });
});
