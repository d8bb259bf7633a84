import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../store/open.js";
import type { Store } from "../../../store/store.js";
import { startPostgres } from "../../support/postgres-server.js";

test("a write is done once when the server crashes, even if another transaction gets its number", async () => {
  // Nothing of a transaction is on the disk before its commit.
  const own = await startPostgres({ settings: ["wal_writer_delay = 10s"] });
  onTestFinished(() => own.close());
  const first = await openStore(own.url(), {});
  onTestFinished(() => first.close());
  const numbers: unknown[] = [];
  const write = (node: Store, key: string, then: () => Promise<void>) =>
    node.write(
      async (db) => {
        await db.insertInto("sign_in_attempts").values({ key, window_start: 0, attempts: 1 }).execute();
        const { rows } = await sql<{ number: string }>`select pg_current_xact_id()::text as number`.execute(
          db,
        );
        numbers.push(rows[0]?.number);
        await then();
      },
      { scope: [key] },
    );
  const crash = async () => {
    await own.halt("immediate");
    await own.start();
    const second = await openStore(own.url(), {});
    await write(second, "theirs", async () => undefined);
    await second.close();
  };
  await write(first, "ours", async () => (numbers.length === 1 ? crash() : undefined));
  const stored = await first.read((db) =>
    db.selectFrom("sign_in_attempts").select("key").orderBy("key").execute(),
  );
  expect(stored.map(({ key }) => key)).toEqual(["ours", "theirs"]);
  const [lost, theirs, ours] = numbers;
  expect([theirs === lost, ours === lost]).toEqual([true, false]);
});
