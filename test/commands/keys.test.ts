import { beforeEach, describe, expect, test } from "vitest";
import { withoutExtensions } from "../support/contract-service.js";
import {
  apply,
  byService,
  cut,
  hang,
  type Reply,
  reply,
  reset,
  type Script,
} from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";

/** `--key`: with a service that keeps keys, and with one of the contract alone. */

const LUNCH = ["--title", "Lunch with Ana", "--start", "2026-11-22T12:00"];

let world: RemoteWorld;
let events: string;
let service: Reply;
beforeEach(async () => {
  // A run that waits for another one lets it go on.
  world = await createRemoteWorld({ duringPause: () => new Promise((resolve) => setImmediate(resolve)) });
  service = byService(world.service);
  events = `/calendars/${world.calendarId}/events`;
});

/** A service of the contract alone, which knows no keys. */
function ofTheContract(): void {
  service = byService(withoutExtensions(world.service));
  world.server.otherwise([reply(service)]);
}

const create = (...flags: readonly string[]) =>
  world.send("events", "create", "-c", world.calendarId, ...LUNCH, "-q", "-o", "json", ...flags);

const posts = () => world.server.requests.filter(({ method }) => method === "POST");
const sentKeys = () => posts().map(({ headers }) => headers["idempotency-key"]);
const idOf = ({ stdout }: { readonly stdout: string }): string => JSON.parse(stdout).id;
const lunches = async () =>
  (await world.json<readonly { readonly title: string }[]>("events", "list", "--days", "7")).filter(
    ({ title }) => title === "Lunch with Ana",
  ).length;

describe.each([
  ["keeps keys", true],
  ["does not keep keys", false],
])("a service that %s", (_kind, keepsKeys) => {
  beforeEach(() => {
    if (!keepsKeys) ofTheContract();
  });

  test("the same key again makes nothing, and prints the event as it is now", async () => {
    const first = await create("--key", "k1");
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    await world.send("events", "update", idOf(first), "-c", world.calendarId, "--location", "Noodle bar");
    const again = await world.send(
      ...["events", "create", "-c", world.calendarId, ...LUNCH, "--key", "k1", "-o", "json"],
    );
    expect(again).toMatchObject({ exitCode: 0, stderr: 'made before with key "k1"\n' });
    expect(JSON.parse(again.stdout)).toMatchObject({ id: idOf(first), location: "Noodle bar" });
    expect(sentKeys()).toEqual(keepsKeys ? ["k1", "k1"] : ["k1"]);
  });

  test("other content, and an event that was deleted since, are exit 11", async () => {
    const id = idOf(await create("--key", "k1"));
    const other = await create("--key", "k1", "--location", "Noodle bar");
    expect(other.exitCode).toBe(11);
    expect(JSON.parse(other.stderr).error).toMatchObject({
      message: 'key "k1" was used for other content',
      details: null,
    });
    await world.send("events", "delete", id, "-c", world.calendarId, "--yes");
    expect(await create("--key", "k1")).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining('key \\"k1\\" made an event that was deleted since'),
    });
    expect(await lunches()).toBe(0);
    expect(posts()).toHaveLength(keepsKeys ? 3 : 1);
  });

  test("a repeated create is one event, and one entry of undo", async () => {
    await create("--key", "k1");
    await create("--key", "k1");
    expect(await lunches()).toBe(1);
    const entries = await world.send("undo", "--list", "-o", "json");
    expect(JSON.parse(entries.stdout)).toHaveLength(1);
  });

  test("comments", async () => {
    const comment = (text: string) =>
      world.send("comment", world.eventId, text, "-c", world.calendarId, "--key", "c1", "-o", "json", "-q");
    const lost = [apply(service), reset];
    if (keepsKeys) world.server.on(`POST ${events}/${world.eventId}/activities`, lost, [reply(service)]);
    const first = await comment("I bring the cake");
    expect(await comment("I bring the cake")).toEqual(first);
    expect(first.exitCode).toBe(0);
    expect(posts()).toHaveLength(keepsKeys ? 3 : 1);
    expect((await comment("No cake")).exitCode).toBe(11);
    expect((await create("--key", "c1")).exitCode).toBe(11);
  });
});

describe("a service that does not keep keys", () => {
  beforeEach(ofTheContract);

  test("another key, or the same in another calendar or profile, makes another event", async () => {
    await world.service.admin.calendars.add({ name: "Work", owner: world.userId });
    await create("--key", "k1");
    await create("--key", "k2");
    expect((await world.send("events", "create", "-c", "Work", ...LUNCH, "--key", "k1")).exitCode).toBe(0);
    expect(posts()).toHaveLength(3);
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

  test("--dry-run asks and notes nothing", async () => {
    expect((await create("--key", "k1", "--dry-run")).exitCode).toBe(0);
    expect((await create("--key", "k1")).stderr).toBe("");
    expect(posts()).toHaveLength(1);
  });
});

describe("a service that keeps keys", () => {
  test.each<readonly [string, () => Script]>([
    ["reset", () => [apply(service), reset]],
    ["silence", () => [apply(service), hang]],
    ["an answer cut in its body", () => [cut(service, { at: -9 })]],
    ["503", () => [apply(service), reply({ status: 503 })]],
    ["503 before anything is done", () => [reply({ status: 503 })]],
    ["409, since it is under way", () => [reply({ status: 409 })]],
  ])("done, then %s: sent again with its key, which makes one event", async (_, script) => {
    world.server.on(`POST ${events}`, script(), script(), [reply(service)]);
    expect(await create("--key", "k1")).toMatchObject({ exitCode: 0 });
    expect(sentKeys()).toEqual(["k1", "k1", "k1"]);
    expect(await lunches()).toBe(1);
  });

  test.each<readonly [string, readonly Script[], number]>([
    ["no answer", [[reset]], 9],
    ["no answer, then a token that is refused", [[reset], [reply({ status: 401 })]], 9],
    ["no answer, then 409", [[reset], [reply({ status: 409 })]], 9],
    ["409 alone", [[reply({ status: 409 })]], 8],
    ["403 alone", [[reply({ status: 403 })]], 6],
    ["a success that is not JSON", [[reply({ status: 201, body: "<html>" })]], 9],
  ])("%s: exit code, and the same command may be repeated", async (_, scripts, exitCode) => {
    world.server.on(`POST ${events}`, ...scripts);
    const failed = await create("--key", "k1");
    expect(failed).toMatchObject({ exitCode, stdout: "" });
    if (exitCode === 9) expect(failed.stderr).toContain("repeat the same command");
    world.server.on(`POST ${events}`, [reply(service)]);
    expect((await create("--key", "k1")).exitCode).toBe(0);
    expect(await lunches()).toBe(1);
  });

  test("without a key, a create is sent once", async () => {
    world.server.on(`POST ${events}`, [apply(service), reset]);
    expect((await create()).exitCode).toBe(9);
    expect(posts()).toHaveLength(1);
    expect(posts()[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  test("several, each with its key: a second run makes nothing", async () => {
    const first = await createLetters("abcde");
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    const again = await createLetters("abcde");
    expect(again).toEqual({ ...first, stderr: "5 of 5 were made before with their keys\n" });
  });

  test("is known as one after a gateway's answer", async () => {
    const refused = Array.from("abcde", () => [reply({ status: 403 })]);
    world.server.on(`POST ${events}`, ...refused, [apply(service), reset], [reply(service)]);
    expect(await createLetters("abcdef")).toMatchObject({ exitCode: 12, stdout: "f\n" });
  });

  const createLetters = (letters: string) => {
    const stdin = Array.from(letters, (title) =>
      JSON.stringify({ title, key: title, start_at: "2026-11-22T12:00:00Z" }),
    ).join("\n");
    const argv = ["events", "create", "-c", world.calendarId, "--input", "-", "--fields", "title"];
    return world.runWith({ env: world.env, stdin }, ...argv);
  };
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
