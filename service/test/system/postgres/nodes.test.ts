import pg from "pg";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { DAY_MS } from "../../../../contract/date-time.js";
import { temporaryFolder } from "../../../../test/support/temporary-folder.js";
import { openService, type Service } from "../../../service.js";
import { expectOneEventPerKey } from "../../keyed-creates.js";
import { createBrowser } from "../../oauth/support/browser.js";
import { createOAuthStage } from "../../oauth/support/stage.js";
import { eventBody, KEEP, SCHEDULE } from "../../support/event-bodies.js";
import { createSchema } from "../../support/postgres.js";
import { buildChild, runTogether } from "../../support/processes.js";
import { changeCalendar, request, sendInProcess } from "../../support/send.js";
import { createWorld, type World } from "../../support/world.js";

/** What several nodes do at the same time on one database comes out as if one had done it. */

/** Further nodes on the database of a world. Each has its own connections. */
async function addNodes({ database, service, clock }: World, count: number, options: object = {}) {
  const nodes: Service[] = [service];
  for (let added = 0; added < count; added += 1) {
    const node = await openService({ database, now: () => clock.now, rateLimit: null, ...options });
    nodes.push(node);
    onTestFinished(() => node.close());
  }
  return (index: number) => nodes[index % nodes.length] ?? service;
}

test("6 first starts at once create the tables once", async () => {
  const folder = temporaryFolder();
  const schema = createSchema({ isNew: true });
  onTestFinished(() => schema.remove());
  const program = await buildChild(folder);
  const results = await runTogether(program, { processes: 6, database: schema.database, events: 2 });
  expect(results.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(results.map(({ userId }) => userId)).size).toBe(1);
  expect(results.flatMap(({ statuses }) => statuses)).toEqual(Array(12).fill(201));
  expect(await schema.query("select count(*)::int as events from events")).toEqual([{ events: 12 }]);
});

test("60 redemptions of one code give one token", async () => {
  const stage = await createOAuthStage({ rateLimit: null });
  onTestFinished(() => stage.close());
  const nodeOf = await addNodes(stage.world, 2);
  const browser = stage.browser();
  await stage.signIn(browser);
  const code = await stage.code(browser);
  const answers: Awaited<ReturnType<typeof stage.exchange>>[] = [];
  // As many at a time as the nodes take from one address.
  while (answers.length < 60) {
    const some = Array.from({ length: 10 }, (_, index) => stage.exchange({ code }, nodeOf(index)));
    answers.push(...(await Promise.all(some)));
  }
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(59).fill(400)]);
  // A code that was redeemed again may have been stolen: its token is revoked.
  const token = answers.find(({ status }) => status === 200)?.json["access_token"];
  expect(await stage.use(token)).toBe(401);
});

test("any node answers any step of a login", async () => {
  const stage = await createOAuthStage({ rateLimit: null });
  onTestFinished(() => stage.close());
  const nodeOf = await addNodes(stage.world, 2);
  let requests = 0;
  const browser = createBrowser((request) => {
    requests += 1;
    return sendInProcess(nodeOf(requests), "192.0.2.1")(request);
  });
  await stage.signIn(browser);
  const { status, json } = await stage.exchange({ code: await stage.code(browser) }, nodeOf(2));
  expect(status).toBe(200);
  expect(await stage.use(json["access_token"])).toBe(200);
  expect(requests).toBeGreaterThan(3);
});

test("a token that is being revoked while its write begins writes nothing", async () => {
  const world = await createWorld();
  onTestFinished(() => world.close());
  const { id, token } = await world.service.admin.tokens.create({ user: "member", readOnly: false });
  const other = new pg.Client({ connectionString: world.database.replace(/\?.*/, "") });
  await other.connect();
  onTestFinished(() => other.end());
  const schema = new URL(world.database).searchParams.get("schema");
  // Of the locks of the service it has none, like a code that is redeemed again.
  await other.query(`begin; delete from ${schema}.tokens where id = '${id}'`);
  const written = changeCalendar({ ...world, token }, "POST", "events", eventBody(KEEP));
  const refused = expect(written).rejects.toThrow("POST events: 401");
  const waiting =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for key share%'";
  await expect.poll(() => world.tables.query(waiting)).not.toEqual([]);
  await other.query("commit");
  await refused;
  expect(await world.tables.query("select id from events")).toEqual([]);
});

test("parallel guesses of a password are all counted", async () => {
  const stage = await createOAuthStage({ rateLimit: null });
  onTestFinished(() => stage.close());
  const nodeOf = await addNodes(stage.world, 3);
  const guesses = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const browser = createBrowser(sendInProcess(nodeOf(index), "192.0.2.1"));
      const page = await browser.open(stage.authorize());
      return (await browser.submit(page, "sign-in", { login: "member", password: "wrong" })).status;
    }),
  );
  expect(guesses.filter((status) => status === 403)).toHaveLength(5);
  expect(guesses.filter((status) => status === 429)).toHaveLength(15);
});

describe("administration by several nodes", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
  });

  afterEach(() => world.close());

  test("gives each row a time of its own, each member a rank, each calendar a position", async () => {
    const nodeOf = await addNodes(world, 2);
    const names = Array.from({ length: 12 }, (_, index) => `user ${index}`);
    await Promise.all(names.map((name, index) => nodeOf(index).admin.users.add({ name })));
    await Promise.all(names.map((name, index) => nodeOf(index).admin.members.add(name, world.calendarId)));
    await Promise.all(
      names.map((name, index) => nodeOf(index).admin.calendars.add({ name, owner: world.member.id })),
    );
    const distinct = async (column: string, rows: string) => {
      const [row] = await world.tables.query(
        `select count(*)::int as rows, count(distinct ${column})::int as values from ${rows}`,
      );
      return row;
    };
    expect(await distinct("created_at", "users")).toEqual({ rows: 15, values: 15 });
    expect(await distinct("created_at", "calendars")).toEqual({ rows: 14, values: 14 });
    expect(await distinct("rank", `members where calendar_id = '${world.calendarId}'`)).toEqual({
      rows: 14,
      values: 14,
    });
    const positions = `members where user_id = '${world.member.id}'`;
    expect(await distinct("position", positions)).toEqual({ rows: 13, values: 13 });
    expect(await world.tables.query(`select max(position) as last from ${positions}`)).toEqual([
      { last: 12 },
    ]);
  });

  test("gives a login to one user", async () => {
    const nodeOf = await addNodes(world, 2);
    const added = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        nodeOf(index).admin.users.add({ name: "Same", login: index % 2 === 0 ? "same" : "SAME" }),
      ),
    );
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of added) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "usage" });
    }
  });

  test("leaves no event in a calendar that is removed while events are written", async () => {
    const nodeOf = await addNodes(world, 2);
    const route = `POST /calendars/${world.calendarId}/events`;
    const writes = Array.from({ length: 30 }, (_, index) =>
      request({ ...world, service: nodeOf(index) }, route, { body: eventBody(KEEP) }),
    );
    const removed = await world.service.admin.calendars.remove(world.calendarId);
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(removed.events);
    expect(statuses.filter((status) => status === 404)).toHaveLength(30 - removed.events);
    expect(await world.tables.query("select id from events")).toEqual([]);
  });
});

test("8 clients with one key at once make one event", async () => {
  const world = await createWorld({ rateLimit: null });
  onTestFinished(() => world.close());
  const nodeOf = await addNodes(world, 2);
  await expectOneEventPerKey(world, [0, 1, 2].map(nodeOf));
});

test("nodes that continue series at the same time make each occurrence once", async () => {
  const world = await createWorld({ rateLimit: null });
  onTestFinished(() => world.close());
  const nodeOf = await addNodes(world, 2);
  for (let count = 0; count < 3; count += 1) {
    await changeCalendar(
      world,
      "POST",
      "events",
      eventBody({ ...SCHEDULE, recurrences: ["RRULE:FREQ=WEEKLY"] }),
    );
  }
  const count = async () =>
    Number((await world.tables.query("select count(*)::int as rows from events"))[0]?.["rows"]);
  const before = await count();
  world.clock.now += 98 * DAY_MS;
  const writes = [0, 1, 2].map((index) =>
    changeCalendar({ ...world, service: nodeOf(index) }, "POST", "events", eventBody(KEEP)),
  );
  await Promise.all([...[0, 1, 2].map((index) => nodeOf(index).continueSeries()), ...writes]);
  expect(await count()).toBe(before + 3 * 14 + 3);
});
