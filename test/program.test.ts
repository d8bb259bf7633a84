import { expect, test } from "vitest";
import { createInstallation } from "./support/spawned.js";

/** That the built program starts, stores and prints; test/system has what it does with real parts. */

test("the built program creates and lists an event, and exits with 2 on a wrong flag", async () => {
  const { run } = createInstallation();
  const created = await run("add", "Lunch", "2031-01-06", "12:00", "--yes", "-q", "--fields", "title");
  expect(created).toEqual({ exitCode: 0, stdout: "Lunch\n", stderr: "" });
  const listed = await run("events", "list", "--on", "2031-01-06", "--fields", "start_local,title");
  expect(listed).toEqual({ exitCode: 0, stdout: "2031-01-06T12:00:00+01:00\tLunch\n", stderr: "" });
  expect(await run("events", "list", "--nope")).toMatchObject({ exitCode: 2, stdout: "" });
});
