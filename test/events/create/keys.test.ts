import { beforeEach, describe, expect, test } from "vitest";
import { withoutExtensions } from "../../support/contract-service.js";
import {
  apply,
  byService,
  cut,
  hang,
  type Reply,
  reply,
  reset,
  type Script,
} from "../../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";

/** The idempotency keys of creates and comments, given with `--key` or random. */

const LUNCH = ["--title", "Lunch with Ana", "--start", "2026-11-22T12:00"];

let world: RemoteWorld;
let events: string;
let service: Reply;
beforeEach(async () => {
  world = await createRemoteWorld();
  service = byService(world.service);
  events = `/calendars/${world.calendarId}/events`;
});

const create = (...flags: readonly string[]) =>
  world.send("events", "create", "-c", world.calendarId, ...LUNCH, "-q", "-o", "json", ...flags);

const comment = (text: string, ...flags: readonly string[]) =>
  world.send("comment", world.eventId, text, "-c", world.calendarId, ...flags, "-o", "json", "-q");

const createLetters = (letters: string) => {
  const stdin = Array.from(letters, (title) =>
    JSON.stringify({ title, key: title, start_at: "2026-11-22T12:00:00Z" }),
  ).join("\n");
  const argv = ["events", "create", "-c", world.calendarId, "--input", "-", "--fields", "title"];
  return world.runWith({ env: world.env, stdin }, ...argv);
};

const posts = () => world.server.requests.filter(({ method }) => method === "POST");
const sentKeys = () => posts().map(({ headers }) => headers["idempotency-key"]);
const idOf = ({ stdout }: { readonly stdout: string }): string => JSON.parse(stdout).id;
const lunches = async () =>
  (await world.json<readonly { readonly title: string }[]>("events", "list", "--days", "7")).filter(
    ({ title }) => title === "Lunch with Ana",
  ).length;
const undoEntries = async () =>
  JSON.parse((await world.send("undo", "--list", "-o", "json")).stdout) as readonly object[];

describe("a service that keeps keys", () => {
  test("the same key again creates nothing, and prints the event as it is now", async () => {
    const first = await create("--key", "k1");
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    await world.send("events", "update", idOf(first), "-c", world.calendarId, "--location", "Noodle bar");
    const again = await world.send(
      ...["events", "create", "-c", world.calendarId, ...LUNCH, "--key", "k1", "-o", "json"],
    );
    expect(again).toMatchObject({ exitCode: 0, stderr: 'already created with key "k1"\n' });
    expect(JSON.parse(again.stdout)).toMatchObject({ id: idOf(first), location: "Noodle bar" });
    expect(sentKeys()).toEqual(["k1", "k1"]);
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
      stderr: expect.stringContaining('key \\"k1\\" created an event that was deleted since'),
    });
    expect(await lunches()).toBe(0);
  });

  test("a repeated create is one event, and one entry of undo", async () => {
    await create("--key", "k1");
    await create("--key", "k1");
    expect(await lunches()).toBe(1);
    expect(await undoEntries()).toHaveLength(1);
  });

  test("comments", async () => {
    const lost = [apply(service), reset];
    world.server.on(`POST ${events}/${world.eventId}/activities`, lost, [reply(service)]);
    const first = await comment("I bring the cake", "--key", "c1");
    expect(await comment("I bring the cake", "--key", "c1")).toEqual(first);
    expect(first.exitCode).toBe(0);
    expect(sentKeys()).toEqual(["c1", "c1", "c1"]);
    expect((await comment("No cake", "--key", "c1")).exitCode).toBe(11);
    expect((await create("--key", "c1")).exitCode).toBe(11);
  });

  test.each<readonly [string, readonly string[], () => Script]>([
    ["done, then silence", ["--key", "k1"], () => [apply(service), hang]],
    ["done, then a response cut in its body", ["--key", "k1"], () => [cut(service, { at: -9 })]],
    ["503 before anything is done", ["--key", "k1"], () => [reply({ status: 503 })]],
    ["409, since it is under way", ["--key", "k1"], () => [reply({ status: 409 })]],
    ["done with a random key, then reset", [], () => [apply(service), reset]],
  ])("%s: sent again with its key, which creates one event", async (_, flags, script) => {
    world.server.on(`POST ${events}`, script(), script(), [reply(service)]);
    expect(await create(...flags)).toMatchObject({ exitCode: 0 });
    const [key] = sentKeys();
    expect(key).toMatch(/./);
    expect(sentKeys()).toEqual([key, key, key]);
    expect(await lunches()).toBe(1);
  });

  test("without --key, what a lost response had created is this command's: nothing is noted, and undo takes it back", async () => {
    world.server.on(`POST ${events}`, [apply(service), reset], [reply(service)]);
    world.server.on(`POST ${events}/${world.eventId}/activities`, [apply(service), reset], [reply(service)]);
    const created = await world.send("events", "create", "-c", world.calendarId, ...LUNCH, "-o", "json");
    const commented = await comment("I bring the cake");
    expect([created.exitCode, commented.exitCode]).toEqual([0, 0]);
    expect(created.stderr + commented.stderr).not.toContain("already");
    expect(new Set(sentKeys()).size).toBe(2);
    expect(await undoEntries()).toHaveLength(2);
  });

  test.each<readonly [string, readonly Script[], number, number]>([
    ["no response", [[reset]], 8, 9],
    ["no response, then a token that is refused", [[reset], [reply({ status: 401 })]], 8, 9],
    ["no response, then 409", [[reset], [reply({ status: 409 })]], 8, 9],
    ["409 alone", [[reply({ status: 409 })]], 8, 11],
    ["403 alone", [[reply({ status: 403 })]], 6, 6],
    ["a success that is not JSON", [[reply({ status: 201, body: "<html>" })]], 8, 9],
  ])(
    "%s: exit code with --key, when the command may be repeated, and without",
    async (_, scripts, given, random) => {
      world.server.on(`POST ${events}`, ...scripts);
      expect(await create()).toMatchObject({ exitCode: random, stdout: "" });
      world.server.on(`POST ${events}`, ...scripts);
      const failed = await create("--key", "k1");
      expect(failed).toMatchObject({ exitCode: given, stdout: "" });
      if (random === 9) expect(failed.stderr).toContain("repeat the same command");
      world.server.on(`POST ${events}`, [reply(service)]);
      expect((await create("--key", "k1")).exitCode).toBe(0);
      expect(await lunches()).toBe(1);
    },
  );

  test("several, each with its key: a second run creates nothing", async () => {
    const first = await createLetters("abcde");
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    const again = await createLetters("abcde");
    expect(again).toEqual({ ...first, stderr: "5 of 5 were already created with their keys\n" });
  });

  test("is known as one after a gateway's response", async () => {
    const refused = Array.from("abcde", () => [reply({ status: 403 })]);
    world.server.on(`POST ${events}`, ...refused, [apply(service), reset], [reply(service)]);
    expect(await createLetters("abcdef")).toMatchObject({ exitCode: 12, stdout: "f\n" });
  });
});

describe("a service that has said nothing before the response to a POST is lost", () => {
  beforeEach(() => {
    // A gateway's response, after which the value of -c is taken as an id.
    world.server.on("GET /calendars", [reply({ status: 403 })]);
    world.server.on(`POST ${events}`, [apply(service), reset], [reply(service)]);
  });

  test("is asked, and gets the create again if it keeps keys", async () => {
    expect(await create()).toMatchObject({ exitCode: 0 });
    const [key] = sentKeys();
    expect(sentKeys()).toEqual([key, key]);
    expect(await lunches()).toBe(1);
  });

  test.each<readonly [string, () => Reply]>([
    ["keeps none", () => byService(withoutExtensions(world.service))],
    ["does not say", () => ({ status: 403 })],
  ])("does not get it again if it %s: exit 9", async (_, answer) => {
    world.server.on(`GET /calendars/${world.calendarId}`, [reply(answer())]);
    expect(await create()).toMatchObject({ exitCode: 9, stdout: "" });
    expect(posts()).toHaveLength(1);
  });
});

describe("a service that keeps no keys", () => {
  beforeEach(() => {
    service = byService(withoutExtensions(world.service));
    world.server.otherwise([reply(service)]);
  });

  test.each<readonly [string, () => ReturnType<typeof create>]>([
    ["events create --key", () => create("--key", "k1")],
    ["events create --key --dry-run", () => create("--key", "k1", "--dry-run")],
    ["a key in the input", () => createLetters("a")],
    ["keys in lines of the input", () => createLetters("ab")],
    ["comment --key", () => comment("I bring the cake", "--key", "k1")],
  ])("%s is exit 11 before anything is sent", async (_, run) => {
    const result = await run();
    expect(result).toMatchObject({ exitCode: 11, stdout: "" });
    expect(result.stderr).toContain("this service does not keep idempotency keys");
    expect(posts()).toEqual([]);
  });

  test("without a key, a create is sent once, without a key of its own", async () => {
    world.server.on(`POST ${events}`, [apply(service), reset]);
    expect((await create()).exitCode).toBe(9);
    expect(sentKeys()).toEqual([undefined]);
  });
});

test.each([
  ["", "--key is empty"],
  ["smörgås", "invalid idempotency key"],
  [" k", "invalid idempotency key"],
  ["k".repeat(256), "invalid idempotency key"],
])("--key %j is exit 2", async (key, message) => {
  expect(await create("--key", key)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  expect(await comment("Hello", "--key", key)).toMatchObject({ exitCode: 2 });
  expect(world.server.requests).toEqual([]);
});
