import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { words } from "../../test/support/words.js";
import type { ServiceAdmin } from "../admin/admin.js";
import { createClientAdmin } from "../admin/credentials.js";
import { verifyPassword } from "../secrets.js";
import { openStore } from "../store/open.js";
import type { Transaction } from "../store/store.js";
import { eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

let world: World;
let admin: ServiceAdmin;
beforeEach(async () => {
  world = await createWorld();
  admin = world.service.admin;
});
afterEach(() => world.close());

const usage = (message: string) => ({
  code: "usage",
  exitCode: 2,
  message: expect.stringContaining(message),
});
const notFound = (message: string) => ({
  code: "not_found",
  exitCode: 5,
  message: expect.stringContaining(message),
});

test("every list is in the order of creation, even within one millisecond", async () => {
  const names = ["h", "c", "f", "a", "g", "b", "e", "d"];
  const redirectUris = ["http://127.0.0.1/"];
  const expected: Record<"users" | "calendars" | "clients" | "tokens", string[]> = {
    users: (await admin.users.list()).map(({ id }) => id),
    calendars: (await admin.calendars.list()).map(({ id }) => id),
    clients: [],
    tokens: (await admin.tokens.list()).map(({ id }) => id),
  };
  for (const name of names) {
    expected.users.push((await admin.users.add({ name })).id);
    expected.calendars.push((await admin.calendars.add({ name, owner: "member" })).id);
    expected.clients.push((await admin.clients.add({ name, redirectUris })).id);
    expected.tokens.push((await admin.tokens.create({ user: name, readOnly: true })).id);
    await admin.members.add(name, "Family");
  }
  for (const kind of ["users", "calendars", "clients", "tokens"] as const) {
    expect(
      (await admin[kind].list()).map(({ id }) => id),
      kind,
    ).toEqual(expected[kind]);
  }
  const members = (await admin.members.list("Family")).map(({ name }) => name);
  expect(members).toEqual(["member", "second", ...names]);
});

test("a clock that was ahead does not affect later times", async () => {
  world.clock.now += 1_000_000;
  await admin.tokens.create({ user: "member", readOnly: true });
  world.clock.now -= 500_000;
  const { created_at } = await admin.tokens.create({ user: "member", readOnly: true });
  expect(Date.parse(created_at)).toBe(world.clock.now);
});

describe("users", () => {
  test("are added with the name as login by default, and listed in the order of creation", async () => {
    world.clock.now += 1_000;
    const added = await admin.users.add({ name: "Fourth Person" });
    expect(added).toEqual({
      id: expect.stringMatching(/^\d{18}$/),
      name: "Fourth Person",
      login: "Fourth Person",
    });
    expect((await admin.users.list()).at(-1)).toEqual(added);
    expect((await admin.users.add({ name: "Fourth Person", login: "fifth" })).login).toBe("fifth");
  });

  test.each([
    [{ name: "" }, "the name is empty"],
    [{ name: " " }, "the name is empty"],
    [{ name: "." }, 'the name must not be "."'],
    [{ name: "a\0b" }, "the name must not contain NUL"],
    [{ name: "a\nb" }, "the name must not contain control characters"],
    [{ name: "a\u009bb" }, "the name must not contain control characters"],
    [{ name: "😀".repeat(51) }, "the name must have at most 50 characters, not 51"],
    [{ name: "x", login: "" }, "the login is empty"],
    [{ name: "x", login: "x".repeat(255) }, "the login must have at most 254 characters, not 255"],
    [{ name: "member" }, 'the login "member" is taken'],
    [{ name: "x", login: "MEMBER" }, 'the login "MEMBER" is taken'],
    [{ name: "x", password: "" }, "the password is empty"],
    [{ name: "x", password: "horse12" }, "the password must have at least 8 characters"],
    [{ name: "x", password: "😀".repeat(7) }, "the password must have at least 8 characters"],
    [{ name: "x", password: "\0horse battery" }, "the password must not contain NUL"],
  ])("%j is rejected", async (options, message) => {
    await expect(admin.users.add(options)).rejects.toMatchObject(usage(message));
    expect(await admin.users.list()).toHaveLength(3);
  });

  test("lengths are checked before anything that takes long for a long text", async () => {
    const marks = "\u0315\u0316".repeat(150_000);
    const added = admin.users.add({ name: "x", password: marks });
    await expect(added).rejects.toMatchObject(usage("the password must have at most 1024 characters"));
    await expect(admin.users.add({ name: "x", login: marks })).rejects.toMatchObject({ code: "usage" });
  });

  test("a name may have 50 characters, a login the length of an email address", async () => {
    const user = { name: "😀".repeat(50), login: `${"x".repeat(242)}@example.org` };
    expect(await admin.users.add(user)).toMatchObject(user);
  });

  test("a password can be set, by name or id", async () => {
    const storedPassword = async () => {
      const [row] = await world.tables.query(
        `select password_hash from users where id = '${world.member.id}'`,
      );
      return String(row?.["password_hash"]);
    };
    const [first, second] = ["12345678", "😀".repeat(8)];
    expect(await admin.users.setPassword("MEMBER", first)).toEqual(world.member);
    expect(await verifyPassword(first, await storedPassword())).toBe(true);
    await admin.users.setPassword(world.member.id, second);
    expect(await verifyPassword(second, await storedPassword())).toBe(true);
    for (const [password, message] of [
      ["", "the password is empty"],
      ["1234567", "the password must have at least 8 characters"],
      ["a".repeat(1_025), "the password must have at most 1024 characters"],
      ["1234567\0", "the password must not contain NUL"],
    ] as const) {
      await expect(admin.users.setPassword("member", password)).rejects.toMatchObject(usage(message));
    }
    expect(await verifyPassword(second, await storedPassword())).toBe(true);
  });

  test("an unknown or ambiguous name is an error", async () => {
    await expect(admin.users.disable("nobody")).rejects.toMatchObject(notFound('no user "nobody"'));
    await expect(admin.users.disable("memb")).rejects.toMatchObject(notFound('no user "memb"'));
    const namesake = await admin.users.add({ name: "Member", login: "namesake" });
    await expect(admin.users.disable("MEMBER")).rejects.toMatchObject(usage("matches 2 users"));
    expect((await admin.users.disable("member")).id).toBe(world.member.id);
    expect((await admin.users.disable(namesake.id)).id).toBe(namesake.id);
  });
});

describe("calendars", () => {
  test("are added with ten labels and their owner, last in the owner's list", async () => {
    world.clock.now += 1_000;
    const calendar = await admin.calendars.add({ name: "Work", owner: "member", color: "#47B2F7" });
    expect(calendar).toMatchObject({
      id: expect.stringMatching(/^[\w-]{12}$/),
      name: "Work",
      description: "",
      color: "#47B2F7",
      order: null,
      image_url: "",
      created_at: "2026-11-21T10:00:01.000Z",
      members: [{ id: `${calendar.id},${world.member.id}`, type: "user", name: "member" }],
    });
    expect(calendar.labels).toHaveLength(10);
    expect(calendar.labels[0]).toEqual({ id: `${calendar.id},1`, number: 1, name: "", color: "#2ecc87" });
    expect((await admin.calendars.list()).at(-1)).toEqual(calendar);
  });

  test("take the next color of the palette", async () => {
    const add = async (options = {}) =>
      (await admin.calendars.add({ name: "X", owner: "member", ...options })).color;
    expect([await add(), await add({ color: "#112233" }), await add()]).toEqual(
      words`#47b2f7 #112233 #948078`,
    );
    for (let count = 4; count < 10; count += 1) await add();
    expect(await add()).toBe("#2ecc87");
  });

  test("the list has each calendar's own labels and members", async () => {
    const family = (await admin.calendars.list()).find(({ name }) => name === "Family");
    expect(family?.labels.every(({ id }) => id.startsWith(`${world.calendarId},`))).toBe(true);
    expect(family?.members.map(({ name }) => name)).toEqual(["member", "second"]);
  });

  test.each([
    [{ name: "", owner: "member" }, usage("the name is empty")],
    [{ name: ".", owner: "member" }, usage('the name must not be "."')],
    [{ name: "Work", owner: "nobody" }, notFound('--owner: there is no user "nobody"')],
    [{ name: "Work", owner: "member", color: "red" }, usage('"red" is not a color')],
  ])("%j is rejected", async (options, error) => {
    await expect(admin.calendars.add(options)).rejects.toMatchObject(error);
    expect(await admin.calendars.list()).toHaveLength(2);
  });
});

test("a series is one of the events of a calendar, however many occurrences are rows", async () => {
  const weekly = { ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY"] };
  await changeCalendar(world, "POST", "events", eventBody(weekly));
  await changeCalendar(world, "POST", "events", eventBody(KEEP));
  expect((await admin.calendars.inspect(world.calendarId)).events).toBe(2);
});

test("a removed calendar takes its events, comments, labels and members with it", async () => {
  const { id } = await admin.calendars.add({ name: "Work", owner: "member" });
  const { id: last } = await admin.calendars.add({ name: "Last", owner: "member" });
  await admin.members.add("second", id);
  await world.tables.change(
    `insert into events values ('e', '${id}', 'keep', 'x', 0, null, null, null, null, '', '', '', 1,
      '${world.member.id}', 0, 0, 1, '', null, null, '');
    insert into attendees values ('e', '${world.member.id}', 0);
    insert into activities values ('a', 'e', '${world.member.id}', 'x', 0, 0)`,
  );
  expect(await admin.calendars.inspect("work")).toMatchObject({ calendar: { id, name: "Work" }, events: 1 });
  expect((await admin.calendars.remove("Work")).events).toBe(1);
  for (const [table, column] of [
    ["events", "calendar_id"],
    ["labels", "calendar_id"],
    ["members", "calendar_id"],
    ["calendars", "id"],
  ]) {
    const left = await world.tables.query(`select 1 from ${table} where ${column} = '${id}'`);
    expect({ table, left }).toEqual({ table, left: [] });
  }
  expect(await world.tables.query("select id from activities where event_id = 'e'")).toEqual([]);
  const ownOrder = `select position from members where user_id = '${world.member.id}' order by position`;
  const positions = (await world.tables.query(ownOrder)).map(({ position }) => position);
  expect(positions).toEqual(positions.map((_, index) => index));
  expect((await admin.calendars.list()).at(-1)?.id).toBe(last);
});

describe("members", () => {
  test("join and leave, by names, ids and prefixes of a calendar's name", async () => {
    const joined = await admin.members.add("outsider", "fam");
    expect(joined).toMatchObject({ id: `${world.calendarId},${world.outsider.id}`, name: "outsider" });
    const names = async () => (await admin.members.list("Family")).map(({ name }) => name);
    expect(await names()).toEqual(["member", "second", "outsider"]);
    expect(await admin.members.remove(world.second.id, world.calendarId)).toMatchObject({ name: "second" });
    expect(await names()).toEqual(["member", "outsider"]);
  });

  test("joining twice changes nothing", async () => {
    await admin.members.add("second", "Family");
    await admin.members.add("second", "Family");
    expect(await admin.members.list("Family")).toHaveLength(2);
  });

  test("an unknown user or calendar is an error", async () => {
    await expect(admin.members.add("nobody", "Family")).rejects.toMatchObject(notFound('no user "nobody"'));
    await expect(admin.members.add("member", "Club")).rejects.toMatchObject(notFound('no calendar "Club"'));
    await expect(admin.members.add("member", "F")).rejects.toMatchObject(usage("matches 2 calendars"));
    await expect(admin.members.remove("outsider", "Family")).rejects.toMatchObject(
      notFound('no member "outsider"'),
    );
    await expect(admin.members.list("")).rejects.toMatchObject(usage("the calendar is empty"));
    await expect(admin.members.add("", "Family")).rejects.toMatchObject(usage("the user is empty"));
    await expect(admin.members.remove("", "Family")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("labels", () => {
  test("get a name, a color or both", async () => {
    const id = `${world.calendarId},2`;
    expect(await admin.labels.set("Family", 2, { name: "School" })).toEqual({
      id,
      number: 2,
      name: "School",
      color: "#3dc2c8",
    });
    expect(await admin.labels.set("Family", 2, { color: "#000000" })).toMatchObject({
      name: "School",
      color: "#000000",
    });
    expect(await admin.labels.set("Family", 2, { name: "", color: "#ffffff" })).toEqual({
      id,
      number: 2,
      name: "",
      color: "#ffffff",
    });
  });

  test.each([
    ["Family", 0, { name: "x" }, usage('"0" is not a label number')],
    ["Family", 11, { name: "x" }, usage('"11" is not a label number')],
    ["Family", 1.5, { name: "x" }, usage('"1.5" is not a label number')],
    ["Family", 1, {}, usage("nothing to change")],
    ["Family", 1, { name: "x".repeat(51) }, usage("the name must have at most 50 characters")],
    ["Family", 1, { name: "\x1b[31m" }, usage("the name must not contain control characters")],
    ["Family", 1, { color: "blue" }, usage('"blue" is not a color')],
    ["Club", 1, { name: "x" }, notFound('no calendar "Club"')],
  ])("%s %d %j is rejected", async (calendar, number, changes, error) => {
    await expect(admin.labels.set(calendar, number, changes)).rejects.toMatchObject(error);
  });
});

describe("clients", () => {
  test("are added with a secret that is shown once, listed and removed", async () => {
    const redirectUris = words`https://board.example.org/callback?from=calctl http://127.0.0.1/callback
      http://[::1]:8080/ http://localhost/callback org.example.app:/callback`;
    const { client_secret, ...client } = await admin.clients.add({ name: "Board", redirectUris });
    expect(client_secret).toMatch(/^[\w-]{43}$/);
    expect(client).toMatchObject({ name: "Board", redirect_uris: redirectUris });
    expect(await admin.clients.list()).toEqual([client]);
    expect(await admin.clients.remove(client.id)).toEqual(client);
    expect(await admin.clients.list()).toEqual([]);
    await expect(admin.clients.remove(client.id)).rejects.toMatchObject(notFound(`no client "${client.id}"`));
  });

  test("are listed with their own URIs in order, in as many queries for several as for one", async () => {
    const store = await openStore(world.database, {});
    onTestFinished(() => store.close());
    let queries = 0;
    const counting = (db: Transaction): Transaction => {
      const all: Transaction["all"] = (text, ...values) => {
        queries += 1;
        return db.all(text, ...values);
      };
      return { ...db, all } as Transaction;
    };
    const clients = createClientAdmin({
      store: { ...store, read: (work) => store.read((db) => work(counting(db))) },
      now: () => world.clock.now,
    });
    const expected: (readonly string[])[] = [];
    const counts: number[] = [];
    for (const name of ["c", "a", "b"]) {
      // Not in the order of the alphabet.
      const redirectUris = ["z", name, "m"].map((path) => `http://127.0.0.1/${path}`);
      await admin.clients.add({ name, redirectUris });
      expected.push(redirectUris);
      queries = 0;
      expect((await clients.list()).map(({ redirect_uris }) => redirect_uris)).toEqual(expected);
      counts.push(queries);
    }
    expect(counts).toEqual([2, 2, 2]);
  });

  test.each([
    ["", "https://x.example.org/", "the name is empty"],
    [".", "https://x.example.org/", 'the name must not be "."'],
    ["Board", "/callback", "is not absolute"],
    ["Board", "board.example.org/callback", "is not absolute"],
    ["Board", "https://board.example.org/#", "has a fragment"],
    ["Board", "http://board.example.org/", "is not https"],
    ["Board", "http://127.0.0.1.example.org/", "is not https"],
    ["Board", "http://127.0.0.1:0/", "has a port that begins with 0"],
    ["Board", "http://[::1]:08080/", "has a port that begins with 0"],
    ["Board", "javascript:alert(1)", "has a scheme that no app can register"],
    ["Board", "data:text/html,x", "has a scheme that no app can register"],
    ["Board", "http://127.0.0.1/call\nback", "has characters that must be percent-encoded"],
    ["Board", `https://board.example.org/${"x".repeat(1_975)}`, "at most 2000 characters, not 2001"],
    ["Board", " https://board.example.org/", "has characters that must be percent-encoded"],
    ["Board", "https://board.example.org/zurück", "has characters that must be percent-encoded"],
  ])("%j with %s is rejected", async (name, uri, message) => {
    await expect(admin.clients.add({ name, redirectUris: [uri] })).rejects.toMatchObject(usage(message));
    expect(await admin.clients.list()).toEqual([]);
  });

  test("at least one redirect URI is required", async () => {
    await expect(admin.clients.add({ name: "Board", redirectUris: [] })).rejects.toMatchObject(
      usage("redirect URI"),
    );
  });
});

describe("tokens", () => {
  test("are shown once, listed without the token and revoked", async () => {
    world.clock.now += 1_000;
    const { token, ...created } = await admin.tokens.create({ user: "second", readOnly: true });
    expect(token).toMatch(/^cal_/);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      user_id: world.second.id,
      read_only: true,
      created_at: "2026-11-21T10:00:01.000Z",
    });
    expect((await admin.tokens.list()).at(-1)).toEqual(created);
    expect(await admin.tokens.revoke(created.id)).toEqual(created);
    expect(await admin.tokens.list()).toHaveLength(2);
    await expect(admin.tokens.revoke(created.id)).rejects.toMatchObject(notFound(`no token "${created.id}"`));
    await expect(admin.tokens.create({ user: "nobody", readOnly: false })).rejects.toMatchObject(
      notFound('--user: there is no user "nobody"'),
    );
  });
});

test("a disabled user gets no new token", async () => {
  await admin.users.disable("second");
  await expect(admin.tokens.create({ user: "second", readOnly: false })).rejects.toMatchObject(
    usage('--user: "second" is disabled'),
  );
});

describe("the local user", () => {
  test("cannot be disabled", async () => {
    const { userId } = await admin.ensureLocalUser({ name: "home" });
    for (const user of ["home", userId]) {
      await expect(admin.users.disable(user)).rejects.toMatchObject(
        usage('"home" is the user of the profile local and cannot be disabled'),
      );
    }
  });

  test("has a name that is too long cut off", async () => {
    const { userId } = await admin.ensureLocalUser({ name: "x".repeat(60) });
    const local = (await admin.users.list()).find(({ id }) => id === userId);
    expect(local).toMatchObject({ name: "x".repeat(50) });
  });

  test("is created once, with one calendar, even if the name changes", async () => {
    const first = await admin.ensureLocalUser({ name: "home" });
    expect(first).toEqual({
      userId: expect.any(String),
      created: { user: "home", calendar: "Personal" },
    });
    expect(await admin.ensureLocalUser({ name: "renamed" })).toEqual({
      userId: first.userId,
      created: null,
    });
    const [calendar, ...others] = (await admin.calendars.list()).filter(({ name }) => name === "Personal");
    expect(others).toEqual([]);
    expect(calendar?.labels).toHaveLength(10);
    expect(calendar?.members.map(({ name }) => name)).toEqual(["home"]);
  });

  test("gets another login if the name is taken", async () => {
    const { userId } = await admin.ensureLocalUser({ name: "Member" });
    const local = (await admin.users.list()).find(({ id }) => id === userId);
    expect(local).toEqual({ id: userId, name: "Member", login: "Member-2" });
  });
});

describe("a user is meant by a login", () => {
  test("where nobody has that name, also as a member who is removed", async () => {
    const { id } = await admin.users.add({ name: "Eva Silva", login: "eva@example.org" });
    expect(await admin.members.add("EVA@example.org", "Family")).toMatchObject({ name: "Eva Silva" });
    expect((await admin.tokens.create({ user: "eva@example.org", readOnly: true })).user_id).toBe(id);
    expect(await admin.members.remove("eva@example.org", "Family")).toMatchObject({ name: "Eva Silva" });
    await expect(admin.members.remove("eva@example.org", "Family")).rejects.toMatchObject(
      notFound("eva@example.org"),
    );
    await expect(admin.members.add("Eva", "Family")).rejects.toMatchObject(notFound("Eva"));
  });

  test("but a name comes first", async () => {
    await admin.users.add({ name: "Eva", login: "second@example.org" });
    const named = await admin.users.add({ name: "second@example.org", login: "third" });
    expect((await admin.users.disable("second@example.org")).id).toBe(named.id);
  });
});

describe("a user who is renamed", () => {
  const get = (path: string, etag = "") =>
    request(world, `GET ${path}`, { headers: { "if-none-match": etag } });

  test("has the new name wherever others see it, and signs in as before", async () => {
    const { calendarId, second } = world;
    const event = await changeCalendar(
      world,
      "POST",
      "events",
      eventBody(SCHEDULE, { attendees: [second.id] }),
    );
    const calendar = `/calendars/${calendarId}`;
    const paths = [
      "/calendars?include=members",
      `${calendar}/members`,
      `${calendar}/events?include=attendees`,
      `${calendar}/events/${event.id}?include=attendees`,
    ];
    const before = await Promise.all(paths.map((path) => get(path)));
    for (const { text } of before) expect(text).toContain('"second"');
    const { revision } = (await get(`${calendar}/changes`)).json.meta;
    const renamed = await admin.users.rename("second", "Zoë Second");
    expect(renamed).toEqual({ id: second.id, name: "Zoë Second", login: "second" });
    for (const [index, path] of paths.entries()) {
      const { status, text } = await get(path, before[index]?.headers["etag"]);
      expect({ path, status, text }).toEqual({
        path,
        status: 200,
        text: expect.stringContaining('"Zoë Second"'),
      });
    }
    expect((await get(`${calendar}/changes?since=${revision}`)).json.meta).toMatchObject({
      details_changed: true,
    });
    expect(await admin.users.list()).toContainEqual(renamed);
  });

  test("also has it in the calendars that the user left", async () => {
    const { calendarId, second } = world;
    await changeCalendar(world, "POST", "events", eventBody(SCHEDULE, { attendees: [second.id] }));
    await admin.members.remove("second", "Family");
    const path = `/calendars/${calendarId}/events?include=attendees`;
    const before = await get(path);
    expect(before.text).toContain('"second"');
    await admin.users.rename("second", "Zoë");
    expect((await get(path, before.headers["etag"])).text).toContain('"Zoë"');
  });

  test.each([
    ["", "the name is empty"],
    [".", 'the name must not be "."'],
    ["x".repeat(51), "at most 50 characters"],
  ])("is not called %j", async (name, message) => {
    await expect(admin.users.rename("second", name)).rejects.toMatchObject(usage(message));
  });
});
