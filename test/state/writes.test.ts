import { expect, test } from "vitest";
import { createWrites } from "../../src/state/writes.js";
import { createStatePath, openTestState } from "./support.js";

test("the outcome of a write that was forgotten changes no later write", async () => {
  const { state } = await openTestState(createStatePath());
  const open = async () => state;
  const ofRun = (command: string) =>
    createWrites({ open, account: "work", command, note: expect.unreachable });
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
