import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, onTestFinished, test } from "vitest";
import { freePort } from "../../../../test/api/network/peers.js";
import { createInstallation } from "../../../../test/support/spawned.js";
import { describeWithSystem } from "../../../../test/support/system.js";
import { openService } from "../../../service.js";
import { expectOneEventPerKey } from "../../keyed-creates.js";
import { type Pgbouncer, startPgbouncer } from "../../support/pgbouncer.js";
import { connectThrough } from "../../support/postgres.js";
import { createWorld } from "../../support/world.js";

/** Fewer connections than a service asks for, so that its transactions take turns on each. */
const SETTINGS = ["pool_mode = transaction", "default_pool_size = 3", "max_client_conn = 300"];

describeWithSystem("pgbouncer", "pgbouncer in transaction mode", () => {
  let pgbouncer: Pgbouncer;

  beforeAll(async () => {
    const { hostname, port } = new URL(inject("postgres"));
    pgbouncer = await startPgbouncer({ host: hostname, port: Number(port) }, SETTINGS);
    connectThrough(pgbouncer.url);
  });

  afterAll(async () => {
    connectThrough(undefined);
    await pgbouncer.close();
  });

  test("many parallel writes and reads of two nodes on three connections are all right", async () => {
    const world = await createWorld({ rateLimit: null });
    onTestFinished(() => world.close());
    const other = await openService({
      database: world.database,
      now: () => world.clock.now,
      rateLimit: null,
    });
    onTestFinished(() => other.close());
    const names = Array.from({ length: 40 }, (_, index) => `user ${index}`);
    const lists = await Promise.all(
      names.map(async (name, index) => {
        const { admin } = index % 2 === 0 ? world.service : other;
        await admin.users.add({ name });
        return (await admin.users.list()).some((user) => user.name === name);
      }),
    );
    expect(lists).toEqual(names.map(() => true));
    await expectOneEventPerKey(world, [world.service, other]);
  });
});

describeWithSystem("pgbouncer", "what pgbouncer refuses", () => {
  let pgbouncer: Pgbouncer;

  beforeEach(async () => {
    const { hostname, port } = new URL(inject("postgres"));
    pgbouncer = await startPgbouncer(
      { host: hostname, port: Number(port) },
      [...SETTINGS, "admin_users = ana"],
      {
        users: { ana: "right" },
        databases: [
          `nothing = host=${hostname} port=${port} user=calctl`,
          `away = host=127.0.0.1 port=${await freePort()} user=calctl`,
        ],
      },
    );
  });
  afterEach(() => pgbouncer.close());

  /** From now on nobody waits for a connection for more than a second: call it when none is to come. */
  async function letNobodyWait(): Promise<void> {
    const { port } = new URL(pgbouncer.url);
    const client = new pg.Client(`postgres://ana:right@127.0.0.1:${port}/pgbouncer`);
    await client.connect();
    await client.query("set query_wait_timeout = 1");
    await client.end();
  }

  /** @param user with the password */
  function listUsers(user: string, database: string) {
    const { port } = new URL(pgbouncer.url);
    const env = { CALCTL_SERVICE_DB: `postgres://${user}@127.0.0.1:${port}/${database}` };
    return createInstallation().runWith({ env }, "service", "users", "list");
  }

  test.for([
    ["a wrong password", "ana:wrong", "calctl", "authentication failed", "auth_file"],
    ["an unknown user", "bea:right", "calctl", "authentication failed", "auth_file"],
    ["a database that it does not know", "ana:right", "other", "no such database", "pgbouncer.ini"],
    ["a database that is not there", "ana:right", "nothing", "does not exist", "create it: createdb"],
  ] as const)("%s: exit 10 says what to do", async ([, user, database, problem, hint]) => {
    const { exitCode, stderr } = await listUsers(user, database);
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining(problem) });
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/right|wrong/);
  });

  test("a server that is away: exit 10 says what to do", async () => {
    await letNobodyWait();
    const { exitCode, stderr } = await listUsers("ana:right", "away");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 10,
      stderr: expect.stringContaining("query_wait_timeout"),
    });
    expect(stderr).toContain("when PostgreSQL has started");
    expect(stderr).not.toContain("right");
  });

  test("a client that waited in vain for a connection does not wait again", async () => {
    const { port } = new URL(pgbouncer.url);
    // As many transactions as pgbouncer has connections for.
    for (let count = 0; count < 3; count += 1) {
      const client = new pg.Client(`postgres://ana:right@127.0.0.1:${port}/calctl`);
      // It is closed with pgbouncer.
      client.on("error", () => undefined);
      await client.connect();
      await client.query("begin");
    }
    await letNobodyWait();
    const { stderr } = await listUsers("ana:right", "calctl");
    expect(stderr).toContain("default_pool_size");
    const wait = "pooler error: query_wait_timeout";
    expect((await pgbouncer.logWith(wait)).split(wait)).toHaveLength(2);
  });
});
