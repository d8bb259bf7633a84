import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, byService, reply } from "../support/fault-steps.js";
import { createRemoteWorld } from "../support/remote-world.js";
import { createInstallation } from "../support/spawned.js";

/** `events create --input` with keys: runs that are killed in the middle, and repeated. */

const TITLES = Array.from({ length: 20 }, (_, index) => `Event ${index}`);
const INPUT = TITLES.map((title) =>
  JSON.stringify({ title, key: title, all_day: true, start_at: "2026-11-22T00:00:00Z" }),
).join("\n");

/** The POST of a run at which it is killed, and whether the service has done it by then. */
const KILLS = [
  { post: 1, isDone: false },
  { post: 3, isDone: true },
  { post: 7, isDone: false },
  { post: 1, isDone: true },
  { post: 12, isDone: true },
  { post: 4, isDone: false },
];

/** @param signal what ends a run at a POST */
async function createWorld(signal: NodeJS.Signals) {
  const world = await createRemoteWorld();
  const service = byService(world.service);
  const { home, start } = createInstallation(world.env);
  const file = join(home, "events.ndjson");
  writeFileSync(file, INPUT);
  const run = (kill?: (typeof KILLS)[number]) => {
    const running = start("events", "create", "-c", world.calendarId, "--input", file, "--fields", "title");
    let posts = 0;
    world.server.otherwise([
      async (exchange) => {
        await exchange.receive();
        posts += Number(exchange.request.method === "POST");
        if (posts !== kill?.post) return reply(service)(exchange);
        if (kill.isDone) await apply(service)(exchange);
        running.child.kill(signal);
      },
    ]);
    return running;
  };
  const titles = async () => {
    const events = await world.json<readonly { readonly title: string }[]>("events", "list", "--days", "7");
    return events.map(({ title }) => title).filter((title) => title !== "Lunch");
  };
  return { run, titles };
}

test("a service has each event once", async () => {
  const { run, titles } = await createWorld("SIGKILL");
  for (const kill of KILLS) {
    const { child, ended } = run(kill);
    await ended;
    expect(child.signalCode).toBe("SIGKILL");
  }
  expect(await run().ended).toMatchObject({ exitCode: 0, stdout: `${TITLES.join("\n")}\n` });
  expect((await titles()).sort()).toEqual([...TITLES].sort());
});

test("Ctrl-C: what was made is printed, and stderr says how many, and what is unknown", async () => {
  const { run, titles } = await createWorld("SIGINT");
  const { exitCode, stdout, stderr } = await run({ post: 9, isDone: true }).ended;
  const printed = stdout.trim().split("\n");
  expect(exitCode).toBe(130);
  expect(printed).toEqual(TITLES.filter((title) => printed.includes(title)));
  expect(await titles()).toEqual(expect.arrayContaining(printed));
  expect(stderr).toContain(`${printed.length} of `);
  expect(stderr).toMatch(/^event at line \d+ \(Event \d+\): it is unknown whether it was created$/m);
  expect(stderr).toMatch(/^the events after the one at line \d+ \(Event \d+\) were skipped$/m);
  expect((await run().ended).exitCode).toBe(0);
  expect((await titles()).sort()).toEqual([...TITLES].sort());
});
