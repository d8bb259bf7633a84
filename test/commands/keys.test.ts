import { beforeEach, describe, expect, test } from "vitest";
import { apply, byService, type Reply, reply, reset } from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";

/** `--key`: with a service that keeps keys, and with one of the contract alone. */

const LUNCH = ["--title", "Lunch with Ana", "--start", "2026-11-22T12:00", "-q"];

let world: RemoteWorld;
let events: string;
let service: Reply;
beforeEach(async () => {
  // A run that waits for another one lets it go on.
  world = await createRemoteWorld({ duringPause: () => new Promise((resolve) => setImmediate(resolve)) });
  service = byService(world.service);
  events = `/calendars/${world.calendarId}/events`;
});

/** How the event was made, without what the embedded service says of itself. */
function ofTheContract(): void {
  const plain: Reply = async (request) => {
    const answer = await byService(world.service)(request);
    const { "calendar-extensions": _, ...headers } = answer.headers ?? {};
    return { ...answer, headers };
  };
  service = plain;
  world.server.otherwise([reply(plain)]);
}

const create = (...flags: readonly string[]) =>
  world.send("events", "create", "-c", world.calendarId, ...LUNCH, "-o", "json", ...flags);

const posts = () => world.server.requests.filter(({ method }) => method === "POST");
const idOf = ({ stdout }: { readonly stdout: string }): string => JSON.parse(stdout).id;
const lunches = async () =>
  (await world.json<readonly { readonly title: string }[]>("events", "list", "--days", "7")).filter(
    ({ title }) => title === "Lunch with Ana",
  ).length;

describe("a service that does not keep keys", () => {
  beforeEach(ofTheContract);

  test("the same key again sends nothing, and prints the event as it is now", async () => {
    const first = await create("--key", "k1");
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(posts()[0]?.headers["idempotency-key"]).toBe("k1");
    await world.send("events", "update", idOf(first), "-c", world.calendarId, "--location", "Noodle bar");
    const again = await world.send(
      ...["events", "create", "-c", world.calendarId, "--key", "k1", "-o", "json"],
      ...LUNCH.slice(0, -1),
    );
    expect(again).toMatchObject({ exitCode: 0, stderr: 'made before with key "k1"\n' });
    expect(JSON.parse(again.stdout)).toMatchObject({ id: idOf(first), location: "Noodle bar" });
    expect(posts()).toHaveLength(1);
  });

  test("another key, or the same in another calendar or profile, makes another event", async () => {
    await world.service.admin.calendars.add({ name: "Work", owner: world.userId });
    await create("--key", "k1");
    await create("--key", "k2");
    expect((await world.send("events", "create", "-c", "Work", ...LUNCH, "--key", "k1")).exitCode).toBe(0);
    expect(posts()).toHaveLength(3);
  });

  test("other content is exit 11", async () => {
    await create("--key", "k1");
    expect(await create("--key", "k1", "--location", "Noodle bar")).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining('key \\"k1\\" was used for other content'),
    });
    expect(posts()).toHaveLength(1);
  });

  test("an event that was deleted since is exit 11, and is not made again", async () => {
    const id = idOf(await create("--key", "k1"));
    await world.send("events", "delete", id, "-c", world.calendarId, "--yes");
    expect(await create("--key", "k1")).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining('key \\"k1\\" made an event that was deleted since'),
    });
    expect(posts()).toHaveLength(1);
  });

  test("what is unknown stays unknown, until another key makes it", async () => {
    world.server.on(`POST ${events}`, [apply(service), reset], [reply(service)]);
    expect((await create("--key", "k1")).exitCode).toBe(9);
    const again = await create("--key", "k1");
    expect(again).toMatchObject({ exitCode: 9, stdout: "", stderr: expect.stringContaining("another key") });
    expect(posts()).toHaveLength(1);
    expect((await create("--key", "k2")).exitCode).toBe(0);
  });

  test("what surely was not made may be made under the same key", async () => {
    world.server.on(`POST ${events}`, [reply({ status: 403 })], [reply(service)]);
    expect((await create("--key", "k1")).exitCode).toBe(6);
    expect((await create("--key", "k1")).exitCode).toBe(0);
  });

  test("two at once: one posts, and both print the event", async () => {
    const results = await Promise.all([create("--key", "k1"), create("--key", "k1")]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(new Set(results.map(idOf)).size).toBe(1);
    expect(posts()).toHaveLength(1);
  });

  test("a key is kept for 30 days", async () => {
    await create("--key", "k1");
    world.setNow(Date.parse("2026-12-20T00:00:00Z"));
    await create("--key", "k1");
    expect(posts()).toHaveLength(1);
    await create("--key", "k2");
    world.setNow(Date.parse("2027-01-21T00:00:00Z"));
    // The clock counts once two runs agree on it.
    await create("--key", "k3");
    await create("--key", "k1");
    expect(posts()).toHaveLength(4);
  });

  test("undo of a repeated create deletes nothing", async () => {
    await create("--key", "k1");
    await create("--key", "k1");
    expect(await lunches()).toBe(1);
    const entries = await world.send("undo", "--list", "-o", "json");
    expect(JSON.parse(entries.stdout)).toHaveLength(1);
  });

  test("comments", async () => {
    const comment = (text: string) =>
      world.send(
        ...["comment", world.eventId, text, "-c", world.calendarId, "--key", "c1"],
        ...["-o", "json", "-q"],
      );
    const first = await comment("I bring the cake");
    expect(await comment("I bring the cake")).toEqual(first);
    expect(first.exitCode).toBe(0);
    expect(posts()).toHaveLength(1);
    expect((await comment("No cake")).exitCode).toBe(11);
    expect((await create("--key", "c1")).exitCode).toBe(11);
  });

  test("--dry-run asks and notes nothing", async () => {
    expect((await create("--key", "k1", "--dry-run")).exitCode).toBe(0);
    expect((await create("--key", "k1")).stderr).toBe("");
    expect(posts()).toHaveLength(1);
  });
});

test.each([
  ["", "--key is empty"],
  ["smörgås", "--key: this cannot be a key"],
  [" k", "--key: this cannot be a key"],
  ["k".repeat(256), "--key: this cannot be a key"],
])("--key %j is exit 2", async (key, message) => {
  expect(await create("--key", key)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  const comment = ["comment", world.eventId, "Hello", "-c", world.calendarId, "--key", key];
  expect(await world.send(...comment)).toMatchObject({ exitCode: 2 });
  expect(world.server.requests).toEqual([]);
});
