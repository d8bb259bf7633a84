import fc from "fast-check";
import { expect, test } from "vitest";
import { ndjsonFile, writeText } from "../commands/import/world.js";
import type { Event } from "../commands/undo/world.js";
import { apply, byService, reply } from "../support/fault-steps.js";
import { createRemoteWorld } from "../support/remote-world.js";
import { createInstallation } from "../support/spawned.js";

/** Undos that are killed in the middle, and repeated: nothing is there twice, and nothing is lost. */

/** The write of a run at which it is killed, and whether the service has done it by then. */
interface Kill {
  readonly write: number;
  readonly isDone: boolean;
}

const TITLES = Array.from({ length: 6 }, (_, index) => `Event ${index}`);

async function createWorld() {
  const world = await createRemoteWorld();
  const { calendarId, server } = world;
  await world.service.admin.calendars.add({ name: "Work", owner: "ana" });
  const service = byService(world.service);
  const { start } = createInstallation(world.env);
  const run = (argv: readonly string[], kill?: Kill) => {
    const running = start(...argv);
    let writes = 0;
    server.otherwise([
      async (exchange) => {
        await exchange.receive();
        writes += Number(exchange.request.method !== "GET");
        if (writes === 0 || writes !== kill?.write) return reply(service)(exchange);
        if (kill.isDone) await apply(service)(exchange);
        running.child.kill("SIGKILL");
      },
    ]);
    return running.ended.then((result) => ({ ...result, isKilled: running.child.signalCode === "SIGKILL" }));
  };
  const list = () =>
    world.json<Event[]>("events", "list", "-A", "--from", "2026-12-01", "--to", "2027-01-31");
  const create = (title: string, ...flags: readonly string[]) =>
    world.run("events", "create", "-c", calendarId, "--title", title, "--duration", "1h", ...flags);
  for (const [index, title] of TITLES.entries())
    await create(title, "--start", `2026-12-0${index + 1}T12:00`);
  await create("Choir", "--start", "2026-12-14T10:00", "--repeat", "weekly", "--count", "4");
  const [, second] = (await list()).filter(({ title }) => title === "Choir");
  await world.run("events", "update", second?.id ?? "", "--scope", "this", "--title", "Concert");
  const file = writeText(world, "club.ndjson", ndjsonFile(TITLES.map((id) => importedAs(id))));
  /** Command lines that write several events, or several times. */
  const commandsFor = (events: readonly Event[]): readonly (readonly string[])[] => {
    const ids = TITLES.map((title) => events.find((event) => event.title === title)?.id ?? "");
    const concert = events.find(({ title }) => title === "Concert")?.id ?? "";
    return [
      ["events", "update", ...ids, "--location", "Hall"],
      ["events", "delete", ...ids, "--yes"],
      ["events", "move", ...ids, "--to", "Work", "--yes"],
      ["events", "delete", concert, "--scope", "all", "--yes"],
      ["events", "update", concert, "--scope", "following", "--title", "Review"],
      ["events", "update", concert, "--scope", "all", "--by", "+1h"],
      ["events", "delete", concert, "--scope", "this", "--yes"],
      ["events", "delete", concert, "--scope", "following", "--yes"],
      ["import", file, "-c", calendarId, "--yes"],
    ];
  };
  return { run, list, commandsFor };
}

function importedAs(id: string) {
  const times = { start_at: "2026-12-20T12:00:00Z", end_at: "2026-12-20T13:00:00Z" };
  return { id, title: `Imported ${id}`, ...times };
}

const contentOf = (events: readonly Event[]) =>
  events.map(({ title, location, start_at, calendar_name, recurrences }) =>
    JSON.stringify([title, location, start_at, calendar_name, recurrences]),
  );

test("50 undos that are killed and repeated leave what there was", async () => {
  const { run, list, commandsFor } = await createWorld();
  const seed = Date.now();
  const point = fc.record({ write: fc.integer({ min: 1, max: 9 }), isDone: fc.boolean() });
  const points = fc.sample(point, { numRuns: 1000, seed }).values();
  let kills = 0;
  for (let round = 0; kills < 50; round += 1) {
    const before = await list();
    const commands = commandsFor(before);
    const command = commands[round % commands.length] ?? [];
    expect({ seed, ...(await run(command)) }).toMatchObject({ seed, exitCode: 0 });
    expect(contentOf(await list())).not.toEqual(contentOf(before));
    for (let isKilled = true; isKilled; kills += Number(isKilled)) {
      const result = await run(["undo", "--yes"], points.next().value);
      isKilled = result.isKilled;
      if (!isKilled) expect({ seed, command, ...result }).toMatchObject({ seed, command, exitCode: 0 });
    }
    expect({ seed, command, events: contentOf(await list()).sort() }).toEqual({
      seed,
      command,
      events: contentOf(before).sort(),
    });
  }
});
