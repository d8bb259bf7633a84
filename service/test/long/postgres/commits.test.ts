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
        await db.run("insert into sign_in_attempts (key, window_start, attempts) values (?, 0, 1)", key);
        const [transaction] = await db.all<{ readonly number: string }>(
          "select pg_current_xact_id()::text as number",
        );
        numbers.push(transaction?.number);
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
    db.all<{ readonly key: string }>("select key from sign_in_attempts order by key"),
  );
  expect(stored.map(({ key }) => key)).toEqual(["ours", "theirs"]);
  const [lost, theirs, ours] = numbers;
  expect([theirs === lost, ours === lost]).toEqual([true, false]);
});
