import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";

/** `npm start`, which the README shows first, with the real program. */

const ENTER_REPOSITORY = `cd "${fileURLToPath(new URL("../..", import.meta.url))}"`;

test("the first command prints JSON and nothing else on stdout", async () => {
  const { shell } = createInstallation();
  const result = await shell(`${ENTER_REPOSITORY} && npm start --silent -- events list -o json`);
  expect(result).toMatchObject({ exitCode: 0, stdout: "[]\n" });
  expect(result.stderr).toContain("local.db");
});

test("npm passes the exit code on", async () => {
  const { shell } = createInstallation();
  const result = await shell(`${ENTER_REPOSITORY} && npm start --silent -- events get no-such-event`);
  expect(result).toMatchObject({ exitCode: 5, stdout: "" });
});

test("without a command it runs the tour, which creates no saved calendar", async () => {
  const { shell, home } = createInstallation();
  const result = await shell(`${ENTER_REPOSITORY} && npm start --silent`);
  expect(result.exitCode).toBe(0);
  expect(result.stdout).toContain("calctl undo --yes\n");
  expect(existsSync(join(home, ".local"))).toBe(false);
  // What it suggests at its end works as printed, where calctl itself is not installed.
  const suggested = result.stdout.split("\n").filter((line) => line.startsWith("  npm start "));
  expect(suggested.map((line) => line.split(" -- ")[1]?.split(" ")[0])).toEqual(["add", "agenda", "help"]);
  const ran = await shell(`${ENTER_REPOSITORY} && ${suggested.join(" && ")}`);
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("First event") });
});
