import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import { loadSqlite } from "../../src/system/sqlite/driver.js";
import { createDeferred, createStatePath, ENDED_PID, NOW, openTestState, processWith } from "./support.js";

const KEEP = { keepDays: 1 };

/** An attempt of another process that does not end before `finish` is called. */
async function beginSending(path: string, pid = 1) {
  const other = await openTestState(path, { process: processWith(pid) });
  const begun = createDeferred();
  const end = createDeferred();
  const attempt = other.sendOnce(
    "digest",
    () => {
      begun.resolve();
      return end.promise;
    },
    KEEP,
  );
  // Those that never end are abandoned with the test.
  attempt.catch(() => undefined);
  await begun.promise;
  return { finish: end, attempt };
}

const send = async () => undefined;

describe("while another process sends under the key", () => {
  test("its success is waited for", async () => {
    const path = createStatePath();
    const { finish, attempt } = await beginSending(path);
    let pauses = 0;
    const state = await openTestState(path, {
      process: processWith(process.pid),
      async onPause() {
        pauses += 1;
        if (pauses < 3) return;
        finish.resolve();
        await attempt;
      },
    });
    expect(await state.sendOnce("digest", send, KEEP)).toBe("already_sent");
    expect(pauses).toBe(3);
  });

  test.each([
    ["failure frees the key", new CliError("rejected", "no such hook"), "sent"],
    ["unknown outcome is that of both", new CliError("outcome_unknown", "no answer"), 9],
  ])("its %s", async (_, failure, outcome) => {
    const path = createStatePath();
    const { finish, attempt } = await beginSending(path);
    const state = await openTestState(path, {
      process: processWith(process.pid),
      async onPause() {
        finish.reject(failure);
        await attempt.catch(() => undefined);
      },
    });
    const sent = await state.sendOnce("digest", send, KEEP).catch(({ exitCode }: CliError) => exitCode);
    expect(sent).toBe(outcome);
  });

  test("the others are told at once where they need not wait", async () => {
    const path = createStatePath();
    await beginSending(path);
    const onPause = () => expect.unreachable("it waits");
    const state = await openTestState(path, { process: processWith(process.pid), onPause });
    expect(await state.sendOnce("digest", send, { ...KEEP, skipBusy: true })).toBe("being_sent");
  });

  test("an interruption ends the wait, and the other goes on", async () => {
    const path = createStatePath();
    const { finish, attempt } = await beginSending(path);
    const interruption = new AbortController();
    const state = await openTestState(path, {
      process: processWith(process.pid),
      signal: interruption.signal,
      onPause: () => interruption.abort(new CliError("interrupted", "interrupted")),
    });
    await expect(state.sendOnce("digest", send, KEEP)).rejects.toMatchObject({ code: "interrupted" });
    finish.resolve();
    expect(await attempt).toBe("sent");
  });

  test("the wait ends after three minutes, whatever the clock says", async () => {
    const path = createStatePath();
    await beginSending(path);
    let waited = 0;
    const notes: string[] = [];
    const state = await openTestState(path, {
      process: processWith(process.pid),
      note: (text) => notes.push(`after ${waited} ms: ${text}`),
      now: () => NOW - waited * 1_000,
      onPause: (milliseconds) => {
        waited += milliseconds;
      },
    });
    await expect(state.sendOnce("digest", send, KEEP)).rejects.toMatchObject({
      code: "unavailable",
      message: "another calctl (process 1) is still sending this",
    });
    expect(waited).toBeGreaterThanOrEqual(180_000);
    expect(waited).toBeLessThan(181_000);
    expect(notes).toEqual(["after 1620 ms: waiting for another calctl (process 1), which is sending this"]);
  });

  test("`again` does not wait, and the late note of the other changes nothing", async () => {
    const path = createStatePath();
    const { finish, attempt } = await beginSending(path);
    const state = await openTestState(path, { process: processWith(process.pid) });
    const unknown = new CliError("outcome_unknown", "no answer");
    const again = state.sendOnce("digest", () => Promise.reject(unknown), { ...KEEP, repeats: "all" });
    await expect(again).rejects.toMatchObject({ code: "outcome_unknown" });
    finish.reject(new CliError("rejected", "no such hook"));
    await expect(attempt).rejects.toMatchObject({ code: "rejected" });
    await expect(state.sendOnce("digest", send, KEEP)).rejects.toMatchObject({ exitCode: 9 });
  });
});

describe("the outcome is unknown when the process that sent", () => {
  async function expectUnknown(path: string, pid: number) {
    const pauses: number[] = [];
    const state = await openTestState(path, { onPause: (pause) => pauses.push(pause) });
    await expect(state.sendOnce("digest", send, KEEP)).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining(`the attempt of 2026-11-22T06:00:00.000Z (process ${pid})`),
    });
    expect(pauses).toEqual([]);
  }

  test("has ended", async () => {
    const path = createStatePath();
    await beginSending(path, ENDED_PID);
    await expectUnknown(path, ENDED_PID);
  });

  test("had the id of this one, as in a container", async () => {
    const path = createStatePath();
    await beginSending(path, process.pid);
    const database = new (await loadSqlite()).DatabaseSync(path);
    database.exec(`update sent set owner = json_set(owner, '$.run', 'another')`);
    database.close();
    await expectUnknown(path, process.pid);
  });
});

describe("work under a name", () => {
  test("is done one after the other", async () => {
    const path = createStatePath();
    const [first, second] = await Promise.all([openTestState(path), openTestState(path)]);
    const done: string[] = [];
    const end = createDeferred();
    const begun = createDeferred();
    const long = first.seen.exclusively("job", async () => {
      done.push("first begins");
      begun.resolve();
      await end.promise;
      done.push("first ends");
    });
    await begun.promise;
    const short = second.seen.exclusively("job", async () => void done.push("second"));
    await second.seen.exclusively("other", async () => void done.push("other"));
    end.resolve();
    await Promise.all([long, short]);
    expect(done).toEqual(["first begins", "other", "first ends", "second"]);
  });

  test("leaves the name free when it fails", async () => {
    const state = await openTestState(createStatePath());
    const failing = state.seen.exclusively("job", () => Promise.reject(new Error("on purpose")));
    await expect(failing).rejects.toThrow("on purpose");
    expect(await state.seen.exclusively("job", async () => "done")).toBe("done");
  });

  test("does not wait for a process that has ended", async () => {
    const path = createStatePath();
    const ended = await openTestState(path, { process: processWith(ENDED_PID) });
    void ended.seen.exclusively("job", () => new Promise(() => undefined));
    const state = await openTestState(path);
    await state.seen.exclusively("other", async () => undefined);
    expect(await state.seen.exclusively("job", async () => "done")).toBe("done");
  });
});
