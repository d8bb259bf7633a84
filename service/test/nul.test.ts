import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createOAuthStage,
  type Fields,
  type OAuthStage,
  PASSWORD,
  REDIRECT_URI,
} from "./oauth/support/stage.js";
import { activityBody, eventBody, feedBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";

// A driver that binds text only up to a NUL would find the row `id` for `id\0x`.

let stage: OAuthStage;
/** The ids that the letters in the rows of the table stand for. */
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  stage = await createOAuthStage();
  const { world } = stage;
  const event = await changeCalendar(world, "POST", "events", eventBody(SCHEDULE));
  const feed = await request(world, "POST /feeds", { body: feedBody([world.calendarId]) });
  ids = {
    M: world.member.id,
    C: world.calendarId,
    E: event.id,
    F: feed.json.data.id,
    S: feed.json.data.attributes.secret,
  };
});
afterAll(() => stage.close());

const fill = (text: string) => text.replace(/\{(\w)\}/g, (_, letter: string) => ids[letter] ?? "");

/** Everything that the requests could change. */
async function readState() {
  const routes = ["GET /calendars/{C}/events", "GET /calendars/{C}/events/{E}/activities", "GET /feeds"];
  return Promise.all(routes.map(async (route) => (await request(stage.world, fill(route))).json));
}

const [EVENT, COMMENT] = [eventBody(KEEP), activityBody("hello")];

describe("text with NUL is refused", () => {
  test.each([
    // Ids in the path.
    ["GET /calendars/{C}%00x", 400],
    ["GET /calendars/{C}%00x/upcoming_events", 400],
    ["GET /calendars/{C}%00x/labels", 400],
    ["GET /calendars/{C}%00x/members", 400],
    ["GET /calendars/{C}%00x/events", 400],
    ["GET /calendars/{C}%00x/changes", 400],
    ["GET /calendars/{C}%00x/events/{E}", 400],
    ["GET /calendars/{C}/events/{E}%00x", 400],
    ["GET /calendars/{C}/events/{E}%00x/activities", 400],
    ["POST /calendars/{C}%00x/events", 400, EVENT],
    ["POST /calendars/{C}%00x/events/{E}/activities", 400, COMMENT],
    ["POST /calendars/{C}/events/{E}%00x/activities", 400, COMMENT],
    ["PUT /calendars/{C}%00x/events/{E}", 400, EVENT],
    ["PUT /calendars/{C}/events/{E}%00x", 400, EVENT],
    ["DELETE /calendars/{C}%00x/events/{E}", 400],
    ["DELETE /calendars/{C}/events/{E}%00x", 400],
    ["DELETE /feeds/{F}%00x", 400],
    ["GET /feeds/{S}%00x", 404],
    ["GET /feeds/{S}%00x.ics", 404],
    // Parameters of the query.
    ["GET /calendars/{C}/events?search=Lun%00", 400],
    ["GET /calendars/{C}/events?cursor=%00", 400],
    ["GET /calendars/{C}/events?from=2026-11-21%00", 400],
    ["GET /calendars/{C}/events?category=keep%00", 400],
    ["GET /calendars/{C}/upcoming_events?timezone=UTC%00", 400],
    ["GET /calendars/{C}/upcoming_events?days=1%00", 400],
    ["GET /calendars/{C}/upcoming_events?include=creator%00", 400],
    ["GET /calendars/{C}/changes?since=1%00", 400],
    ["DELETE /calendars/{C}/events/{E}?scope=all%00", 400],
    // Fields of bodies.
    ["POST /calendars/{C}/events", 400, eventBody({ ...KEEP, title: "a\0b" })],
    ["POST /calendars/{C}/events", 400, eventBody({ ...KEEP, description: "a\0b" })],
    ["POST /calendars/{C}/events", 400, eventBody({ ...KEEP, location: "a\0b" })],
    ["POST /calendars/{C}/events", 400, eventBody({ ...KEEP, url: "https://a.example/\0" })],
    ["POST /calendars/{C}/events", 400, eventBody({ ...KEEP, category: "keep\0" })],
    ["POST /calendars/{C}/events", 400, eventBody({ ...SCHEDULE, start_timezone: "UTC\0" })],
    ["POST /calendars/{C}/events", 400, eventBody({ ...SCHEDULE, start_at: `${SCHEDULE.start_at}\0` })],
    ["POST /calendars/{C}/events", 400, eventBody({ ...SCHEDULE, recurrences: ["RRULE:FREQ=DAILY\0"] })],
    ["POST /calendars/{C}/events", 400, eventBody(KEEP, { label: "1\0" })],
    ["POST /calendars/{C}/events", 400, eventBody(KEEP, { attendees: ["{M}\0"] })],
    ["PUT /calendars/{C}/events/{E}", 400, eventBody({ ...KEEP, title: "a\0b" })],
    ["POST /calendars/{C}/events/{E}/activities", 400, activityBody("a\0b")],
    ["POST /feeds", 400, feedBody(["{C}\0"])],
    ["POST /feeds", 400, feedBody(["{C}"], { name: "a\0b" })],
    ["POST /feeds", 400, feedBody(["{C}"], { timezone: "UTC\0" })],
  ])("%s is %i %j", async (route, status, body?: object) => {
    const before = await readState();
    const sent = body && JSON.parse(fill(JSON.stringify(body)));
    const answer = await request(stage.world, fill(route), { body: sent });
    expect(answer).toMatchObject({ status });
    expect(await readState()).toEqual(before);
  });

  test.each(["key\0", "\0"])("a key %j is 400", async (key) => {
    const headers = { "idempotency-key": key };
    const route = fill("POST /calendars/{C}/events");
    expect((await request(stage.world, route, { body: EVENT, headers })).status).toBe(400);
  });

  test("an authorization request with it is 400", async () => {
    const open = (changes: Fields) => stage.browser().open(stage.authorize(changes));
    const client_id = `${stage.client.client_id}\0x`;
    expect(await open({ client_id })).toMatchObject({ status: 400, text: expect.stringContaining("NUL") });
    expect(await open({ redirect_uri: `${REDIRECT_URI}\0` })).toMatchObject({ status: 400 });
  });

  test.each(["client_id", "client_secret", "code", "redirect_uri"])(
    "a token request with a NUL in %s gets no token",
    async (name) => {
      const browser = stage.browser();
      await stage.signIn(browser);
      const right = { ...stage.client, redirect_uri: REDIRECT_URI, code: await stage.code(browser) };
      const wrong = { ...right, [name]: `${right[name as keyof typeof right]}\0x` };
      const { client_id, client_secret, redirect_uri, code } = wrong;
      const answer = await stage.exchange({ client_id, client_secret, redirect_uri, code });
      expect(answer.json).not.toHaveProperty("access_token");
      expect([400, 401]).toContain(answer.status);
    },
  );

  test("guesses of a password do not pass their limit with it", async () => {
    const browser = stage.browser("198.51.100.7");
    const page = await browser.open(stage.authorize());
    for (let count = 0; count < 5; count += 1)
      await browser.submit(page, "sign-in", { login: "member", password: "wrong" });
    const answer = await browser.submit(page, "sign-in", { login: "member\0x", password: PASSWORD });
    expect(answer).toMatchObject({ status: 403 });
    expect(answer.text).toContain("The login or the password is wrong.");
  });

  test("commands of the operator refuse it", async () => {
    const { admin } = stage.world.service;
    const { id } = await admin.tokens.create({ user: "second", readOnly: true });
    for (const work of [
      () => admin.users.rename("second\0", "Second"),
      () => admin.users.disable(`${stage.world.second.id}\0`),
      () => admin.calendars.remove(`${stage.world.calendarId}\0`),
      () => admin.calendars.set("Family\0", { name: "Other" }),
      () => admin.members.remove("second\0", "Family"),
      () => admin.members.list("Family\0"),
      () => admin.clients.remove(`${stage.client.id}\0`),
      () => admin.tokens.revoke(`${id}\0`),
      () => admin.tokens.revokeAll("second\0"),
    ])
      await expect(work()).rejects.toMatchObject({ code: "usage" });
  });
});
