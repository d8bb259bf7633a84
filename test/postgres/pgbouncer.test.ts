import pg from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { openService } from "../../src/service/service.js";
import { freePort } from "../api/network/peers.js";
import { describeContract } from "../service/contract-suite.js";
import { sendInProcess } from "../service/support/send.js";
import { createWorld } from "../service/support/world.js";
import { type Pgbouncer, startPgbouncer } from "../support/pgbouncer.js";
import { connectThrough } from "../support/postgres.js";
import { createInstallation } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";

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

  describeContract(
    "through pgbouncer",
    async ({ service }) => ({ send: sendInProcess(service), close: async () => undefined }),
    { malformed: false },
  );

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
  });
});

describeWithSystem("pgbouncer", "what pgbouncer refuses", () => {
  let pgbouncer: Pgbouncer;

  beforeAll(async () => {
    const { hostname, port } = new URL(inject("postgres"));
    pgbouncer = await startPgbouncer(
      { host: hostname, port: Number(port) },
      [...SETTINGS, "query_wait_timeout = 1", "server_connect_timeout = 1"],
      {
        users: { ana: "right" },
        databases: [
          `nothing = host=${hostname} port=${port} user=calctl`,
          `away = host=127.0.0.1 port=${await freePort()} user=calctl`,
        ],
      },
    );
  });
  afterAll(() => pgbouncer.close());

  test.for([
    ["a wrong password", "ana:wrong", "calctl", "the server refuses the user or the password", "auth_file"],
    ["an unknown user", "bea:right", "calctl", "the server refuses the user or the password", "auth_file"],
    ["a database that it does not know", "ana:right", "other", "no such database", "pgbouncer.ini"],
    ["a database that is not there", "ana:right", "nothing", "no such database", "createdb nothing"],
    [
      "a server that is away",
      "ana:right",
      "away",
      "pgbouncer got no connection",
      "PostgreSQL runs behind it",
    ],
  ] as const)("%s: exit 10 says what to do", async ([, user, database, problem, hint]) => {
    const { port } = new URL(pgbouncer.url);
    const { runWith } = createInstallation();
    const env = { CALCTL_SERVICE_DB: `postgres://${user}@127.0.0.1:${port}/${database}` };
    const { exitCode, stderr } = await runWith({ env }, "service", "users", "list");
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining(problem) });
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/right|wrong/);
  });

  test("a client that waited in vain for a connection does not wait again", async () => {
    const { port } = new URL(pgbouncer.url);
    const url = `postgres://ana:right@127.0.0.1:${port}/calctl`;
    // As many transactions as pgbouncer has connections for.
    for (let count = 0; count < 3; count += 1) {
      const client = new pg.Client(url);
      await client.connect();
      onTestFinished(() => client.end());
      await client.query("begin");
    }
    const waits = async () =>
      (await pgbouncer.logWith("process up")).split("pooler error: query_wait_timeout").length - 1;
    const before = await waits();
    const { runWith } = createInstallation();
    const { stderr } = await runWith({ env: { CALCTL_SERVICE_DB: url } }, "service", "users", "list");
    expect(stderr).toContain("its default_pool_size");
    expect((await waits()) - before).toBe(1);
  });
});
