import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runPage, signInWithToken } from "../support/docs-runner.js";
import { createDocsWorld, type DocsWorld } from "../support/docs-world.js";
import { createHarness } from "../support/harness.js";
import { examplesOf, helpPages } from "../support/help-pages.js";
import { startSession } from "../support/keyring.js";
import { describeWithSystem } from "../support/system.js";

/** Every example of every command and topic, as a narrow terminal shows it. */

const PAGES = await helpPages();

/** These store a token in the keychain. */
const NEEDS_KEYCHAIN: readonly string[] = ["login --help", "targets add --help"];

async function runExamples(world: DocsWorld, argv: readonly string[]): Promise<void> {
  const { runWith } = await createHarness();
  const { stdout } = await runWith({ columns: 40 }, ...argv);
  const examples = examplesOf(stdout);
  // Topics may have none.
  if (argv[0] !== "help") expect(examples).toContain("calctl");
  await runPage(world, examples);
}

/** What the examples of `service` name. */
const SEED = [
  "users add Ben",
  "users add Caro",
  "users add Dora",
  "calendars add Club --owner Ben",
  "members add Dora -c Club",
  "clients add App --redirect-uri http://127.0.0.1/callback",
  "tokens create --user Ben",
];

async function createWorld(argv: readonly string[]): Promise<DocsWorld> {
  const world = await createDocsWorld();
  await signInWithToken(world);
  if (/^targets (remove|test) --help$/.test(argv.join(" "))) {
    await world.shell("cd; calctl targets add team --as slack --insecure-storage <url-file");
  }
  if (argv[0] === "feeds") await world.shell("calctl feeds add -c Family");
  // Their examples of `service` are for the database of `local`, which is not in use here.
  if (["calendars", "labels"].includes(`${argv[0]}`)) {
    const added = await world.run("service", "calendars", "add", "Family", "-p", "local", "-q");
    expect(added).toMatchObject({ exitCode: 0 });
  }
  if (argv[0] !== "service") return world;
  writeFileSync(join(world.home, "password-file"), "correct horse battery\n");
  await addSeed(world);
  return world;
}

/** The database with the seed, once it was made. */
let seeded: Buffer | undefined;

async function addSeed({ home, run }: DocsWorld): Promise<void> {
  const database = join(home, ".local", "share", "calctl", "local.db");
  if (seeded !== undefined) {
    mkdirSync(dirname(database), { recursive: true });
    writeFileSync(database, seeded);
    return;
  }
  for (const line of SEED) {
    expect(await run("service", ...line.split(" "), "-q")).toMatchObject({ exitCode: 0 });
  }
  seeded = readFileSync(database);
}

/** Several runs one after another, on a machine that has much else to do (ms). */
const TIMEOUT = 60_000;

describe("the examples of", () => {
  test.each(PAGES.map((argv) => argv.join(" ")).filter((line) => !NEEDS_KEYCHAIN.includes(line)))(
    "%s run as they stand",
    async (line) => {
      const argv = line.split(" ");
      await runExamples(await createWorld(argv), argv);
    },
    TIMEOUT,
  );

  describeWithSystem("keyring", "on a desktop,", () => {
    describeWithSystem("dbus", "with a session,", () => {
      test.each(NEEDS_KEYCHAIN)(
        "%s run as they stand",
        async (line) => {
          const session = await startSession({ keyring: "unlocked" });
          await runExamples(await createDocsWorld(session.env), line.split(" "));
        },
        TIMEOUT,
      );
    });
  });
});
