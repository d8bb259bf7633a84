import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { createMetrics } from "../metrics.js";
import type { HandledRequest } from "../request-handler.js";
import { openService } from "../service.js";
import { lockInOtherProcess, querySql } from "./support/database.js";
import { eventBody, feedBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { createMany } from "./support/many-events.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** What everybody gets who has the address of a feed. */

let world: World;
beforeEach(async () => {
  world = await createWorld({ rateLimit: null });
});
afterEach(() => world.close());

async function addFeed(attributes: object = {}, calendars = [world.calendarId]) {
  const { json } = await request(world, "POST /feeds", { body: feedBody(calendars, attributes) });
  const { id, attributes: made } = json.data;
  return { id: String(id), path: `/feeds/${made.secret}`, secret: String(made.secret) };
}

interface Asking {
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(target: string, { address = "192.0.2.9", headers = {} }: Asking = {}) {
  return request(world, `GET ${target}`, { token: null, headers, source: { kind: "network", address } });
}

/** The lines of the events of a calendar file. */
function eventsOf(text: string): readonly string[][] {
  const lines = text.replaceAll("\r\n ", "").split("\r\n");
  return lines.flatMap((line, index) =>
    line === "BEGIN:VEVENT" ? [lines.slice(index + 1, lines.indexOf("END:VEVENT", index))] : [],
  );
}

const titlesOf = (text: string) =>
  eventsOf(text).map((lines) => lines.find((line) => line.startsWith("SUMMARY:"))?.slice(8));

const create = (attributes: object) => changeCalendar(world, "POST", "events", eventBody(attributes));

const MIB = 1024 * 1024;

/** An event some days from now. */
const inDays = (days: number, title = `in ${days} days`) => ({
  ...SCHEDULE,
  title,
  start_at: new Date(NOW + days * DAY_MS).toISOString(),
  end_at: new Date(NOW + days * DAY_MS + HOUR_MS).toISOString(),
});

describe("a calendar file", () => {
  test("has the events of the past 30 days and the coming year, for programs that ask again", async () => {
    for (const days of [-31, -30, 0, 365, 366]) await create(inDays(days));
    await create(KEEP);
    const { path } = await addFeed({ name: "Ana, all of it", timezone: "Europe/Berlin" });
    const { status, headers, text } = await ask(`${path}.ics`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/calendar; charset=utf-8",
      "content-disposition": 'attachment; filename="calendar.ics"',
      "cache-control": "private, no-cache",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
    });
    expect(text.split("\r\n").slice(0, 7)).toEqual([
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//calctl//calctl//EN",
      "NAME:Ana\\, all of it",
      "X-WR-CALNAME:Ana\\, all of it",
      "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
      "X-PUBLISHED-TTL:PT1H",
    ]);
    expect(titlesOf(text)).toEqual(["in -30 days", "in 0 days", "in 365 days"]);
  });

  test("names what an event refers to, as events list does", async () => {
    const attendees = [`${world.calendarId},${world.second.id}`];
    await changeCalendar(world, "POST", "events", eventBody(inDays(1), { label: "6", attendees }));
    const { path } = await addFeed();
    expect(eventsOf((await ask(`${path}.ics`)).text)[0]).toEqual(
      expect.arrayContaining(["CONTACT:member", "CONTACT:second", "CATEGORIES:apple red"]),
    );
  });

  test("has a series once, with every event that was changed on its own, even on other days", async () => {
    const { id: series } = await create({ ...inDays(1, "Run"), recurrences: ["RRULE:FREQ=DAILY;COUNT=9"] });
    const digits = (days: number) => inDays(days).start_at.replace(/\.\d+|[-:]/g, "");
    const at = (days: number) => `events/${series}_${digits(days)}`;
    await changeCalendar(world, "PUT", at(1), eventBody(inDays(1, "Walk")));
    await changeCalendar(world, "PUT", at(2), eventBody(inDays(400, "Far")));
    await changeCalendar(world, "DELETE", at(3));
    const has = (event: readonly string[], ...lines: readonly string[]) =>
      expect(event).toEqual(expect.arrayContaining([...lines]));
    const whole = await ask(`${(await addFeed()).path}.ics`);
    const [run = [], walk = [], far = [], ...rest] = eventsOf(whole.text);
    expect(rest).toEqual([]);
    has(walk, "SUMMARY:Walk", `RECURRENCE-ID:${digits(1)}`);
    has(far, "SUMMARY:Far", `RECURRENCE-ID:${digits(2)}`, `DTSTART:${digits(400)}`);
    has(run, "SUMMARY:Run", "RRULE:FREQ=DAILY;COUNT=9", `EXDATE:${digits(3)}`, `DTSTART:${digits(1)}`);
    expect(walk[0]).toMatch(/^UID:/);
    expect(run[0]).toBe(walk[0]);
  });

  test("has a series as modified when an event of it was changed or deleted", async () => {
    const { id } = await create({ ...inDays(1, "Run"), recurrences: ["RRULE:FREQ=DAILY;COUNT=9"] });
    const at = (days: number) => `events/${id}_${inDays(days).start_at.replace(/\.\d+|[-:]/g, "")}`;
    const { path } = await addFeed();
    const modified = async () => {
      const lines = eventsOf((await ask(`${path}.ics`)).text).find((event) => event.includes("SUMMARY:Run"));
      return lines?.filter((line) => /^(?:DTSTAMP|LAST-MODIFIED|SEQUENCE)/.test(line));
    };
    expect(await modified()).toEqual(["DTSTAMP:20261121T100000Z", "LAST-MODIFIED:20261121T100000Z"]);
    world.clock.now += HOUR_MS;
    await changeCalendar(world, "DELETE", at(3));
    expect(await modified()).toEqual([
      "DTSTAMP:20261121T110000Z",
      "LAST-MODIFIED:20261121T110000Z",
      "SEQUENCE:3600",
    ]);
    world.clock.now += HOUR_MS;
    await changeCalendar(world, "PUT", at(4), eventBody(inDays(4, "Walk")));
    expect(await modified()).toEqual([
      "DTSTAMP:20261121T120000Z",
      "LAST-MODIFIED:20261121T120000Z",
      "SEQUENCE:7200",
    ]);
  });

  test("of times alone has nothing else, and neither all-day events nor keeps", async () => {
    const secret = { description: "Secret", location: "Secret", url: "https://secret.example" };
    await create({ ...inDays(1, "Secret"), ...secret, start_timezone: "Asia/Tokyo" });
    await create({ ...inDays(2, "Secret"), category: "keep" });
    const day = { start_at: "2026-11-23T00:00:00.000Z", end_at: "2026-11-24T00:00:00.000Z" };
    await create({ ...SCHEDULE, title: "Secret", all_day: true, ...day });
    const { text } = await ask(`${(await addFeed({ busy_only: true })).path}.ics`);
    expect(eventsOf(text)).toEqual([
      [
        expect.stringMatching(/^UID:20261122T100000000Z-20261122T110000000Z\.[0-9a-f]{16}@calctl$/),
        "DTSTAMP:20261121T000000Z",
        "DTSTART:20261122T100000Z",
        "DTEND:20261122T110000Z",
        "SUMMARY:Busy",
      ],
    ]);
    expect(text).not.toMatch(/secret|tokyo|member|family/i);
  });

  test("of times alone reveals no series, no earlier time and no other write", async () => {
    const { path } = await addFeed({ busy_only: true });
    const { id: series } = await create({ ...inDays(1), recurrences: ["RRULE:FREQ=DAILY;COUNT=3"] });
    const slot = inDays(2).start_at.replace(/\.\d+|[-:]/g, "");
    await changeCalendar(world, "PUT", `events/${series}_${slot}`, eventBody(inDays(7)));
    const ofSeries = await ask(`${path}.ics`);
    const pages = [await ask(path), await ask(`${path}?week=2026-W48`)];
    world.clock.now += HOUR_MS;
    await changeCalendar(world, "DELETE", `events/${series}?scope=all`);
    for (const days of [7, 3, 1, 3]) await create(inDays(days));
    const ofSingleEvents = await ask(`${path}.ics`, {
      headers: { "if-none-match": ofSeries.headers["etag"] ?? "" },
    });
    expect(eventsOf(ofSeries.text)).toHaveLength(3);
    expect(ofSeries.text).not.toContain(series);
    expect(ofSingleEvents.status).toBe(304);
    expect((await ask(`${path}.ics`)).text).toBe(ofSeries.text);
    expect([await ask(path), await ask(`${path}?week=2026-W48`)].map(({ text }) => text)).toEqual(
      pages.map(({ text }) => text),
    );
  });

  test("is sent again only when it has changed, or the days have moved on", async () => {
    await create(inDays(1));
    const path = `${(await addFeed()).path}.ics`;
    const { headers } = await ask(path);
    const known = { headers: { "if-none-match": headers["etag"] ?? "" } };
    const again = await ask(path, known);
    expect(again).toMatchObject({ status: 304, text: "", headers: { etag: headers["etag"] } });
    await create(inDays(2));
    expect((await ask(path, known)).status).toBe(200);
    const { headers: next } = await ask(path);
    world.clock.now += DAY_MS;
    expect((await ask(path, { headers: { "if-none-match": next["etag"] ?? "" } })).status).toBe(200);
  });

  test("is compressed for who asks", async () => {
    await create(inDays(1));
    const path = `${(await addFeed()).path}.ics`;
    const plain = await ask(path);
    for (const coding of ["gzip", "br, gzip;q=0.5", "deflate, GZIP"]) {
      const { headers, body } = await ask(path, { headers: { "accept-encoding": coding } });
      expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding, origin" });
      expect(gunzipSync(body).toString()).toBe(plain.text);
    }
    for (const coding of ["", "br", "gzip;q=0", "x-gzipped"]) {
      const { headers } = await ask(path, { headers: { "accept-encoding": coding } });
      expect(headers["content-encoding"], coding).toBeUndefined();
    }
  });

  test("says so when not all events fit", async () => {
    await createMany(world, 5, inDays(1), { apart: DAY_MS, bytes: 3 * MIB });
    const { text } = await ask(`${(await addFeed()).path}.ics`);
    expect(titlesOf(text)).toHaveLength(3);
    expect(text).toContain("DESCRIPTION:Not all events fit: some from 2026-11-25 on are missing.");
  });

  test("has 8 MiB of events at most: those to come, then the latest past ones, and says so", async () => {
    await create({ ...inDays(-20, "Series"), recurrences: ["RRULE:FREQ=DAILY;COUNT=60"] });
    await createMany(world, 3, inDays(10), { bytes: 2.5 * MIB });
    await createMany(world, 3, inDays(-5), { apart: DAY_MS, bytes: 2.5 * MIB });
    const { text } = await ask(`${(await addFeed()).path}.ics`);
    expect(titlesOf(text).sort()).toEqual(["Series", "in -5 days", "in 10 days", "in 10 days", "in 10 days"]);
    const says = "Not all events fit: some up to 2026-11-17 are missing.";
    for (const name of ["DESCRIPTION", "X-WR-CALDESC"]) expect(text).toContain(`\r\n${name}:${says}\r\n`);
  });

  test("is rendered once for requests at the same time, and yields to others meanwhile", async () => {
    for (let day = 1; day <= 20; day += 1)
      await create({ ...inDays(day), recurrences: ["RRULE:FREQ=WEEKLY;COUNT=2"] });
    await createMany(world, 320, inDays(0), { apart: DAY_MS });
    const { path } = await addFeed();
    await ask("/healthz");
    let isDone = false;
    let turns = 0;
    const countTurns = () => {
      turns += 1;
      if (!isDone) setImmediate(countTurns);
    };
    countTurns();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(`${path}.ics`)));
    isDone = true;
    expect(titlesOf(answers[0]?.text ?? "")).toHaveLength(340);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(turns).toBeGreaterThan(340 / 16);
  });
});

describe("a page", () => {
  test("has the week of the feed's zone, and nothing but a style of its own", async () => {
    await create({ ...inDays(1), start_at: "2026-11-22T23:30:00.000Z", end_at: "2026-11-23T00:30:00.000Z" });
    const { path } = await addFeed({ name: "Ana", timezone: "America/New_York" });
    const { status, headers, text } = await ask(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'$/,
      ),
      "cache-control": "private, no-cache",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
    });
    expect(text).toContain("16 November – 22 November 2026, week 47");
    expect(text.replace(/<\/?span[^>]*>/g, "")).toContain("18:30–19:30");
    expect(text).toContain("Times in America/New_York");
    expect(text).not.toMatch(/<script|style=|https?:/);
    const known = { headers: { "if-none-match": headers["etag"] ?? "" } };
    expect((await ask(path, known)).status).toBe(304);
    expect((await ask(`${path}?week=2026-W48`, known)).status).toBe(200);
  });

  test("has 200 events at most, and says so", async () => {
    await createMany(world, 201, inDays(0));
    const { text } = await ask((await addFeed()).path);
    expect(text.match(/<b>/g)).toHaveLength(200);
    expect(text).toContain("<p>Not all events fit: some from 2026-11-21 on are missing.</p>");
  });

  test("has what begins at the same time by title, as lists show it", async () => {
    for (const title of ["E", "C", "A", "D", "B"]) await create(inDays(0, title));
    const { text } = await ask((await addFeed()).path);
    expect([...text.matchAll(/<b>(.)<\/b>/g)].map(([, title]) => title)).toEqual(["A", "B", "C", "D", "E"]);
  });

  test("keeps half hours if an event is at night, so that an event right after another does not overlap it", async () => {
    const at = (title: string, start: string, end: string) =>
      create({ ...SCHEDULE, title, start_at: `2026-11-${start}:00.000Z`, end_at: `2026-11-${end}:00.000Z` });
    await at("Night", "17T22:00", "18T06:00");
    await at("One", "19T09:00", "19T09:30");
    await at("Two", "19T09:30", "19T10:00");
    const { text } = await ask((await addFeed()).path);
    const lanesOf = (title: string) =>
      new RegExp(`class="r\\S+ (\\S+) [^>]*>(?:(?!<li)[^])*<b>${title}`).exec(text)?.[1];
    expect(["One", "Two"].map(lanesOf)).toEqual(["l0-1", "l0-1"]);
  });

  test("shows texts of others as texts", async () => {
    const hostile = `<img src=x onerror=alert(1)>"'&\u202e\u001b`;
    await create({ ...inDays(1, hostile), location: hostile });
    const { text } = await ask((await addFeed({ name: "</title><script>" })).path);
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;");
    for (const mark of ["<img", "<script", "\u202e", "\u001b"]) expect(text).not.toContain(mark);
  });

  test("of times alone has nothing else", async () => {
    await create({ ...inDays(1, "Secret"), location: "Secret" });
    const { text } = await ask((await addFeed({ busy_only: true })).path);
    expect(text).toContain("<b>Busy</b>");
    expect(text).not.toMatch(/secret|family/i);
  });

  test("of no week, or at a wrong address, says so without the address", async () => {
    const { path, secret } = await addFeed();
    for (const [end, status, title] of [
      ["?week=9999-W99", 400, "There is no such week"],
      ["?week=", 400, "There is no such week"],
      ["?week=2026-11-21", 400, "There is no such week"],
      ["?week=2026-W48&week=2026-W49", 400, "There is no such week"],
      ["x", 404, "There is no calendar here"],
    ] as const) {
      const answer = await ask(`${path}${end}`);
      expect(answer, end).toMatchObject({ status, headers: { "content-type": "text/html; charset=utf-8" } });
      expect(answer.text).toContain(`<h1>${title}</h1>`);
      expect(answer.text).not.toContain(secret);
    }
  });
});

describe("a feed shows what its maker may see:", () => {
  test("calendars that are removed, and those that the maker has left, are no longer in it", async () => {
    const { calendars, members } = world.service.admin;
    const work = await calendars.add({ name: "Work", owner: world.member.id });
    await members.add(world.second.id, work.id);
    await create(inDays(1));
    const { path } = await addFeed({}, [world.calendarId, work.id]);
    expect((await ask(`${path}.ics`)).status).toBe(200);
    await members.remove(world.member.id, world.calendarId);
    expect(titlesOf((await ask(`${path}.ics`)).text)).toEqual([]);
    await calendars.remove(work.id);
    expect((await ask(`${path}.ics`)).status).toBe(410);
    await members.add(world.member.id, world.calendarId);
    expect(titlesOf((await ask(`${path}.ics`)).text)).toEqual(["in 1 days"]);
  });

  test("nothing while the maker is disabled", async () => {
    const { path } = await addFeed();
    await world.service.admin.users.disable(world.member.id);
    expect((await ask(`${path}.ics`)).status).toBe(410);
    await world.service.admin.users.enable(world.member.id);
    expect((await ask(`${path}.ics`)).status).toBe(200);
  });

  test("the database has no secret, and the day of the last use", async () => {
    const { path, secret } = await addFeed();
    const stored = () => querySql(world.database, "select * from feeds");
    expect(JSON.stringify(stored())).not.toContain(secret);
    expect(stored()).toMatchObject([{ last_used_at: null }]);
    await ask(`${path}.ics`);
    expect(stored()).toMatchObject([{ last_used_at: Date.parse("2026-11-21T00:00:00.000Z") }]);
    world.clock.now += DAY_MS;
    const unlock = await lockInOtherProcess(world.database);
    expect((await ask(`${path}.ics`)).status).toBe(200);
    await unlock();
    expect(stored()).toMatchObject([{ last_used_at: Date.parse("2026-11-21T00:00:00.000Z") }]);
  });
});

describe("an address", () => {
  test("of the last 100 feeds that a user removed is remembered", async () => {
    const removeFeed = async () => {
      const { id, path } = await addFeed();
      await request(world, `DELETE /feeds/${id}`);
      world.clock.now += 1;
      return path;
    };
    const paths = [await removeFeed(), await removeFeed(), await removeFeed()];
    await world.tables.change(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 98)
      insert into feeds select n, user_id, name, calendars, busy_only, timezone, n, created_at, null, removed_at + n
      from feeds, numbers where removed_at = (select max(removed_at) from feeds)`,
    );
    world.clock.now += 98;
    paths.push(await removeFeed());
    const statuses = paths.map(async (path) => (await ask(`${path}.ics`)).status);
    expect(await Promise.all(statuses)).toEqual([404, 404, 410, 410]);
  });

  test("of a removed feed is 410, one that never was 404, and neither is repeated", async () => {
    const { id, secret } = await addFeed();
    await request(world, `DELETE /feeds/${id}`);
    const guess = "g".repeat(43);
    for (const [path, status] of [
      [`/feeds/${secret}.ics`, 410],
      [`/feeds/${guess}.ics`, 404],
      [`/feeds/${guess}%zz.ics`, 404],
      [`/feeds/${id}.ics`, 404],
      ["/feeds/.ics", 404],
    ] as const) {
      const answer = await ask(path);
      expect(answer.status, path).toBe(status);
      expect(answer.text).not.toMatch(new RegExp(`${secret}|${guess}`));
    }
  });

  test("can be guessed as often as one may fail to sign in, wherever it leads", async () => {
    const { id, path } = await addFeed();
    for (let count = 0; count < 20; count += 1) expect((await ask(`/feeds/${id}${count}`)).status).toBe(404);
    for (const target of [`${path}.ics`, "/feeds/other"]) {
      const { status, headers } = await ask(target);
      expect(status).toBe(429);
      expect(headers["retry-after"]).toBe("900");
    }
    expect((await ask(`${path}.ics`, { address: "192.0.2.10" })).status).toBe(200);
    world.clock.now += 15 * 60_000;
    expect((await ask(`${path}.ics`)).status).toBe(200);
  });

  test("of a removed feed can be polled from an address that reads other feeds", async () => {
    const { path } = await addFeed();
    const { path: removed, id } = await addFeed();
    await request(world, `DELETE /feeds/${id}`);
    for (let count = 0; count < 30; count += 1) expect((await ask(`${removed}.ics`)).status).toBe(410);
    expect((await ask(`${path}.ics`)).status).toBe(200);
  });

  test("of a calendar file can only be read", async () => {
    const { path } = await addFeed();
    for (const method of ["DELETE", "POST", "OPTIONS"]) {
      const answer = await request(world, `${method} ${path}.ics`, { token: null });
      expect(answer, method).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
    }
  });

  test("is in no log and no metric", async () => {
    const { secret } = await addFeed();
    const handled: HandledRequest[] = [];
    const metrics = createMetrics();
    const service = await openService({
      database: world.database,
      now: () => NOW,
      rateLimit: null,
      onHandled: (each) => handled.push(each),
      observer: metrics.observer,
    });
    const encoded = `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`;
    for (const route of [
      `GET /feeds/${secret}.ics`,
      `GET /feeds/${encoded}.ics`,
      `DELETE /feeds/${secret}`,
      `POST /feeds/${secret}`,
      `GET /calendar/feeds/${secret}.ics`,
      `GET /feeds//${secret}/`,
      `GET https://calendar.example/feeds/${secret}`,
    ])
      await request({ service }, route, { token: null });
    await service.close();
    expect(handled).toHaveLength(7);
    expect(handled[0]?.path).toBe("/feeds/***.ics");
    const seen = `${JSON.stringify(handled)}${await metrics.text()}`;
    expect(seen).not.toContain(secret.slice(1));
    expect(seen).toContain('route="/feeds/{feed_id}"');
  });
});
