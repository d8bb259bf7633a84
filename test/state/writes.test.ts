import { expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import type { State } from "../../src/state/state.js";
import { createWrites } from "../../src/state/writes.js";
import { createStatePath, openTestState } from "./support.js";

const UNUSED = expect.unreachable;

/** The writes of a command of its own, in a new state. */
async function openWrites() {
  const { state } = await openTestState(createStatePath());
  const failures: unknown[] = [];
  const timeouts: unknown[] = [];
  /** Fails as often as there are failures to come. */
  const failing: State = {
    ...state,
    async write(work, options) {
      timeouts.push(options?.timeout);
      if (failures.length > 0) throw failures.shift();
      return state.write(work, options);
    },
  };
  const ofRun = (command: string, warn: (text: string) => void = UNUSED) =>
    createWrites({ open: async () => failing, account: "work", command, warn });
  return { ofRun, failures, timeouts, state };
}

const LOCKED = new CliError("unavailable", "the state database is locked");
const deleteOf = (title: string) => ({ kind: "delete", title }) as const;

test("one that cannot be noted is said once, and the others are noted as one command", async () => {
  const { ofRun, failures, timeouts } = await openWrites();
  const warnings: string[] = [];
  const writes = ofRun("events delete", (text) => warnings.push(text));
  failures.push(LOCKED, LOCKED);
  for (const title of ["One", "Two", "Three", "Four"])
    await (await writes.begin(deleteOf(title)))({ state: "done" });
  const message = "not everything that this command writes can be undone: the state database is locked";
  expect(warnings).toEqual([message]);
  expect(await writes.commands()).toMatchObject([
    { command: "events delete", writes: [{ title: "Three", state: "done" }, { title: "Four" }] },
  ]);
  expect(timeouts.slice(0, 2)).toEqual([undefined, 100]);
});

test("one that fails with what must be noted with it does not fail the others", async () => {
  const { ofRun, failures } = await openWrites();
  const writes = ofRun("import");
  failures.push(LOCKED);
  const titles = ["One", "Two", "Three"];
  const begun = await Promise.allSettled(
    titles.map((title) => writes.begin(deleteOf(title), () => undefined)),
  );
  expect(begun).toMatchObject([
    { status: "rejected", reason: LOCKED },
    { status: "fulfilled" },
    { status: "fulfilled" },
  ]);
  expect(await writes.commands()).toMatchObject([{ writes: [{ title: "Two" }, { title: "Three" }] }]);
});

test("an error that nobody expects is thrown before anything is sent", async () => {
  const { ofRun, failures } = await openWrites();
  failures.push(new TypeError("not a function"));
  await expect(ofRun("events delete").begin(deleteOf("One"))).rejects.toThrow("not a function");
});

const EVENT = { id: "e1", recurrences: [] };

test.each([
  [{ before: {} }],
  [{ before: null }],
  [{ series: { id: "e1" } }],
  [{ before: EVENT, changed: [{ id: 1, recurrences: [] }] }],
  [{ before: EVENT, changed: "" }],
])("%j is a damaged record", async (written) => {
  const { ofRun, state } = await openWrites();
  const writes = ofRun("events delete");
  await writes.begin({ ...deleteOf("One"), eventId: "e1" });
  await state.write((db) => db.run("update writes set written = ?", JSON.stringify(written)));
  expect(await writes.commands()).toMatchObject([{ writes: [{ isDamaged: true, eventId: "e1" }] }]);
});

test("the outcome of a write that was forgotten changes no later write", async () => {
  const { ofRun } = await openWrites();
  const finish = await ofRun("events create").begin({ kind: "create", title: "Lunch" });
  await ofRun("config set").forget();
  const later = ofRun("events delete");
  await later.begin({ kind: "delete", title: "Rehearsal" });
  await finish({ state: "refused" });
  const [command, ...others] = await later.commands();
  expect(others).toEqual([]);
  expect(command).toMatchObject({ command: "events delete", run: command?.writes[0]?.id });
  expect(command?.writes).toMatchObject([{ title: "Rehearsal", state: "begun" }]);
});
