import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Service } from "../../service/service.js";
import { withoutExtensions } from "../support/contract-service.js";
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
async function createWorld(serviceOf: (service: Service) => Pick<Service, "handle">, signal: NodeJS.Signals) {
  const world = await createRemoteWorld();
  const service = byService(serviceOf(world.service));
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

/** Runs and kills it as often as said, then once to its end. */
async function createThroughKills(serviceOf: (service: Service) => Pick<Service, "handle">) {
  const { run, titles } = await createWorld(serviceOf, "SIGKILL");
  const killed: boolean[] = [];
  for (const kill of KILLS) {
    const { child, ended } = run(kill);
    await ended;
    killed.push(child.signalCode === "SIGKILL");
  }
  return { killed, last: await run().ended, titles: await titles() };
}

test("a service that keeps keys has each event once", async () => {
  const { killed, last, titles } = await createThroughKills((service) => service);
  expect(killed).toEqual(KILLS.map(() => true));
  expect(last).toMatchObject({ exitCode: 0, stdout: `${TITLES.join("\n")}\n` });
  expect(titles.sort()).toEqual([...TITLES].sort());
});

test("any other has none twice, and what is unknown is named", async () => {
  const { killed, last, titles } = await createThroughKills(withoutExtensions);
  // Later runs may end before their kill: what is unknown is not sent again.
  expect(killed.slice(0, 2)).toEqual([true, true]);
  expect(last.exitCode).toBe(12);
  expect(new Set(titles).size).toBe(titles.length);
  const isNamed = (title: string) => last.stderr.includes(`(${title}): it is not known what the attempt of`);
  expect(TITLES.filter((title) => !isNamed(title))).toEqual(last.stdout.trim().split("\n"));
  expect(TITLES.filter((title) => !titles.includes(title) && !isNamed(title))).toEqual([]);
});

test("Ctrl-C: what was made is printed, and stderr says how many, and what is unknown", async () => {
  const { run, titles } = await createWorld((service) => service, "SIGINT");
  const { exitCode, stdout, stderr } = await run({ post: 9, isDone: true }).ended;
  const printed = stdout.trim().split("\n");
  expect(exitCode).toBe(130);
  expect(printed).toEqual(TITLES.filter((title) => printed.includes(title)));
  expect(await titles()).toEqual(expect.arrayContaining(printed));
  expect(stderr).toContain(`${printed.length} of `);
  expect(stderr).toMatch(/^event at line \d+ \(Event \d+\): it is unknown whether it was created$/m);
  expect(stderr).toMatch(/^what follows the event at line \d+ \(Event \d+\) was not tried$/m);
  expect((await run().ended).exitCode).toBe(0);
  expect((await titles()).sort()).toEqual([...TITLES].sort());
});
