import pg from "pg";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../../store/open.js";
import { openPostgresStore } from "../../../store/postgres/open.js";
import { ANSWER_TIMEOUT } from "../../../store/postgres/transactions.js";
import { COMPATIBLE_SINCE, SCHEMA_VERSION } from "../../../store/schema.js";
import { insert } from "../../../store/sql.js";
import { DatabaseUnavailableError, type Store, type Transaction } from "../../../store/store.js";
import { type Cut, startCuttingProxy } from "../../support/cutting-proxy.js";
import { REMOVE_SERIES } from "../../support/database.js";
import { createSchema, type Schema } from "../../support/postgres.js";

let schema: Schema;
let store: Store;

beforeEach(async () => {
  schema = createSchema();
  store = await openStore(schema.database, {});
});

afterEach(async () => {
  await store.close();
  await schema.remove();
});

const setting = (value: string) => (db: Transaction) =>
  db.run("insert into settings (name, value) values ('local_user_id', ?)", value);

const settings = () => schema.query("select value from settings");

/** Until the test ends, what pg waits for takes too long when `passTimeout` is called, however slow the machine is. */
function fakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets the longest time pass that the store waits for the server. */
function passTimeout(): void {
  vi.advanceTimersByTime(ANSWER_TIMEOUT);
}

describe("a transaction", () => {
  test("is undone by an error, which the caller gets as it is", async () => {
    const error = new Error("no");
    const work = async (db: Transaction) => {
      await setting("x")(db);
      throw error;
    };
    await expect(store.write(work)).rejects.toBe(error);
    expect(await settings()).toEqual([]);
  });

  test("that only reads cannot write, and sees one state", async () => {
    await expect(store.read(setting("x"))).rejects.toBeInstanceOf(DatabaseUnavailableError);
    const seen = await store.read(async (db) => {
      const before = await db.all("select name, value from settings");
      await store.write(setting("x"));
      return [before, await db.all("select name, value from settings")];
    });
    expect(seen).toEqual([[], []]);
    expect(await settings()).toEqual([{ value: "x" }]);
  });

  test.each(["40001", "40P01"])("that fails with %s is repeated as a whole", async (code) => {
    let runs = 0;
    await store.write(async (db) => {
      runs += 1;
      await setting(String(runs))(db);
      if (runs < 4) await db.run(`do $$ begin raise exception 'x' using errcode = '${code}'; end $$`);
    });
    expect([runs, await settings()]).toEqual([4, [{ value: "4" }]]);
  });

  test.each(["40001", "40P01"])("that always fails with %s is given up: nothing was done", async (code) => {
    const written = store.write(async (db) => {
      await setting("x")(db);
      await db.run(`do $$ begin raise exception 'x' using errcode = '${code}'; end $$`);
    });
    await expect(written).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await expect(written).rejects.toMatchObject({ code: "unavailable", exitCode: 8 });
    expect(await settings()).toEqual([]);
  });

  test("in which a query failed is not taken for done", async () => {
    const work = async (db: Transaction) => {
      await setting("x")(db);
      await db.all("select * from nothing").catch(() => undefined);
    };
    await expect(store.write(work)).rejects.toThrow("after one of its queries had failed");
    expect(await settings()).toEqual([]);
  });

  describe("sends no query after its end", () => {
    /** Four that are started together, of which the first one is given. The others work outside of the transaction too. */
    const start = (db: Transaction, first: Promise<unknown>) => {
      const name = new URL(schema.database).searchParams.get("schema") ?? "";
      const table = `${pg.escapeIdentifier(name)}.sign_in_attempts`;
      const insert = (key: string) =>
        db.run(`insert into ${table} (key, window_start, attempts) values (?, 0, 1)`, key);
      return [first, ...["a", "b", "c"].map(insert)];
    };

    const keys = () => schema.query("select key from sign_in_attempts order by key");

    test("when one failed that others were started with", async () => {
      let started: readonly Promise<unknown>[] = [];
      const written = store.write((db) => {
        started = start(db, db.all("select * from nothing"));
        return Promise.all(started);
      });
      await expect(written).rejects.toMatchObject({ code: "42P01" });
      const outcomes = (await Promise.allSettled(started)).map(({ status }) => status);
      expect([outcomes, await keys()]).toEqual([Array(4).fill("rejected"), []]);
    });

    test("when nobody waited for them", async () => {
      let settled: Promise<readonly PromiseSettledResult<unknown>[]> | undefined;
      await store.write(async (db) => {
        const started = start(db, db.all("select 1"));
        settled = Promise.allSettled(started);
        await started[0];
      });
      const outcomes = (await settled)?.map(({ status }) => status) ?? [];
      // One was on its way to the server, so it is a part of the transaction.
      const [first, second, ...others] = outcomes;
      expect([first, others, (await keys()).length]).toEqual([
        "fulfilled",
        ["rejected", "rejected"],
        second === "fulfilled" ? 1 : 0,
      ]);
    });
  });

  test("leaves nothing in its session", async () => {
    const show = `select setting from pg_settings
      where name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')
      order by name`;
    expect(await store.read((db) => db.all(show))).toEqual([
      { setting: "30000" },
      { setting: "10000" },
      { setting: "30000" },
    ]);
    const left = await schema.query(
      `select count(*)::int as locks from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and query like '%' || current_schema() || '%'`,
    );
    expect(left).toEqual([{ locks: 0 }]);
    const prepared = await store.write((db) =>
      db.all("select count(*)::int as count from pg_prepared_statements"),
    );
    expect(prepared).toEqual([{ count: 0 }]);
  });

  test("gives numbers of 64 bits as numbers", async () => {
    const time = Date.parse("2026-11-21T10:00:00.000Z");
    const rows = await store.read((db) => db.all("select cast(? as bigint) as time", time));
    expect(rows).toEqual([{ time }]);
  });

  test("refuses text with NUL, which no stored text has", async () => {
    const find = (db: Transaction) => db.all("select id from users where login_key = ?", "a\0");
    await expect(store.read(find)).rejects.toThrow("text must not contain NUL");
  });
});

describe("writes with a scope", () => {
  /** Whether the second write began before the first one ended. */
  async function overlap(first: readonly string[] | undefined, second: readonly string[] | undefined) {
    const events: string[] = [];
    let other: Promise<void> | undefined;
    await store.write(
      async () => {
        other = store.write(async () => void events.push("second begins"), { scope: second });
        await expect.poll(async () => events.length > 0 || (await isWaiting())).toBe(true);
        events.push("first ends");
      },
      { scope: first },
    );
    await other;
    return events[0] === "second begins";
  }

  /** Whether a session waits for an advisory lock. */
  async function isWaiting() {
    const waiting = await schema.query(
      // All of what begins a transaction is one text.
      `select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%begin%' || current_schema() || '%'`,
    );
    return waiting.length > 0;
  }

  test.each([
    [["a"], ["b"], true],
    [["a"], ["a"], false],
    [["a", "b"], ["c", "b"], false],
    [undefined, ["a"], false],
    [["a"], undefined, false],
    [undefined, undefined, false],
    [[], [], true],
  ])("%j and %j run at the same time: %s", async (first, second, expected) => {
    expect(await overlap(first, second)).toBe(expected);
  });
});

describe("text", () => {
  const HOSTILE = [
    ...["", " ", "a", "A", "B", "b", "ä", "Z", "z", "é", "e\u0301", "ß", "ss", "_", "-", "0", "10", "9"],
    ...[
      "\uffff",
      "\u{10000}",
      "\u{1f600}",
      "İ",
      "i",
      "ı",
      "I",
      "ｱ",
      "ア",
      "a b",
      "ab",
      "a-b",
      "\t",
      "~",
      "%",
    ],
  ];

  test("is in the same order as in SQLite", async () => {
    const sqlite = await openStore(":memory:", {});
    onTestFinished(() => sqlite.close());
    const orders = [];
    for (const engine of [store, sqlite]) {
      await engine.write((db) =>
        insert(
          db,
          "sign_in_attempts",
          HOSTILE.map((key) => ({ key, window_start: 0, attempts: 0 })),
        ),
      );
      const list = (db: Transaction) =>
        db.all<{ readonly key: string }>("select key from sign_in_attempts order by key");
      const after = (db: Transaction) =>
        db.all<{ readonly key: string }>(
          "select key from sign_in_attempts where key > 'a' order by key desc",
        );
      orders.push([await engine.read(list), await engine.read(after)]);
    }
    expect(orders[0]).toEqual(orders[1]);
    expect(orders[0]?.[0]).toHaveLength(HOSTILE.length);
  });

  test("compares by bytes in every column, whatever the language of the database", async () => {
    const others = await schema.query(
      `select table_name, column_name from information_schema.columns where table_schema = current_schema()
        and data_type = 'text' and collation_name is distinct from 'C'`,
    );
    expect(others).toEqual([]);
    const natural = await schema.query("select 'a' < 'B' as language, 'a' < 'B' collate \"C\" as bytes");
    expect(natural).toEqual([{ language: true, bytes: false }]);
  });
});

describe("a newer program that migrates the database", () => {
  const migrate = (version: number, compatibleSince: number) =>
    schema.change(`update calctl_schema set version = ${version}, compatible_since = ${compatibleSince}`);

  test("stops a node whose schema it replaces", async () => {
    const reports: unknown[] = [];
    const node = await openStore(schema.database, { onSuperseded: (error) => reports.push(error) });
    onTestFinished(() => node.close());
    await migrate(SCHEMA_VERSION + 1, SCHEMA_VERSION + 1);
    const error = {
      code: "configuration",
      message: expect.stringMatching(/ was migrated by a newer calctl$/),
    };
    await expect(node.write(setting("x"))).rejects.toMatchObject(error);
    await expect(node.read(setting("x"))).rejects.toMatchObject(error);
    expect(reports).toEqual([expect.objectContaining(error), expect.objectContaining(error)]);
    await expect(openStore(schema.database, {})).rejects.toMatchObject(error);
    expect(await settings()).toEqual([]);
  });

  test("lets a node go on that it says is compatible", async () => {
    await migrate(SCHEMA_VERSION + 1, SCHEMA_VERSION);
    await store.write(setting("x"));
    const another = await openStore(schema.database, {});
    await another.close();
    expect(await settings()).toEqual([{ value: "x" }]);
    expect(COMPATIBLE_SINCE).toBeLessThanOrEqual(SCHEMA_VERSION);
  });

  test("waits for the transactions of other nodes", async () => {
    await schema.change(`update calctl_schema set version = ${SCHEMA_VERSION - 1}`);
    let opened: Promise<Store> | undefined;
    const order: string[] = [];
    await store.write(async (db) => {
      opened = openStore(schema.database, {}).finally(() => order.push("migrated"));
      opened.catch(() => undefined);
      await awaitLockOfTable();
      await setting("x")(db);
      order.push("written");
    });
    // The newest migration has run before, so it may fail.
    await opened?.then(
      (other) => other.close(),
      () => undefined,
    );
    expect(order).toEqual(["written", "migrated"]);
  });

  describe("while another program uses the tables, as pg_dump does,", () => {
    /** An earlier database, of which a session of another program reads or writes the version until the test ends it. */
    async function openUsed(statement: string) {
      await schema.change(
        `update calctl_schema set version = 10; ${REMOVE_SERIES}; create table calctl_writes (id uuid)`,
      );
      const other = new pg.Client({ connectionString: schema.database });
      await other.connect();
      onTestFinished(() => other.end());
      await other.query(
        `set search_path = ${new URL(schema.database).searchParams.get("schema")}; begin; ${statement}`,
      );
      return () => other.query("commit");
    }

    test("waits for it, and other nodes go on afterwards", async () => {
      const release = await openUsed("select 1 from calctl_schema");
      const opened = openStore(schema.database, {});
      await awaitLockOfTable();
      const read = store.read((db) => db.all("select name, value from settings"));
      await release();
      await (await opened).close();
      expect(await read).toEqual([]);
      expect(
        await schema.query("select version, to_regclass('calctl_writes') as writes from calctl_schema"),
      ).toEqual([{ version: SCHEMA_VERSION, writes: null }]);
    });

    test("is waited for by other nodes that start", async () => {
      const release = await openUsed("lock table calctl_schema in row exclusive mode");
      const first = openStore(schema.database, {});
      await awaitLockOfTable();
      const others = [openStore(schema.database, {}), openStore(schema.database, { readOnly: false })];
      await release();
      for (const opened of await Promise.all([first, ...others])) await opened.close();
    });
  });

  /** Resolves when a session waits for the lock of a table. */
  async function awaitLockOfTable() {
    const waiting = "select 1 from pg_locks where relation = 'calctl_schema'::regclass and not granted";
    await expect.poll(() => schema.query(waiting)).not.toEqual([]);
  }
});

/** Runs a function of the server on the session that sleeps. */
async function onSleeping(call: "pg_cancel_backend" | "pg_terminate_backend"): Promise<void> {
  const sleeping = "wait_event = 'PgSleep' and query like '%sleep of ' || current_schema() || '%'";
  const text = `select ${call}(pid) as done from pg_stat_activity where ${sleeping}`;
  await expect.poll(() => schema.query(text)).toEqual([{ done: true }]);
}

test("a statement that the server cancels is an unavailable database", async () => {
  const name = new URL(schema.database).searchParams.get("schema");
  const sleeping = store.read((db) => db.all(`select pg_sleep(600) -- sleep of ${name}`));
  await Promise.all([
    expect(sleeping).rejects.toMatchObject({ code: "unavailable", hint: expect.stringContaining("busy") }),
    onSleeping("pg_cancel_backend"),
  ]);
});

describe("a pool", () => {
  test("of which every connection is in use is said to be so, not the server to be away", async () => {
    fakeTimeouts();
    const node = await openPostgresStore(schema.database, { connections: 2 });
    onTestFinished(() => node.close());
    const refusal = { code: "unavailable", hint: expect.stringMatching(/^all connections of this node/) };
    await node.read(() =>
      node.write(async (db) => {
        const refused = node.read(setting("x"));
        passTimeout();
        await expect(refused).rejects.toMatchObject(refusal);
        // Which is answered 503.
        await expect(refused).rejects.toBeInstanceOf(DatabaseUnavailableError);
        await setting("y")(db);
      }),
    );
    expect(await settings()).toEqual([{ value: "y" }]);
    await node.write((db) => db.run("delete from settings"));
  });
});

describe("a connection that is lost", () => {
  test("at the end of what only reads, costs nothing but a repetition", async () => {
    const { behind, arm } = await openBehindProxy("commit", "now");
    arm();
    let runs = 0;
    const rows = await behind.read(async (db) => {
      runs += 1;
      return db.all("select name, value from settings");
    });
    expect([runs, rows]).toEqual([2, []]);
  });

  test("because the server ends it, is replaced by another one", async () => {
    const name = new URL(schema.database).searchParams.get("schema");
    let runs = 0;
    const written = store.write(async (db) => {
      runs += 1;
      await setting(String(runs))(db);
      if (runs === 1) await db.all(`select pg_sleep(600) -- sleep of ${name}`);
    });
    await onSleeping("pg_terminate_backend");
    await written;
    expect([runs, await settings()]).toEqual([2, [{ value: "2" }]]);
  });

  test.each([["before its work", "settings", "now", 2]] as const)(
    "%s: a write is done once",
    async (_, at, cut, attempts) => {
      const { behind, arm, isArmed } = await openBehindProxy(at, cut);
      arm();
      let runs = 0;
      await behind.write(async (db) => {
        runs += 1;
        await setting("x")(db);
      });
      expect([runs, isArmed(), await settings()]).toEqual([attempts, false, [{ value: "x" }]]);
    },
  );

  test("after its commit: whether a write was done is not known, and it is not repeated", async () => {
    const { behind, arm } = await openBehindProxy("commit", "at the answer");
    arm();
    let runs = 0;
    const written = behind.write(async (db) => {
      runs += 1;
      await setting("x")(db);
    });
    await expect(written).rejects.toMatchObject({ code: "outcome_unknown" });
    expect([runs, await settings()]).toEqual([1, [{ value: "x" }]]);
  });

  describe("without a word", () => {
    beforeEach(fakeTimeouts);

    test.each([["before its work", "settings", 2]])(
      "%s: a write is done once, on another connection",
      async (_, at, attempts) => {
        const { behind, arm, proxy } = await openBehindProxy(at, "silenced");
        arm();
        let runs = 0;
        await behind.write(
          async (db) => {
            runs += 1;
            await setting("x")(db);
          },
          { scope: ["x"] },
        );
        expect([runs, await settings()]).toEqual([attempts, [{ value: "x" }]]);
        await expect.poll(proxy.connections).toEqual({ made: 3, open: 2 });
      },
    );

    test("in what only reads costs a repetition", async () => {
      const { behind, arm, proxy } = await openBehindProxy("select", "silenced");
      arm();
      expect(await behind.read((db) => db.all("select name, value from settings"))).toEqual([]);
      await expect.poll(proxy.connections).toEqual({ made: 2, open: 1 });
    });

    test("in each attempt, as behind a pooler whose server is away: it is repeated once", async () => {
      const { behind, arm, proxy } = await openBehindProxy("select", "silenced");
      arm(20);
      const made = proxy.connections().made;
      const read = behind.read((db) => db.all("select name, value from settings"));
      await expect(read).rejects.toMatchObject({ message: expect.stringMatching(/Query read timeout$/) });
      expect(proxy.connections().made - made).toBe(1);
    });

    test("with all later ones: the request fails, and the next one works when the server is back", async () => {
      const { behind, proxy } = await openBehindProxy("", "silenced");
      proxy.silence();
      const read = () => behind.read((db) => db.all("select name, value from settings"));
      await expect(read()).rejects.toMatchObject({
        code: "configuration",
        message: expect.stringMatching(/connection timeout$/),
      });
      proxy.restore();
      expect(await read()).toEqual([]);
      await expect.poll(proxy.connections).toEqual({ made: 3, open: 1 });
    });
  });

  /** A store behind a proxy that does something to a connection once it is armed, when a text is sent. */
  async function openBehindProxy(at: string, cut: Cut) {
    let cuts = 0;
    const proxy = await startCuttingProxy(Number(new URL(schema.database).port), {
      cutAt(sent) {
        if (cuts === 0 || !sent.includes(at)) return null;
        cuts -= 1;
        return cut;
      },
      onSilenced: passTimeout,
    });
    const url = new URL(schema.database);
    url.port = String(proxy.port);
    const behind = await openPostgresStore(url.href, {});
    onTestFinished(() => behind.close());
    return {
      behind,
      proxy,
      arm: (times = 1) => {
        cuts = times;
      },
      isArmed: () => cuts > 0,
    };
  }
});
