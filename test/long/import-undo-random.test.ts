import fc from "fast-check";
import { expect, test } from "vitest";
import { ndjsonFile, writeText } from "../commands/import/world.js";
import type { Event } from "../commands/undo/world.js";
import { createHarness } from "../support/harness.js";

/** Imports and undos that run beside each other. */

const WHEN = { start_at: "2026-11-23T12:00:00Z", end_at: "2026-11-23T13:00:00Z" };
/** A version of the file says other titles, and leaves out another third of the events. */
const idsOf = (version: number) =>
  Array.from({ length: 12 }, (_, index) => index).filter((index) => index % 3 !== version % 3);
const titlesOf = (version: number) => idsOf(version).map((id) => `${id} ${version}`);

/** A harness whose requests take some turns of the event loop, before and after they are handled. */
async function createSlow(turns: Iterator<number>) {
  const harness = await createHarness();
  const { handle } = harness.service;
  let requests = 0;
  let waiting = { number: 0, start: (): void => undefined };
  const wait = async () => {
    for (let left = turns.next().value ?? 0; left > 0; left -= 1)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const handleSlowly: typeof handle = async (...args) => {
    requests += 1;
    if (requests === waiting.number) waiting.start();
    await wait();
    const response = await handle(...args);
    await wait();
    return response;
  };
  Object.assign(harness.service, { handle: handleSlowly });
  /** Runs a command line, and another one from a request of the first on, or after it if that has fewer. */
  const runBeside = async (first: readonly string[], request: number, second: readonly string[]) => {
    const started = new Promise<void>((resolve) => {
      waiting = { number: requests + request, start: resolve };
    });
    const run = harness.run(...first).finally(waiting.start);
    await started;
    return Promise.all([run, harness.run(...second)]);
  };
  return { ...harness, runBeside };
}

const INTERLEAVING = fc.record({
  /** How many versions were imported before. */
  versions: fc.constantFrom(0, 1),
  isUndoFirst: fc.boolean(),
  request: fc.integer({ min: 1, max: 24 }),
  turns: fc.infiniteStream(fc.integer({ min: 0, max: 12 })),
});

test("50 undos beside an import: the same import afterwards leaves what the file has", async () => {
  const property = fc.asyncProperty(INTERLEAVING, async ({ versions, isUndoFirst, request, turns }) => {
    const world = await createSlow(turns);
    const importVersion = (version: number) => [
      "import",
      writeText(
        world,
        "club.ndjson",
        ndjsonFile(idsOf(version).map((id) => ({ id, title: `${id} ${version}`, ...WHEN }))),
      ),
      ...["--yes", "--prune=all"],
    ];
    for (let version = 0; version <= versions; version += 1)
      if (version < versions || isUndoFirst)
        expect(await world.run(...importVersion(version))).toMatchObject({ exitCode: 0 });
    const again = importVersion(versions);
    const undo = ["undo", "--yes"];
    const results = await (isUndoFirst
      ? world.runBeside(undo, request, again)
      : world.runBeside(again, request, undo));
    const codes = results.map(({ exitCode }) => exitCode);
    expect(await world.run(...again), String(codes)).toMatchObject({ exitCode: 0 });
    const events = await world.json<Event[]>("events", "list", "--from", "2026-11-01", "--to", "2026-12-31");
    expect({ codes, titles: events.map(({ title }) => title).sort() }).toEqual({
      codes,
      titles: titlesOf(versions).sort(),
    });
  });
  await fc.assert(property, { numRuns: 50 });
});
