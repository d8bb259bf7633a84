import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.js";
import { openStore } from "../../store/sqlite/open.js";

test("reads that follow each other do not let the log grow without end", async () => {
  const path = join(temporaryFolder(), "calendar.db");
  const store = await openStore(path, { isServed: true, sleep: async () => undefined });
  onTestFinished(() => store.close());
  let isOver = false;
  const readOn = async (client: string) => {
    while (!isOver)
      await store.read(
        async (db) => {
          // A small read that holds its snapshot of the log: the rows that were written are too large to be read so often.
          await db.selectFrom("sign_in_attempts").select("attempts").where("key", "=", "none").execute();
          for (const _ of Array(5)) await new Promise((resolve) => setImmediate(resolve));
        },
        { client },
      );
  };
  const reading = Promise.all(["ana", "ben", "eva"].map(readOn));
  for (let number = 0; number < 15; number += 1) {
    await store.write((db) =>
      db
        .insertInto("sign_in_attempts")
        .values({ key: `${number}`.padEnd(3_000_000, "x"), window_start: 0, attempts: 1 })
        .execute(),
    );
  }
  isOver = true;
  await reading;
  // Each write is twice in the log: in the table, and in its index.
  expect(statSync(`${path}-wal`).size).toBeLessThan(80_000_000);
});
