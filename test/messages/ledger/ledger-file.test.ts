import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { querySql, runSql } from "../../../service/test/support/database.js";
import { CliError } from "../../../src/errors.js";
import { MIGRATIONS } from "../../../src/messages/ledger/schema.js";
import { createLedgerPath, DAY, NOW, openTestLedger } from "./support.js";

const KEEP = { keepDays: 1 };

/** A send that fails the test when it runs. */
const neverSend = () => Promise.reject(new Error("it was sent"));

const configuration = (message: string) => ({
  code: "configuration",
  exitCode: 10,
  message: expect.stringContaining(message),
  hint: expect.stringMatching(/./),
});

test("the file and its folder are private to their owner", async () => {
  const path = createLedgerPath();
  const ledger = await openTestLedger(path);
  const modes: number[] = [];
  await ledger.sendOnce(
    "digest",
    async () => {
      for (const name of readdirSync(dirname(path)))
        modes.push(statSync(`${dirname(path)}/${name}`).mode & 0o777);
    },
    KEEP,
  );
  expect(modes).toEqual([0o600]);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test("a new one is created whole: nothing else is left in its folder", async () => {
  const path = createLedgerPath();
  const ledgers = await Promise.all([openTestLedger(path), openTestLedger(path)]);
  expect(readdirSync(dirname(path))).toEqual(["ledger.db"]);
  const sent = await Promise.all(
    ledgers.map((ledger) => ledger.sendOnce("digest", async () => undefined, KEEP)),
  );
  expect([...sent].sort()).toEqual(["already_sent", "sent"]);
});

test("what it was created from is no longer open, since Windows removes no file that is", async ({
  skip,
}) => {
  if (!existsSync("/proc/self/fd")) skip("there is no /proc here, which says which files are open");
  const path = createLedgerPath();
  await openTestLedger(path);
  const open = readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch (_closed) {
      return [];
    }
  });
  expect(open.filter((file) => file.startsWith(path))).toEqual([path]);
});

test("what is being sent is in the file itself before it is sent", async () => {
  const path = createLedgerPath();
  const ledger = await openTestLedger(path);
  const copy = `${path}.copy`;
  await ledger.sendOnce("digest", async () => copyFileSync(path, copy), KEEP);
  expect(querySql(copy, "select key, state from sends")).toEqual([{ key: "digest", state: "sending" }]);
  expect(querySql(path, "select key, state from sends")).toEqual([{ key: "digest", state: "sent" }]);
});

test("one whose folder cannot be looked into says so, whatever is the reason", async () => {
  const path = createLedgerPath();
  symlinkSync(dirname(path), dirname(path));
  await expect(openTestLedger(path)).rejects.toMatchObject(configuration("symbolic links form a loop"));
});

describe("nothing is sent with a ledger", () => {
  const cases: readonly (readonly [string, (path: string) => void, string])[] = [
    [
      "of a newer version",
      (path) => runSql(path, `pragma user_version = ${MIGRATIONS.length + 1}`),
      "newer calctl",
    ],
    ["of another program", (path) => runSql(path, "pragma application_id = 1"), "is not a ledger of calctl"],
    [
      "that is text",
      (path) => writeFileSync(path, "milk, bread\n".repeat(1_000)),
      "is not a ledger of calctl",
    ],
    ["that was emptied", (path) => writeFileSync(path, ""), "is empty"],
    ["that was cut", (path) => writeFileSync(path, readFileSync(path).subarray(0, 100)), "ledger.db"],
    ["that is damaged", (path) => writeFileSync(path, readFileSync(path).fill(0xff, 4_096)), "is damaged"],
    [
      "that is a folder",
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
      "it is a folder",
    ],
  ];
  test.each(cases)("%s, and the file is not changed", async (_, change, message) => {
    const path = createLedgerPath();
    const made = await openTestLedger(path);
    await made.sendOnce("other", async () => undefined, KEEP);
    made.close();
    change(path);
    const before = statSync(path).isFile() ? readFileSync(path) : null;
    const sending = openTestLedger(path).then((ledger) => ledger.sendOnce("digest", neverSend, KEEP));
    await expect(sending).rejects.toMatchObject(configuration(message));
    if (before !== null) expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("that was removed or replaced", async () => {
    const path = createLedgerPath();
    const ledger = await openTestLedger(path);
    rmSync(path);
    const expected = configuration("was removed or replaced");
    await expect(ledger.sendOnce("digest", neverSend, KEEP)).rejects.toMatchObject(expected);
    await openTestLedger(path);
    await expect(ledger.sendOnce("digest", neverSend, KEEP)).rejects.toMatchObject(expected);
  });

  test("in a folder that cannot be written", async ({ skip }) => {
    skip(process.getuid?.() === 0, "root can write anywhere");
    const path = createLedgerPath();
    (await openTestLedger(path)).close();
    chmodSync(dirname(path), 0o500);
    onTestFinished(() => chmodSync(dirname(path), 0o700));
    const sending = openTestLedger(path).then((ledger) => ledger.sendOnce("digest", neverSend, KEEP));
    await expect(sending).rejects.toMatchObject(configuration("cannot be read and written"));
  });
});

describe("a ledger that is removed while a message is sent", () => {
  test("says that it was sent", async () => {
    const path = createLedgerPath();
    const ledger = await openTestLedger(path);
    await expect(ledger.sendOnce("digest", async () => rmSync(path), KEEP)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^it was sent, but .* was removed or replaced/),
    });
  });

  test.each([
    [new CliError("rejected", "no such hook"), /^no such hook; and .* was removed or replaced/],
    [new TypeError("a bug"), /^a bug$/],
  ])("says why it could not be sent: %s", async (failure, message) => {
    const path = createLedgerPath();
    const ledger = await openTestLedger(path);
    const send = async () => {
      rmSync(path);
      throw failure;
    };
    await expect(ledger.sendOnce("digest", send, KEEP)).rejects.toMatchObject({
      name: failure.name,
      message: expect.stringMatching(message),
    });
  });
});

describe("keys", () => {
  test("are removed once they were kept for long enough, a bounded number in each run", async () => {
    const path = createLedgerPath();
    let now = NOW;
    const ledger = await openTestLedger(path, { now: () => now });
    const insert = (count: number, name: string, began: number, keepDays: number) =>
      runSql(
        path,
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
        insert into sends (key, state, owner, began_at, forget_at)
        select '${name} ' || i, 'sent', '{}', ${began} + i, ${began + keepDays * DAY} + i from n`,
      );
    insert(120, "event", NOW, 1);
    insert(99, "later", NOW + 2 * DAY, 10);
    const counts: unknown[] = [];
    for (let run = 100; run < 104; run += 1) {
      now = NOW + 2 * DAY + run;
      await ledger.sendOnce(`later ${run}`, async () => undefined, { keepDays: 10 });
      counts.push(querySql(path, "select count(*) as count from sends")[0]?.["count"]);
    }
    expect(counts).toEqual([220, 121, 102, 103]);
  });

  test("are kept by a clock that is wrong for a while", async () => {
    const path = createLedgerPath();
    let now = NOW;
    const ledger = await openTestLedger(path, { now: () => now });
    await ledger.sendOnce("digest", async () => undefined, KEEP);
    for (let run = 0; run < 20; run += 1) {
      now = NOW + 1_000 * DAY + run;
      await ledger.sendOnce(`wrong ${run}`, async () => undefined, KEEP);
    }
    now = NOW + 60_000;
    await ledger.sendOnce("right", async () => undefined, KEEP);
    expect(await ledger.sendOnce("digest", neverSend, KEEP)).toBe("already_sent");
  });
});

test("state is compact, and the last 100 names are kept even if they are not used any more", async () => {
  const path = createLedgerPath();
  let now = NOW;
  const ledger = await openTestLedger(path, { now: () => now });
  const seen = Array.from({ length: 2_000 }, (_, id) => ({
    id,
    title: `Event ${id}`,
    description: "text ".repeat(100),
  }));
  await ledger.remember({ name: "large", seen });
  expect(statSync(path).size).toBeLessThan(100_000);
  expect(await ledger.readSeen("large")).toEqual({ revision: 1, seen });
  now = NOW + 500 * DAY;
  runSql(
    path,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 98)
    insert into seen select 'new ' || i, content, 1, ${now} from n, seen where name = 'large'`,
  );
  await ledger.remember({ name: "new 99", seen: [] });
  expect(await ledger.readSeen("large")).not.toBeNull();
  await ledger.remember({ name: "new 100", seen: [] });
  expect(await ledger.readSeen("large")).toBeNull();
});

test("a ledger of the first version opens with what it has: keys are kept, and what is unknown is listed", async () => {
  const path = createLedgerPath();
  (await openTestLedger(path)).close();
  rmSync(path);
  runSql(path, (MIGRATIONS[0] ?? []).join("; "));
  const row = (key: string, state: string) =>
    `insert into sends values ('${key}', '${state}', '{}', ${NOW}, ${NOW + 400 * DAY}, null, null)`;
  runSql(
    path,
    [
      row("digest 1", "sent"),
      row("reminder 2", "unknown"),
      row("digest 3", "sending"),
      row("digest 4", "refused"),
    ].join("; "),
  );
  runSql(path, `pragma application_id = ${0x63616c67}; pragma user_version = 1`);
  const { ledger, sendOnce } = await openTestLedger(path);
  expect(await sendOnce("digest 1", neverSend, KEEP)).toBe("already_sent");
  const listed = await ledger.messages.list();
  expect(listed.map(({ command, what, outcome }) => ({ command, what, outcome }))).toEqual([
    { command: "post", what: null, outcome: "sent" },
    { command: "remind", what: null, outcome: "unknown" },
    { command: "post", what: null, outcome: "unknown" },
    { command: "post", what: null, outcome: "failed" },
  ]);
  await expect(sendOnce("reminder 2", neverSend, KEEP)).rejects.toMatchObject({ exitCode: 9 });
  await ledger.acknowledge();
  expect(await sendOnce("reminder 2", neverSend, KEEP)).toBe("unknown_before");
  expect(await sendOnce("digest 4", async () => undefined, KEEP)).toBe("sent");
});

test("the first line of a message and its target are kept for 30 days, and so is what had been seen before it", async () => {
  const path = createLedgerPath();
  let now = NOW;
  const { ledger, sendOnce } = await openTestLedger(path, { now: () => now });
  const lines = () => querySql(path, "select what, target from sends order by began_at, rowid");
  const seenBefore = async () => (await ledger.readSeen("news", { beforeUnknown: true }))?.seen;
  await ledger.remember({ name: "news", seen: ["old"] });
  await sendOnce("sent", async () => undefined, KEEP);
  const lost = () => Promise.reject(new CliError("outcome_unknown", "no answer"));
  const remember = { name: "news", seen: ["new"] };
  await expect(sendOnce("lost", lost, { keepDays: 400, remember })).rejects.toMatchObject({ exitCode: 9 });
  await ledger.acknowledge();
  expect([(await ledger.readSeen("news"))?.seen, await seenBefore()]).toEqual([["new"], ["old"]]);
  const line = (what: string) => ({ what, target: "target team" });
  expect(lines()).toEqual([line("sent"), line("lost")]);
  now = NOW + 31 * DAY;
  await sendOnce("later", async () => undefined, KEEP);
  now += 1;
  await sendOnce("latest", async () => undefined, KEEP);
  const gone = { what: null, target: null };
  expect(lines()).toEqual([gone, gone, line("later"), line("latest")]);
  expect((await ledger.messages.list()).map(({ what }) => what)).toEqual(["later", "latest"]);
  // Its key is kept: it is not sent again.
  expect(await sendOnce("lost", neverSend, KEEP)).toBe("unknown_before");
  expect(await seenBefore()).toEqual(["new"]);
});
