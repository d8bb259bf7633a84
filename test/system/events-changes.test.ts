import { describe, expect, test } from "vitest";
import { createInstallation, type Installation, TOMORROW } from "../support/spawned.js";

/** Runs of the built program under one name, whose output goes wrong or which come at the same time. */

const CHANGES = "calctl events changes -p local --since-last job --fields change,title";

/** An installation whose first run has seen no events, and with so many since. */
async function createWorld(events: number): Promise<Installation> {
  const installation = createInstallation();
  expect(await installation.shell(`${CHANGES} 2>/dev/null`)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  const create = `calctl events create -p local --title Event --start ${TOMORROW}T12:00 --duration 1h >/dev/null`;
  const made = await installation.shell(`for i in $(seq ${events}); do ${create}; done`);
  expect(made).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  return installation;
}

const ADDED = { exitCode: 0, stdout: "added\tEvent\n", stderr: "" };
const NOTHING = { exitCode: 0, stdout: "", stderr: "" };

describe("what was seen is remembered only once it was written:", () => {
  test("not to a full disk", async () => {
    const { shell } = await createWorld(1);
    expect(await shell(`${CHANGES} > /dev/full`)).toMatchObject({ exitCode: 1 });
    expect(await shell(CHANGES)).toEqual(ADDED);
    expect(await shell(CHANGES)).toEqual(NOTHING);
  });

  test("not to a reader that has gone", async () => {
    const { shell } = await createWorld(1);
    const { stderr } = await shell(`${CHANGES} | true`);
    expect(stderr).toContain("the next run prints these changes again");
    expect(await shell(CHANGES)).toEqual(ADDED);
    expect(await shell(CHANGES)).toEqual(NOTHING);
  });
});

test("of runs at the same time each change is printed by one", async () => {
  const { shell } = await createWorld(2);
  const runs = await Promise.all(Array.from({ length: 5 }, () => shell(CHANGES)));
  const printed = runs.map(({ stdout }) => stdout).sort();
  expect(printed).toEqual(["", "", "", "", "added\tEvent\nadded\tEvent\n"]);
  expect(runs.map(({ exitCode, stderr }) => `${exitCode}${stderr}`)).toEqual(
    Array.from({ length: 5 }, () => "0"),
  );
});
