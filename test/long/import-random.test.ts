import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { icsFile, importText, ndjsonFile, vevent, writeText } from "../commands/import/world.js";
import { createUndoWorld, type Event } from "../commands/undo/world.js";
import { createHarness, type Harness, type RunResult } from "../support/harness.js";

/** Random edits of a file and of the calendar between imports, and imports that are killed. */

const IDS = ["a", "b", "c", "d"] as const;

/** A version of an event of the file says another title, and each second one a location. */
function content(id: string, version: number): string {
  return `${id} ${version}${version % 2 === 0 ? "" : " at Home"}`;
}

function eventOf(id: string, version: number) {
  const [title, location] = content(id, version).split(" at ");
  return { id, title, location, start_at: "2026-11-23T12:00:00Z", end_at: "2026-11-23T13:00:00Z" };
}

const IMPORT = fc.record({
  kind: fc.constant("import" as const),
  prune: fc.boolean(),
  overwrite: fc.boolean(),
});
const ID = fc.constantFrom(...IDS);

const EDIT = fc.oneof(
  fc.record({ kind: fc.constant("file" as const), id: ID, version: fc.constantFrom(1, 2, 3, null) }),
  fc.record({
    kind: fc.constant("calendar" as const),
    id: ID,
    place: fc.constantFrom("", "Home", "Bar", null),
  }),
  IMPORT,
  IMPORT,
);

type Edit = typeof EDIT extends fc.Arbitrary<infer T> ? T : never;

/** What should be: an event of the calendar, the version that was imported last, and how that left the event. */
interface Imported {
  readonly now: string | null;
  readonly version: number;
  readonly left: string;
}

/** What one import should make of an event. */
function expected(
  id: string,
  known: Imported | undefined,
  {
    version,
    prune,
    overwrite,
  }: { readonly version: number | null; readonly prune: boolean; readonly overwrite: boolean },
): Imported | undefined {
  if (version === null) return prune && known?.now === known?.left ? undefined : known;
  const now = content(id, version);
  if (known === undefined) return { now, version, left: now };
  if (known.version === version || known.now === null) return known;
  const isWritten = known.now === known.left || known.now === now || overwrite;
  return isWritten ? { now, version, left: now } : known;
}

/** A file, a calendar, and what should be in it. */
async function createSubject() {
  const world = await createUndoWorld();
  const file = new Map<string, number>([["z", 2]]);
  const model = new Map<string, Imported>();
  const importFile = async (...flags: readonly string[]) => {
    const text = ndjsonFile(Array.from(file, ([id, version]) => eventOf(id, version)));
    const report = await importText(world, "club.ndjson", text, ...flags);
    expect(report.exitCode, report.stderr).toBe(0);
    return report;
  };
  return {
    importFile,
    writeFile(id: string, version: number | null): void {
      if (version === null) file.delete(id);
      else file.set(id, version);
    },
    /** Changes or deletes the event of an id, if there is one. @param place null to delete it */
    async edit(id: string, place: string | null): Promise<void> {
      const known = model.get(id);
      if (known === undefined || known.now === null) return;
      const eventId = (await world.list()).find(({ title }) => title.startsWith(id))?.id ?? "";
      if (place === null) await world.step("events", "delete", eventId, "--yes");
      else await world.step("events", "update", eventId, "--location", place);
      const [title = ""] = known.now.split(" at ");
      model.set(id, { ...known, now: place === null ? null : place === "" ? title : `${title} at ${place}` });
    },
    async import(prune: boolean, overwrite: boolean): Promise<void> {
      await importFile(...(prune ? ["--prune=all"] : []), ...(overwrite ? ["--overwrite"] : []));
      for (const id of [...IDS, "z"]) {
        const version = file.get(id) ?? null;
        const next = expected(id, model.get(id), { version, prune, overwrite });
        if (next === undefined) model.delete(id);
        else model.set(id, next);
      }
    },
    async check(): Promise<void> {
      const there = (await world.list()).map(({ title, ...event }) => {
        const place = event["location"];
        return place ? `${title} at ${place}` : title;
      });
      expect(there.sort()).toEqual([...model.values()].flatMap(({ now }) => now ?? []).sort());
    },
  };
}

type Subject = Awaited<ReturnType<typeof createSubject>>;

function apply(subject: Subject, edit: Edit): Promise<void> | void {
  switch (edit.kind) {
    case "file":
      return subject.writeFile(edit.id, edit.version);
    case "calendar":
      return subject.edit(edit.id, edit.place);
    case "import":
      return subject.import(edit.prune, edit.overwrite);
  }
}

test("any edits of the file and of the calendar: after an import the calendar is as it should be", async () => {
  const edits = fc.array(EDIT, { minLength: 3, maxLength: 12 });
  const property = fc.asyncProperty(edits, async (all) => {
    const subject = await createSubject();
    for (const edit of all) {
      await apply(subject, edit);
      if (edit.kind === "import") await subject.check();
    }
    await subject.import(true, false);
    await subject.check();
    expect(await subject.importFile("--prune=all")).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });
  await fc.assert(property, { numRuns: 15 });
});

interface KillPoint {
  readonly number: number;
  /** Whether the service has done what the request asked for. */
  readonly after: boolean;
}

/** A run that is killed at a request. */
interface Life {
  readonly point: KillPoint;
  readonly die: (how: "killed") => void;
  /** The requests that the service handles to their end, though their responses do not arrive any more. */
  readonly handling: unknown[];
  requests: number;
  isDead: boolean;
}

/** A harness whose runs can be killed at a request: no request of such a run is handled any more. */
async function createMortal() {
  let pid = 1000;
  const kill = (other: number): true => {
    if (other === pid) return true;
    throw Object.assign(new Error("there is no such process"), { code: "ESRCH" });
  };
  const harness = await createHarness({ nextProcess: () => ({ pid, kill }) });
  const { handle } = harness.service;
  const lives = new AsyncLocalStorage<Life>();
  const handleOrDie: typeof handle = async (...args) => {
    const life = lives.getStore();
    if (life === undefined) return handle(...args);
    const { number, after } = life.point;
    life.requests += 1;
    const isLast = life.requests >= number;
    const handling = life.isDead || (isLast && !after) ? null : handle(...args);
    life.handling.push(handling);
    const response = await handling;
    if (response !== null && !isLast && !life.isDead) return response;
    life.isDead = true;
    await Promise.allSettled(life.handling);
    life.die("killed");
    return new Promise<never>(() => undefined);
  };
  Object.assign(harness.service, { handle: handleOrDie });
  /** Runs a command line, and kills it at a request, before or after the service has done it. */
  const runKilled = async (point: KillPoint, ...argv: readonly string[]): Promise<"killed" | RunResult> => {
    pid += 1;
    const result = await new Promise<"killed" | RunResult>((resolve, reject) => {
      const life: Life = { point, die: resolve, handling: [], requests: 0, isDead: false };
      lives.run(life, () => harness.run(...argv)).then(resolve, reject);
    });
    pid += 1;
    return result;
  };
  return { ...harness, runKilled };
}

async function listAll(harness: Harness): Promise<readonly string[]> {
  const events = await harness.json<Event[]>("events", "list", "--from", "2026-11-01", "--to", "2026-12-31");
  return events.map(({ title, location, start_local: start }) => `${title} ${location} ${start}`).sort();
}

interface KilledImports {
  /** The name of the file, which each version overwrites. */
  readonly name: string;
  readonly textOf: (version: number) => string;
  readonly firstVersion: number;
  readonly kills: number;
  /** At which request a run is killed at the latest; some are killed while they read, most after some writes. */
  readonly lastRequest: number;
}

/** Imports versions of a file with runs that are killed and repeated, and with one run each: the calendars must be equal. */
async function expectSameAsUndisturbed({
  name,
  textOf,
  firstVersion,
  ...sizes
}: KilledImports): Promise<void> {
  const point = fc.record({ number: fc.integer({ min: 2, max: sizes.lastRequest }), after: fc.boolean() });
  const points = fc.sample(point, 1000);
  const [mortal, other] = [await createMortal(), await createHarness()];
  const argvIn = ({ directory }: Harness) => ["import", join(directory, name), "--yes", "--prune=all"];
  let kills = 0;
  for (let version = firstVersion; kills < sizes.kills; version += 1) {
    for (const harness of [mortal, other]) writeText(harness, name, textOf(version));
    let result: RunResult | "killed" = "killed";
    while (result === "killed") {
      result = await mortal.runKilled(points[kills] ?? { number: 1000, after: false }, ...argvIn(mortal));
      if (result === "killed") kills += 1;
    }
    expect(result).toMatchObject({ exitCode: 0 });
    expect(await other.run(...argvIn(other))).toMatchObject({ exitCode: 0 });
    expect(await listAll(mortal)).toEqual(await listAll(other));
  }
}

test("50 runs that are killed and repeated leave what one run leaves", async () => {
  const many = Array.from({ length: 24 }, (_, index) => `e${index}`);
  // What the file does not have any more, or again.
  const idsOf = (version: number) => (version % 3 === 0 ? many.slice(0, 8) : many);
  const textOf = (version: number) => ndjsonFile(idsOf(version).map((id) => eventOf(id, version)));
  await expectSameAsUndisturbed({ name: "club.ndjson", textOf, firstVersion: 2, kills: 50, lastRequest: 50 });
});

/** A time of December, at 19:00. */
const night = (name: string, day: number) =>
  `${name};TZID=Europe/Berlin:202612${String(day).padStart(2, "0")}T190000`;

const event = (uid: string, title: string, ...lines: readonly string[]) =>
  vevent(uid, title, "DURATION:PT1H", ...lines);

test("a series that a killed import deleted comes back with what was changed of it", async () => {
  const mortal = await createMortal();
  const argv = ["import", join(mortal.directory, "club.ics"), "--yes", "--prune=all"];
  const run = event("run", "Run", night("DTSTART", 1), "RRULE:FREQ=DAILY;COUNT=6");
  const moved = event("run", "Moved", night("RECURRENCE-ID", 3), night("DTSTART", 20));
  const other = event("other", "Other", night("DTSTART", 2));
  const importKilled = async (events: readonly string[], number: number) => {
    writeText(mortal, "club.ics", icsFile(events));
    const result = await mortal.runKilled({ number, after: true }, ...argv);
    expect(await mortal.run(...argv)).toMatchObject({ exitCode: 0 });
    return result;
  };
  await importKilled([run, moved, other], 1000);
  const whole = await listAll(mortal);
  for (let number = 1, end: unknown = "killed"; end === "killed"; number += 1) {
    end = await importKilled([other], number);
    // After its create, and before the change of one.
    await importKilled([run, moved, other], 3);
    expect(await listAll(mortal)).toEqual(whole);
  }
});

test("a series whose import is killed and repeated is what one run leaves", async () => {
  // Changes of one, which come and go, an exception, and a start that moves.
  const series = (uid: string, version: number) => [
    event(
      uid,
      `${uid} ${version % 2}`,
      night("DTSTART", 1 + Number(version % 4 === 3)),
      "RRULE:FREQ=DAILY;COUNT=6",
      ...(version % 3 === 0 ? [night("EXDATE", 4)] : []),
    ),
    event(uid, "Moved", night("RECURRENCE-ID", 3), night("DTSTART", 20)),
    ...(version % 2 === 0
      ? [event(uid, `Other ${version}`, night("RECURRENCE-ID", 5), night("DTSTART", 5))]
      : []),
  ];
  const textOf = (version: number) =>
    icsFile(["a", "b", "c"].slice(0, 2 + (version % 2)).flatMap((uid) => series(uid, version)));
  await expectSameAsUndisturbed({ name: "club.ics", textOf, firstVersion: 0, kills: 30, lastRequest: 30 });
});
