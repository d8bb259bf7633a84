import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../contract/date-time.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

interface Sent {
  readonly key?: string;
  readonly body?: object;
  readonly token?: string;
  /** Below the calendar. */
  readonly path?: string;
}

/** Keys that make it safe to repeat a create, which the contract does not have. @see docs/extensions.md */
export function describeKeys(stage: () => Stage, isWhole: boolean): void {
  const post = ({ key = "a", body = eventBody(SCHEDULE), path = "events", ...options }: Sent = {}) => {
    const { client, calendar } = stage();
    return client.request("POST", `${calendar}/${path}`, {
      ...options,
      body,
      headers: { "idempotency-key": key },
    });
  };
  const listed = async () => {
    const { client, path } = stage();
    const { data } = await client.call("listEvents", { path, query: { category: "keep" } });
    return [...data, ...(await client.call("listEvents", { path })).data];
  };
  const revision = async () => {
    const { client, path } = stage();
    return (await client.call("listChanges", { path })).meta.revision;
  };

  describe("a create with a key", () => {
    test("makes one event, however often it is repeated, and a repeat changes nothing", async () => {
      const first = await post();
      const before = await revision();
      expect(first.status).toBe(201);
      expect(first.headers).not.toHaveProperty("idempotent-replayed");
      const again = await post();
      expect(again).toMatchObject({ status: 201, json: first.json });
      expect(again.headers["idempotent-replayed"]).toBe("true");
      expect(await revision()).toBe(before);
      expect(await listed()).toHaveLength(1);
      await post({ key: "b" });
      expect(await listed()).toHaveLength(2);
    });

    test("is kept for 30 days", async () => {
      const { world } = stage();
      await post();
      world.clock.now += 30 * DAY_MS - 1;
      await post();
      expect(await listed()).toHaveLength(1);
      world.clock.now += 1;
      expect((await post({ body: eventBody(KEEP) })).status).toBe(201);
      expect(await listed()).toHaveLength(2);
    });

    test("goes with its calendar", async () => {
      const { world } = stage();
      const other = await world.service.admin.calendars.add({ name: "Other", owner: world.member.id });
      await stage().client.request("POST", `/calendars/${other.id}/events`, {
        body: eventBody(KEEP),
        headers: { "idempotency-key": "a" },
      });
      expect(await world.service.admin.calendars.remove(other.id)).toMatchObject({ events: 1 });
    });

    test("is 400 with a key that is empty, too long, or not printable ASCII", async () => {
      for (const key of ["", "x".repeat(256), "a\tb", "Schlüssel"]) {
        expect(await post({ key }), key).toMatchObject({
          status: 400,
          errors: "the header Idempotency-Key must have 1 to 255 printable ASCII characters",
        });
      }
    });

    test("may have a key of 255 characters, and any that ASCII can print", async () => {
      expect((await post({ key: "~".repeat(255) })).status).toBe(201);
      expect((await post({ key: 'a, "b" c' })).status).toBe(201);
    });

    if (!isWhole) return;

    test("gives the event as it is now", async () => {
      const { client, path } = stage();
      const { json } = await post();
      const event_id = (json as { data: { id: string } }).data.id;
      const body = eventBody({ ...SCHEDULE, title: "Late lunch" });
      const updated = await client.call("updateEvent", { path: { ...path, event_id }, body });
      expect(await post()).toMatchObject({ status: 201, json: { data: updated.data } });
    });

    test("is the same in another order, with null for what is missing, and with members nobody knows", async () => {
      const first = await post();
      const { attributes, relationships } = (eventBody(SCHEDULE) as { data: Record<string, object> }).data;
      const reversed = Object.fromEntries(Object.entries(attributes ?? {}).reverse());
      const body = { x: 1, data: { relationships, attributes: { url: null, ...reversed, mood: "good" } } };
      expect(await post({ body })).toMatchObject({ status: 201, json: first.json });
    });

    test("is repeated where an attendee has left the calendar", async () => {
      const { world } = stage();
      const body = eventBody(SCHEDULE, { attendees: [world.second.id] });
      const first = await post({ body });
      await world.service.admin.members.remove("second", "Family");
      expect(await post({ body })).toMatchObject({ status: 201, json: first.json });
    });

    test("is 422 with other content, and makes nothing", async () => {
      await post();
      expect(await post({ body: eventBody(KEEP) })).toMatchObject({
        status: 422,
        json: { title: "Unprocessable Content" },
        errors: "this Idempotency-Key was used for other content",
      });
      expect(await listed()).toHaveLength(1);
    });

    test("is 410 after its event was deleted", async () => {
      const { client, path } = stage();
      const { json } = await post();
      const event_id = (json as { data: { id: string } }).data.id;
      await client.call("deleteEvent", { path: { ...path, event_id } });
      expect(await post()).toMatchObject({
        status: 410,
        errors: "what was made with this Idempotency-Key was deleted since",
      });
      expect(await listed()).toEqual([]);
    });

    test("counts for its user and calendar alone", async () => {
      const { world, client } = stage();
      const { tokens, calendars } = world.service.admin;
      await post();
      const { token } = await tokens.create({ user: "second", readOnly: false });
      expect((await post({ token, body: eventBody(KEEP) })).status).toBe(201);
      const other = await calendars.add({ name: "Other", owner: world.member.id });
      const options = { body: eventBody(KEEP), headers: { "idempotency-key": "a" } };
      expect((await client.request("POST", `/calendars/${other.id}/events`, options)).status).toBe(201);
    });

    test("does not take a key when it fails", async () => {
      expect((await post({ body: eventBody({ ...SCHEDULE, title: "" }) })).status).toBe(400);
      expect((await post({ body: eventBody(SCHEDULE, { label: "11" }) })).status).toBe(400);
      expect((await post()).status).toBe(201);
    });

    test("is refused like any other before its key is read", async () => {
      const { world, client } = stage();
      await post();
      expect((await post({ token: world.readOnlyToken })).status).toBe(403);
      const headers = { "idempotency-key": "" };
      for (const [calendar, status] of [
        [world.foreignCalendarId, 403],
        ["none", 404],
      ]) {
        const target = `/calendars/${calendar}/events`;
        expect((await client.request("POST", target, { body: eventBody(KEEP), headers })).status).toBe(
          status,
        );
      }
    });
  });

  describe("a comment with a key", () => {
    const comment = (id: string, content: string) =>
      post({ path: `events/${id}/activities`, body: activityBody(content) });

    test("is made once, and is other content on another event", async () => {
      const { create, client, path } = stage();
      const { id } = await create();
      const first = await comment(id, "I do");
      expect(first.status).toBe(201);
      expect(await comment(id, "I do")).toMatchObject({ status: 201, json: first.json });
      expect((await comment(id, "I don't")).status).toBe(422);
      expect((await comment((await create()).id, "I do")).status).toBe(422);
      expect((await post()).status).toBe(422);
      const { data } = await client.call("listActivities", { path: { ...path, event_id: id } });
      expect(data).toHaveLength(1);
    });

    if (!isWhole) return;

    test("is 410 after its event was deleted, and 404 where there was none", async () => {
      const { create, client, path } = stage();
      const { id } = await create();
      await comment(id, "I do");
      await client.call("deleteEvent", { path: { ...path, event_id: id } });
      expect((await comment(id, "I do")).status).toBe(410);
      const other = { path: "events/none/activities", body: activityBody("I do"), key: "b" };
      expect((await post(other)).status).toBe(404);
    });
  });
}
