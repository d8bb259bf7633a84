import fc from "fast-check";
import { expect, test } from "vitest";
import { createChangesWorld } from "../commands/changes/world.js";

/** Random writes between runs of `events changes`, at a service that tells what changed since a revision. */

const DAY = 24 * 3_600_000;
const createWorld = () => createChangesWorld({ revisions: true });
type World = Awaited<ReturnType<typeof createWorld>>;

/** Something that happens between two runs. */
interface Happening {
  readonly what: "create" | "move" | "rename" | "delete" | "label" | "day";
  readonly calendar: "Personal" | "Work";
  /** Which event it happens to: one of those there are. */
  readonly index: number;
  /** When the event begins, from noon of the first day on. */
  readonly hour: number;
}

const happening: fc.Arbitrary<Happening> = fc.record({
  what: fc.constantFrom("create", "create", "create", "move", "move", "rename", "delete", "label", "day"),
  calendar: fc.constantFrom("Personal", "Work"),
  index: fc.nat(100),
  hour: fc.integer({ min: -30, max: 240 }),
});

/** @param events ids with their calendars */
async function happen(
  { world, create, pass }: World,
  events: (readonly [id: string, calendar: string])[],
  { what, calendar, index, hour }: Happening,
): Promise<void> {
  pass();
  const start = new Date(Date.parse("2026-11-21T12:00Z") + hour * 3_600_000).toISOString();
  if (what === "day") return pass(DAY);
  if (what === "create") {
    events.push([await create(`Event ${events.length}`, calendar, start), calendar]);
    return;
  }
  if (what === "label") {
    await world.service.admin.labels.set(calendar, 1, { name: `Label ${index}` });
    return;
  }
  const [event] = events.splice(index % events.length, 1);
  if (event === undefined) return;
  const [id, of] = event;
  if (what === "delete") return void (await world.json("events", "delete", id, "-c", of, "--yes"));
  const flags = what === "move" ? ["--start", start] : ["--title", `Renamed ${index}`];
  await world.json("events", "update", id, "-c", of, ...flags);
  events.push([id, of]);
}

test("what is printed is what comparing lists would print, whatever happens between the runs", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(happening, { maxLength: 4 }), { minLength: 2, maxLength: 6 }),
      async (runs) => {
        const worlds = [await createWorld(), await createChangesWorld({ revisions: false })];
        const events = worlds.map(({ meeting }) => [[meeting, "Work"] as const]);
        for (const happenings of runs) {
          const printed: unknown[] = [];
          for (const [number, world] of worlds.entries()) {
            for (const each of happenings) await happen(world, events[number] ?? [], each);
            printed.push(await world.changes());
          }
          expect(printed[0]).toEqual(printed[1]);
        }
      },
    ),
    { numRuns: 10 },
  );
});
