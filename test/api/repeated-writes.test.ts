import { beforeEach, describe, expect, test } from "vitest";
import { withoutExtensions } from "../support/contract-service.js";
import {
  apply,
  byService,
  close,
  cut,
  hang,
  leave,
  type Reply,
  receive,
  reply,
  reset,
  type Script,
  type Step,
} from "../support/fault-steps.js";
import { failed } from "../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";
import { words } from "../support/words.js";

/** Writes whose first attempt succeeded without a response. */

let world: RemoteWorld;
let service: Reply;
let target: string;

beforeEach(async () => {
  world = await createRemoteWorld({ duringPause: () => world.server.comeBack().catch(() => undefined) });
  service = byService(world.service);
  target = `/calendars/${world.calendarId}/events/${world.eventId}`;
});

/** Ways to carry out a write without a response; fault-rows.ts has all in which there is none. */
const DONE_UNSEEN: readonly (readonly [string, (service: Reply) => Script])[] = [
  ["an answer cut in its head", (service) => [cut(service, { at: 30 })]],
  ["silence", (service) => [apply(service), hang]],
  ["504 of a gateway", (service) => [apply(service), reply({ status: 504, body: "<html>" })]],
];

describe("C3 DELETE", () => {
  const remove = () =>
    world.send(...["events", "delete", world.eventId, "-c", world.calendarId], ...["--yes", "-o", "json"]);

  test.each(DONE_UNSEEN)("done, then %s, then 404: it is deleted", async (_, script) => {
    world.server.on(`DELETE ${target}`, script(service), [reply(service)]);
    const { exitCode, stdout } = await remove();
    expect({ exitCode, deleted: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      deleted: { deleted: [world.eventId] },
    });
    expect(world.server.count(`DELETE ${target}`)).toBe(2);
  });

  test.each<readonly [string, Script]>([
    ["at first", []],
    ["after a 429, which does nothing", [reply({ status: 429 })]],
    ["after a 408, which does nothing", [reply({ status: 408 })]],
  ])("404 %s: not found", async (_, before) => {
    const gone = [reply({ status: 404 })];
    world.server.on(`DELETE ${target}`, ...(before.length === 0 ? [gone] : [before, gone]));
    expect(await remove()).toMatchObject({ exitCode: 5, stdout: "" });
    expect(world.server.count(`DELETE ${target}`)).toBe(before.length + 1);
  });

  test("connection refused, then 404: not found", async () => {
    const closing: Reply = { status: 403, headers: { connection: "close" } };
    world.server.on("GET /calendars", [receive, leave, reply(closing), close]);
    world.server.on(`DELETE ${target}`, [reply({ status: 404 })]);
    expect(await remove()).toMatchObject({ exitCode: 5, stdout: "" });
    expect(world.pauses).toHaveLength(1);
  });

  test("done, then reset, then 410: it is deleted", async () => {
    world.server.on(`DELETE ${target}`, [apply(service), reset], [reply({ status: 410 })]);
    expect((await remove()).exitCode).toBe(0);
  });

  test("twice without a response, then 404: nothing more is sent", async () => {
    world.server.on(`DELETE ${target}`, [apply(service), reset], [receive, close], [reply(service)]);
    expect((await remove()).exitCode).toBe(0);
    expect(world.server.count(`DELETE ${target}`)).toBe(3);
  });
});

describe("C2 C14 PUT", () => {
  const title = async (): Promise<unknown> =>
    (await world.json("events", "get", world.eventId, "-c", world.calendarId))["title"];

  const updatedAt = async (): Promise<string> =>
    String((await world.json("events", "get", world.eventId, "-c", world.calendarId))["updated_at"]);

  /** Updates the title if the event is still as it was half an hour before. */
  async function updateIfUnchanged(...flags: readonly string[]) {
    const seen = await updatedAt();
    world.setNow(Date.parse("2026-11-21T15:00:00Z"));
    return world.send(
      ...["events", "update", world.eventId, "-c", world.calendarId, "--title", "Dinner"],
      ...["--if-unchanged", seen, "-q", "-o", "json", ...flags],
    );
  }

  test.each(DONE_UNSEEN)("done, then %s: repeated", async (_, script) => {
    world.server.on(`PUT ${target}`, script(service), [reply(service)]);
    const update = ["events", "update", world.eventId, "-c", world.calendarId, "--title", "Dinner", "-q"];
    expect(await world.send(...update)).toMatchObject({ exitCode: 0, stderr: "" });
    const [first, second] = world.server.requests.filter(({ method }) => method === "PUT");
    expect(second?.body.toString()).toBe(first?.body.toString());
  });

  test.each(DONE_UNSEEN)("--if-unchanged: done, then %s: read, and not repeated", async (_, script) => {
    world.server.on(`PUT ${target}`, script(service));
    const flags = ["--description", "d", "--attendee", "me", "--label", "4"];
    const { exitCode, stdout, stderr } = await updateIfUnchanged(...flags);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ title: "Dinner", updated_at: "2026-11-21T15:00:00.000Z", attendees: [{ name: "ana" }] },
    });
    expect(world.server.count(`PUT ${target}`)).toBe(1);
  });

  test.each<readonly [string, Script]>([
    ["reset", [receive, reset]],
    ["503", [reply({ status: 503 })]],
  ])("--if-unchanged: not done, then %s: read, and repeated", async (_, script) => {
    world.server.on(`PUT ${target}`, script, script, [reply(service)]);
    expect(await updateIfUnchanged()).toMatchObject({ exitCode: 0, stderr: "" });
    expect({ title: await title(), puts: world.server.count(`PUT ${target}`) }).toEqual({
      ...{ title: "Dinner", puts: 3 },
    });
    expect(world.server.count(`GET ${target}`)).toBe(3);
  });

  test("--if-unchanged: refused with 429 after a lost answer, it is read after the wait", async () => {
    const limited = { status: 429, headers: { "retry-after": "2" } };
    world.server.on(`PUT ${target}`, [receive, reset], [reply(limited)], [reply(service)]);
    expect((await updateIfUnchanged()).exitCode).toBe(0);
    const methods = world.server.requests.map(({ method }) => method);
    expect(methods.slice(-6)).toEqual(["GET", "PUT", "GET", "PUT", "GET", "PUT"]);
  });

  test.each<readonly [string, (service: Reply) => Script]>([
    ["done and then overwritten", (service) => [apply(service)]],
    ["not done, and another change came", () => [receive]],
  ])("--if-unchanged: %s: exit 9, and not repeated", async (_, script) => {
    const change: Step = async () => {
      world.setNow(Date.parse("2026-11-21T15:01:00Z"));
      await world.run("events", "update", world.eventId, "-c", world.calendarId, "--title", "Theirs");
    };
    world.server.on(`PUT ${target}`, [...script(service), change, reset]);
    const { exitCode, stdout, stderr } = await updateIfUnchanged();
    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({
      code: "outcome_unknown",
      message: expect.stringMatching(/overwritten.+another change/),
      hint: expect.stringContaining(`calctl events get ${world.eventId}`),
    });
    expect({ title: await title(), puts: world.server.count(`PUT ${target}`) }).toEqual({
      ...{ title: "Theirs", puts: 1 },
    });
  });

  test("--if-unchanged: an event that cannot be read after a lost answer is exit 8", async () => {
    const refused = [reply({ status: 403 })];
    world.server.on(`PUT ${target}`, [apply(service), reset]);
    world.server.on(`GET ${target}`, [reply(service)], refused);
    expect(await updateIfUnchanged()).toMatchObject(failed(8, "may have succeeded"));
  });

  test("--if-unchanged: an event that does not say when it was updated is exit 11, and no PUT", async () => {
    const seen = await updatedAt();
    const attributes = { title: "Lunch", category: "schedule", updated_at: null };
    const body = JSON.stringify({ data: { id: world.eventId, type: "event", attributes } });
    world.server.on(`GET ${target}`, [reply({ status: 200, body })]);
    const update = ["events", "update", world.eventId, "-c", world.calendarId, "--title", "T"];
    expect(await world.send(...update, "--if-unchanged", seen)).toMatchObject(
      failed(11, "--if-unchanged: the service does not say when the event was last changed"),
    );
    expect(world.server.count(`PUT ${target}`)).toBe(0);
  });

  test("somebody else's change before: exit 13, and no PUT", async () => {
    const { updated_at: updatedAt } = await world.json(
      ...words`events get ${world.eventId} -c ${world.calendarId}`,
    );
    world.setNow(Date.parse("2026-11-21T15:00:00Z"));
    await world.run("events", "update", world.eventId, "-c", world.calendarId, "--title", "Theirs");
    const result = await world.send(
      ...["events", "update", world.eventId, "-c", world.calendarId, "--title", "Mine"],
      ...["--if-unchanged", String(updatedAt)],
    );
    expect(result).toMatchObject({ exitCode: 13, stdout: "" });
    expect({ puts: world.server.count(`PUT ${target}`), title: await title() }).toEqual({
      puts: 0,
      title: "Theirs",
    });
  });

  test("unknown fields are not sent back, and the rest is unchanged", async () => {
    const strange = {
      id: world.eventId,
      type: "event",
      attributes: {
        ...{ category: "schedule", title: "Lunch", all_day: false, location: "Here", description: null },
        ...{ start_at: "2026-11-21T11:00:00.000Z", end_at: "2026-11-21T12:00:00.000Z" },
        ...{ start_timezone: "Europe/Berlin", end_timezone: "Europe/Berlin", mood: "x" },
      },
      relationships: { label: { data: { id: "3", type: "label" } }, rooms: { data: [] } },
    };
    world.server.on(`GET ${target}`, [reply({ status: 200, body: JSON.stringify({ data: strange }) })]);
    await world.send("events", "update", world.eventId, "-c", world.calendarId, "--title", "Dinner");
    const put = world.server.requests.find(({ method }) => method === "PUT");
    expect(JSON.parse(put?.body.toString() ?? "")).toEqual({
      data: {
        attributes: {
          ...{ category: "schedule", title: "Dinner", all_day: false, location: "Here" },
          ...{ start_at: "2026-11-21T11:00:00.000Z", end_at: "2026-11-21T12:00:00.000Z" },
          ...{ start_timezone: "Europe/Berlin", end_timezone: "Europe/Berlin" },
        },
        relationships: { label: { data: { id: `${world.calendarId},3`, type: "label" } } },
      },
    });
  });
});

describe("C2 POST to a service that keeps no keys", () => {
  beforeEach(() => {
    service = byService(withoutExtensions(world.service));
    world.server.otherwise([reply(service)]);
  });

  const create = () =>
    world.send(
      ...["events", "create", "-c", world.calendarId, "--title", "T", "-o", "json"],
      ...["--start", "2026-11-21T12:00", "--duration", "1h"],
    );
  const titles = async (): Promise<unknown> =>
    (await world.json<readonly { readonly title: string }[]>("events", "list")).map(({ title }) => title);

  // test/api/error-table.test.ts has the other ways in which there is no response.
  test("done, then reset: sent once, and the error says where to look", async () => {
    const path = `POST /calendars/${world.calendarId}/events`;
    world.server.on(path, [apply(service), reset]);
    const { exitCode, stdout, stderr } = await create();
    const { error } = JSON.parse(stderr);
    expect({ exitCode, stdout, hint: error.hint }).toEqual({
      exitCode: 9,
      stdout: "",
      hint: expect.stringContaining("calctl events list"),
    });
    expect({ posts: world.server.count(path), titles: await titles() }).toEqual({
      posts: 1,
      titles: ["Lunch", "T"],
    });
  });

  test("on a connection that the service has closed: a new one is opened", async () => {
    const used = new Set<number>();
    const onceOnly: Step = ({ request, reset: end }) => {
      if (used.has(request.connection)) end();
      used.add(request.connection);
    };
    world.server.otherwise([onceOnly, reply(service)]);
    expect((await create()).exitCode).toBe(0);
    expect(await titles()).toEqual(["Lunch", "T"]);
  });
});

describe("a PUT to a series that was done unseen", () => {
  const inSeries = async () => {
    const times = ["--start", "2026-11-23T10:00", "--repeat", "weekly on mon", "--count", "3"];
    await world.json("events", "create", "--title", "Sync", ...times);
    const listed = ["events", "list", "--from", "2026-11-30", "--to", "2026-11-30"];
    const [event] = await world.json<readonly { readonly id: string }[]>(...listed);
    const id = event?.id ?? "";
    const events = `/calendars/${world.calendarId}/events/${id}`;
    return { id, put: `PUT ${events}` };
  };
  const update = (id: string, ...flags: readonly string[]) =>
    world.send("events", "update", id, "-c", world.calendarId, ...flags);

  test("is unknown where its events have other ids since", async () => {
    const { id, put } = await inSeries();
    world.server.on(put, [apply(service), reset]);
    expect(await update(id, "--scope", "following", "--title", "Review")).toMatchObject(
      failed(9, "it is unknown whether the series of event"),
    );
    expect(world.server.count(put)).toBe(1);
  });

  test("is repeated where they have the same", async () => {
    const { id, put } = await inSeries();
    world.server.on(put, [apply(service), reset], [reply(service)]);
    expect(await update(id, "--scope", "all", "--title", "Review")).toMatchObject({ exitCode: 0 });
    expect(world.server.count(put)).toBe(2);
  });
});
