import { describe, expect, test } from "vitest";
import { CliError } from "../../../src/errors.js";
import { createLedgerPath, openTestLedger } from "./support.js";

const KEEP = { keepDays: 1 };

/** Counts what was sent. */
function createMailbox() {
  const sent: string[] = [];
  return { sent, send: (text: string) => async () => void sent.push(text) };
}

describe("a message under a key", () => {
  test("is sent once", async () => {
    const { sent, send } = createMailbox();
    const path = createLedgerPath();
    const ledger = await openTestLedger(path);
    expect(await ledger.sendOnce("digest", send("first"), KEEP)).toBe("sent");
    expect(await ledger.sendOnce("digest", send("second"), KEEP)).toBe("already_sent");
    const later = await openTestLedger(path);
    expect(await later.sendOnce("digest", send("third"), KEEP)).toBe("already_sent");
    expect(await later.sendOnce("other", send("other"), KEEP)).toBe("sent");
    expect(sent).toEqual(["first", "other"]);
  });

  test("is sent whatever happened before where all is repeated", async () => {
    const { sent, send } = createMailbox();
    const ledger = await openTestLedger(createLedgerPath());
    await ledger.sendOnce("digest", send("first"), KEEP);
    expect(await ledger.sendOnce("digest", send("second"), { ...KEEP, repeats: "all" })).toBe("sent");
    expect(sent).toEqual(["first", "second"]);
    expect(await ledger.sendOnce("digest", send("third"), KEEP)).toBe("already_sent");
  });

  test.each([
    ["a refusal", new CliError("rejected", "no such hook")],
    ["no network", new CliError("unavailable", "no answer")],
    ["an interruption before it was sent", new CliError("interrupted", "interrupted")],
  ])("can be sent again after %s", async (_, failure) => {
    const { sent, send } = createMailbox();
    const ledger = await openTestLedger(createLedgerPath());
    const failing = ledger.sendOnce("digest", () => Promise.reject(failure), KEEP);
    await expect(failing).rejects.toBe(failure);
    expect(await ledger.sendOnce("digest", send("first"), KEEP)).toBe("sent");
    expect(sent).toEqual(["first"]);
  });

  const unknown: readonly (readonly [string, Error])[] = [
    ["no answer", new CliError("outcome_unknown", "no answer")],
    ["an interruption", new CliError("interrupted", "interrupted", { mayHaveSucceeded: true })],
    ["a bug", new TypeError("undefined is not a function")],
  ];

  test.each(unknown)("is not sent again after %s, but where all is repeated", async (_, failure) => {
    const { sent, send } = createMailbox();
    const ledger = await openTestLedger(createLedgerPath());
    const failing = ledger.sendOnce("digest", () => Promise.reject(failure), KEEP);
    await expect(failing).rejects.toThrow(failure.message);
    for (let run = 0; run < 2; run += 1) {
      await expect(ledger.sendOnce("digest", send("again"), KEEP)).rejects.toMatchObject({
        code: "outcome_unknown",
        exitCode: 9,
        message: expect.stringMatching(/2026-11-22T06:00:00.000Z.*“digest”$/),
        hint: "check whether it arrived; to send it again, repeat the command with --again",
      });
    }
    expect(sent).toEqual([]);
    expect(await ledger.sendOnce("digest", send("again"), { ...KEEP, repeats: "all" })).toBe("sent");
    expect(sent).toEqual(["again"]);
  });

  test("is sent although its outcome was unknown before, and a report of that does not change it", async () => {
    const { send } = createMailbox();
    const ledger = await openTestLedger(createLedgerPath());
    const lost = () => Promise.reject(new CliError("outcome_unknown", "no answer"));
    await expect(ledger.sendOnce("digest", lost, KEEP)).rejects.toMatchObject({ exitCode: 9 });
    expect(await ledger.sendOnce("digest", send("again"), { ...KEEP, repeats: "all" })).toBe("sent");
    await ledger.acknowledge();
    expect(await ledger.sendOnce("digest", send("third"), KEEP)).toBe("already_sent");
  });

  test.each(unknown)("is not sent again after %s once that was reported", async (_, failure) => {
    const { sent, send } = createMailbox();
    const ledger = await openTestLedger(createLedgerPath());
    const options = { ...KEEP, remember: { name: "job", seen: [1] } };
    const failing = ledger.sendOnce("event", () => Promise.reject(failure), options);
    await expect(failing).rejects.toThrow(failure.message);
    const again = ledger.sendOnce("event", send("again"), options);
    await expect(again).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(await ledger.readSeen("job")).toBeNull();
    await ledger.acknowledge();
    expect(await ledger.sendOnce("event", send("again"), options)).toBe("unknown_before");
    expect(sent).toEqual([]);
    expect(await ledger.readSeen("job")).toEqual({ revision: 1, seen: [1] });
  });

  test("that fails when it is repeated stays what it was", async () => {
    const { sent, send } = createMailbox();
    const ledger = await openTestLedger(createLedgerPath());
    await ledger.sendOnce("digest", send("first"), KEEP);
    const failure = new CliError("unavailable", "no answer");
    const failing = ledger.sendOnce("digest", () => Promise.reject(failure), { ...KEEP, repeats: "all" });
    await expect(failing).rejects.toBe(failure);
    expect(await ledger.sendOnce("digest", send("second"), KEEP)).toBe("already_sent");
    expect(sent).toEqual(["first"]);
  });
});

test("what was seen is remembered only with the message that was sent", async () => {
  const ledger = await openTestLedger(createLedgerPath());
  const options = { ...KEEP, remember: { name: "job", seen: { events: ["a"] } } };
  const failure = new CliError("unavailable", "no answer");
  await expect(ledger.sendOnce("1", () => Promise.reject(failure), options)).rejects.toBe(failure);
  expect(await ledger.readSeen("job")).toBeNull();
  await ledger.sendOnce("1", async () => expect(await ledger.readSeen("job")).toBeNull(), options);
  expect(await ledger.readSeen("job")).toEqual({ revision: 1, seen: { events: ["a"] } });
  await ledger.remember({ name: "job", seen: [] });
  expect(await ledger.readSeen("job")).toEqual({ revision: 2, seen: [] });
});
