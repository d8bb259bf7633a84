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
          await db.all("select attempts from sign_in_attempts where key = 'none'");
          for (const _ of Array(5)) await new Promise((resolve) => setImmediate(resolve));
        },
        { client },
      );
  };
  const reading = Promise.all(["ana", "ben", "eva"].map(readOn));
  for (let number = 0; number < 15; number += 1) {
    await store.write((db) =>
      db.run(
        "insert into sign_in_attempts (key, window_start, attempts) values (?, 0, 1)",
        `${number}`.padEnd(3_000_000, "x"),
      ),
    );
  }
  isOver = true;
  await reading;
  // Each write is twice in the log: in the table, and in its index.
  expect(statSync(`${path}-wal`).size).toBeLessThan(80_000_000);
});
