import { describe, expect, test } from "vitest";
import { createHarness } from "../support/harness.js";
import { describeWithSystem } from "../support/system.js";
import { runPage, signInWithToken } from "./support/docs-runner.js";
import { createDocsWorld, type DocsWorld } from "./support/docs-world.js";
import { examplesOf, NEED_KEYCHAIN, NEED_PROGRAM } from "./support/help-pages.js";
import { startSession } from "./support/keyring.js";

/** The examples that need the built program; test/cli/help-examples.test.ts has the others. */

async function runExamples(world: DocsWorld, page: string): Promise<void> {
  const { runWith } = await createHarness();
  const { stdout } = await runWith({ columns: 40 }, ...page.split(" "));
  const examples = examplesOf(stdout);
  expect(examples).toContain("calctl");
  await runPage(world, examples);
}

/** Commands that the examples of some pages need to have run before. */
const SEEDS: Readonly<Record<string, string>> = {
  "feeds list --help": "calctl feeds add -c Family",
  "feeds remove --help": "calctl feeds add -c Family",
  "help sharing":
    "for name in Ben Caro; do calctl service users add $name -q </dev/null; done; calctl service calendars add Club --owner Ben -q",
  "service copy --help": "calctl service users add Ben -p local -q",
  "targets test --help": "cd; calctl targets add team --as slack --insecure-storage <url-file",
};

describe("the examples of", () => {
  test.each(NEED_PROGRAM)("%s run as they stand", async (page) => {
    const world = await createDocsWorld();
    await signInWithToken(world);
    await world.shell(SEEDS[page] ?? ":");
    await runExamples(world, page);
  });

  describeWithSystem("keyring", "on a desktop,", () => {
    describeWithSystem("dbus", "with a session,", () => {
      test.each(NEED_KEYCHAIN)("%s run as they stand", async (page) => {
        const session = await startSession({ keyring: "unlocked" });
        await runExamples(await createDocsWorld(session.env), page);
      });
    });
  });
});
