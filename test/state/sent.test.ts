import { describe, expect, test } from "vitest";
import { querySql, runSql } from "../../service/test/support/database.js";
import { CliError } from "../../src/errors.js";
import { createStatePath, DAY, NOW, openTestState } from "./support.js";

const KEEP = { keepDays: 1 };

/** A send that fails the test when it runs. */
const neverSend = () => Promise.reject(new Error("it was sent"));

/** Counts what was sent. */
function createMailbox() {
  const sent: string[] = [];
  return { sent, send: (text: string) => async () => void sent.push(text) };
}

describe("a message under a key", () => {
  test("is sent once", async () => {
    const { sent, send } = createMailbox();
    const path = createStatePath();
    const state = await openTestState(path);
    expect(await state.sendOnce("digest", send("first"), KEEP)).toBe("sent");
    expect(await state.sendOnce("digest", send("second"), KEEP)).toBe("already_sent");
    const later = await openTestState(path);
    expect(await later.sendOnce("digest", send("third"), KEEP)).toBe("already_sent");
    expect(await later.sendOnce("other", send("other"), KEEP)).toBe("sent");
    expect(sent).toEqual(["first", "other"]);
  });

  test("is sent whatever happened before where all is repeated", async () => {
    const { sent, send } = createMailbox();
    const state = await openTestState(createStatePath());
    await state.sendOnce("digest", send("first"), KEEP);
    expect(await state.sendOnce("digest", send("second"), { ...KEEP, repeats: "all" })).toBe("sent");
    expect(sent).toEqual(["first", "second"]);
    expect(await state.sendOnce("digest", send("third"), KEEP)).toBe("already_sent");
  });

  test.each([
    ["a refusal", new CliError("rejected", "no such hook")],
    ["no network", new CliError("unavailable", "no answer")],
    ["an interruption before it was sent", new CliError("interrupted", "interrupted")],
  ])("can be sent again after %s", async (_, failure) => {
    const { sent, send } = createMailbox();
    const state = await openTestState(createStatePath());
    const failing = state.sendOnce("digest", () => Promise.reject(failure), KEEP);
    await expect(failing).rejects.toBe(failure);
    expect(await state.sendOnce("digest", send("first"), KEEP)).toBe("sent");
    expect(sent).toEqual(["first"]);
  });

  const unknown: readonly (readonly [string, Error])[] = [
    ["no answer", new CliError("outcome_unknown", "no answer")],
    ["an interruption", new CliError("interrupted", "interrupted", { mayHaveSucceeded: true })],
    ["a bug", new TypeError("undefined is not a function")],
  ];

  test.each(unknown)("is not sent again after %s, but where all is repeated", async (_, failure) => {
    const { sent, send } = createMailbox();
    const state = await openTestState(createStatePath());
    const failing = state.sendOnce("digest", () => Promise.reject(failure), KEEP);
    await expect(failing).rejects.toThrow(failure.message);
    for (let run = 0; run < 2; run += 1) {
      await expect(state.sendOnce("digest", send("again"), KEEP)).rejects.toMatchObject({
        code: "outcome_unknown",
        exitCode: 9,
        message: expect.stringMatching(/2026-11-22T06:00:00.000Z.*“digest”$/),
        hint: "check whether it arrived; to send it again, repeat the command with --again",
      });
    }
    expect(sent).toEqual([]);
    expect(await state.sendOnce("digest", send("again"), { ...KEEP, repeats: "all" })).toBe("sent");
    expect(sent).toEqual(["again"]);
  });

  test("is sent although its outcome was unknown before, and a report of that does not change it", async () => {
    const { send } = createMailbox();
    const state = await openTestState(createStatePath());
    const lost = () => Promise.reject(new CliError("outcome_unknown", "no answer"));
    await expect(state.sendOnce("digest", lost, KEEP)).rejects.toMatchObject({ exitCode: 9 });
    expect(await state.sendOnce("digest", send("again"), { ...KEEP, repeats: "all" })).toBe("sent");
    await state.sent.acknowledge();
    expect(await state.sendOnce("digest", send("third"), KEEP)).toBe("already_sent");
  });

  test.each(unknown)("is not sent again after %s once that was reported", async (_, failure) => {
    const { sent, send } = createMailbox();
    const state = await openTestState(createStatePath());
    const options = { ...KEEP, remember: { name: "job", seen: [1] } };
    const failing = state.sendOnce("event", () => Promise.reject(failure), options);
    await expect(failing).rejects.toThrow(failure.message);
    const again = state.sendOnce("event", send("again"), options);
    await expect(again).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(await state.seen.read({ name: "job" })).toBeNull();
    await state.sent.acknowledge();
    expect(await state.sendOnce("event", send("again"), options)).toBe("unknown_before");
    expect(sent).toEqual([]);
    expect(await state.seen.read({ name: "job" })).toEqual({ revision: 1, seen: [1] });
  });

  test("that fails when it is repeated stays what it was", async () => {
    const { sent, send } = createMailbox();
    const state = await openTestState(createStatePath());
    await state.sendOnce("digest", send("first"), KEEP);
    const failure = new CliError("unavailable", "no answer");
    const failing = state.sendOnce("digest", () => Promise.reject(failure), { ...KEEP, repeats: "all" });
    await expect(failing).rejects.toBe(failure);
    expect(await state.sendOnce("digest", send("second"), KEEP)).toBe("already_sent");
    expect(sent).toEqual(["first"]);
  });
});

test("what was seen is remembered only with the message that was sent", async () => {
  const state = await openTestState(createStatePath());
  const options = { ...KEEP, remember: { name: "job", seen: { events: ["a"] } } };
  const failure = new CliError("unavailable", "no answer");
  await expect(state.sendOnce("1", () => Promise.reject(failure), options)).rejects.toBe(failure);
  expect(await state.seen.read({ name: "job" })).toBeNull();
  await state.sendOnce("1", async () => expect(await state.seen.read({ name: "job" })).toBeNull(), options);
  expect(await state.seen.read({ name: "job" })).toEqual({ revision: 1, seen: { events: ["a"] } });
  await state.seen.saveSnapshot({ name: "job", seen: [] });
  expect(await state.seen.read({ name: "job" })).toEqual({ revision: 2, seen: [] });
});

describe("keys", () => {
  test("are removed once they were kept for long enough, a bounded number in each run", async () => {
    const path = createStatePath();
    let now = NOW;
    const state = await openTestState(path, { now: () => now });
    const insert = (count: number, name: string, began: number, keepDays: number) =>
      runSql(
        path,
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
        insert into sent (key, state, owner, began_at, forget_at, command)
        select '${name} ' || i, 'sent', '{}', ${began} + i, ${began + keepDays * DAY} + i, 'post' from n`,
      );
    insert(120, "event", NOW, 1);
    insert(99, "later", NOW + 2 * DAY, 10);
    const counts: unknown[] = [];
    for (let run = 100; run < 104; run += 1) {
      now = NOW + 2 * DAY + run;
      await state.sendOnce(`later ${run}`, async () => undefined, { keepDays: 10 });
      counts.push(querySql(path, "select count(*) as count from sent")[0]?.["count"]);
    }
    expect(counts).toEqual([220, 121, 102, 103]);
  });

  test("are kept by a clock that is wrong for a while", async () => {
    const path = createStatePath();
    let now = NOW;
    const state = await openTestState(path, { now: () => now });
    await state.sendOnce("digest", async () => undefined, KEEP);
    for (let run = 0; run < 20; run += 1) {
      now = NOW + 1_000 * DAY + run;
      await state.sendOnce(`wrong ${run}`, async () => undefined, KEEP);
    }
    now = NOW + 60_000;
    await state.sendOnce("right", async () => undefined, KEEP);
    expect(await state.sendOnce("digest", neverSend, KEEP)).toBe("already_sent");
  });
});

test("the first line of a message and its target are kept for 30 days, and so is what had been seen before it", async () => {
  const path = createStatePath();
  let now = NOW;
  const { seen, sent, sendOnce } = await openTestState(path, { now: () => now });
  const lines = () => querySql(path, "select what, target from sent order by began_at, rowid");
  const seenBefore = async () => (await seen.read({ name: "news" }, { beforeUnknown: true }))?.seen;
  await seen.saveSnapshot({ name: "news", seen: ["old"] });
  await sendOnce("sent", async () => undefined, KEEP);
  const lost = () => Promise.reject(new CliError("outcome_unknown", "no answer"));
  const remember = { name: "news", seen: ["new"] };
  await expect(sendOnce("lost", lost, { keepDays: 400, remember })).rejects.toMatchObject({ exitCode: 9 });
  await sent.acknowledge();
  expect([(await seen.read({ name: "news" }))?.seen, await seenBefore()]).toEqual([["new"], ["old"]]);
  const line = (what: string) => ({ what, target: "target team" });
  expect(lines()).toEqual([line("sent"), line("lost")]);
  now = NOW + 31 * DAY;
  await sendOnce("later", async () => undefined, KEEP);
  now += 1;
  await sendOnce("latest", async () => undefined, KEEP);
  const gone = { what: null, target: null };
  expect(lines()).toEqual([gone, gone, line("later"), line("latest")]);
  expect((await sent.list()).map(({ what }) => what)).toEqual(["later", "latest"]);
  // Its key is kept: it is not sent again.
  expect(await sendOnce("lost", neverSend, KEEP)).toBe("unknown_before");
  expect(await seenBefore()).toEqual(["new"]);
});
