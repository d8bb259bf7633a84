import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readPage } from "../support/docs-pages.js";
import { TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { systemPart } from "../support/system-parts.js";
import { words } from "../support/words.js";
import { comparable, runCrontab, runPage, signInWithToken } from "./support/docs-runner.js";
import { createDocsWorld, PUBLISHED } from "./support/docs-world.js";
import { startSession } from "./support/keyring.js";

/** Every line that a reader of the docs would type, as it stands, and the output that the docs show for it. */

const PAGES = words`README.md agents changes completion cron dates debugging exit-codes extensions feeds files glossary
  import known-limits listing login messages names network output peers platforms repeating screens
  scripting service/operating service/scaling service/self-hosting status-bars watch webhooks writing`;

test("the test knows every page", () => {
  const listed = readPage("README.md").matchAll(/\]\(docs\/([\w/-]+)\.md\)/g);
  expect(PAGES).toEqual(["README.md", ...[...new Set([...listed].map(([, name]) => name))].sort()]);
});

/** Many runs one after another, on a machine that has much else to do (ms). */
const PAGE_TIMEOUT = 180_000;

describeWithSystem("keyring", "on a desktop, the lines of", () => {
  describeWithSystem("dbus", "with a session,", () => {
    test(
      "README.md work",
      async () => {
        const world = await createDocsWorld((await startSession({ keyring: "unlocked" })).env);
        await runPage(world, readPage("README.md"));
        // .ci/run builds, starts and tests the project for real, in a fresh clone.
        expect(world.calls()).toBe("npm pack\nnpm install --global calctl-*.tgz\n");
      },
      PAGE_TIMEOUT,
    );

    test(
      "docs/login.md work",
      async () => {
        const world = await createDocsWorld((await startSession({ keyring: "unlocked" })).env);
        await runPage(world, readPage("login"));
        expect(world.calls().match(/^\w+/gm)).toEqual(["ssh", "sudo", "docker", "pass", "crontab"]);
      },
      PAGE_TIMEOUT,
    );
  });
});

describeWithSystem("script", "with lines on a terminal,", () => {
  test("docs/service/self-hosting.md work", async () => {
    await runPage(await createDocsWorld(), readPage("docs/service/self-hosting.md"));
  });

  test.each(["changes", "debugging", "exit-codes", "files", "output", "repeating"])(
    "docs/%s.md work",
    runPageSignedIn,
  );

  test("docs/webhooks.md work", async () => {
    await runPage(await createDocsWorld(), readPage("webhooks"));
  });
});

test(
  "docs/cron.md work",
  async () => {
    const world = await createDocsWorld();
    await runPage(world, readPage("cron"));
    // systemd.test.ts runs what is after sudo.
    expect(new Set(world.calls().match(/^\w+/gm))).toEqual(new Set(["sudo", "docker", "curl"]));
    expect(world.pings).toEqual(systemPart("curl") === undefined ? [] : ["/digest", "/remind/0"]);
    expect(world.posted.length).toBeGreaterThan(1);
    for (const posted of world.posted) expect(JSON.parse(posted)).toHaveProperty("blocks");
  },
  PAGE_TIMEOUT,
);

test("the lines of docs/platforms.md work", async () => {
  const world = await createDocsWorld();
  await runPage(world, readPage("platforms"));
  const executable = "npm run build:standalone\nnpm run build:deb\n";
  const packages =
    "sudo apt-get install ./release/calctl_*.deb\npodman build -f build/Containerfile -t calctl .\n";
  expect(world.calls()).toBe(`${executable}${packages}`);
});

test("docs/service/operating.md work", async () => {
  const world = await createDocsWorld();
  await runPage(world, readPage("docs/service/operating.md"));
  // systemd.test.ts runs what is after sudo.
  expect(new Set(world.calls().match(/^\w+/gm))).toEqual(new Set(["npm", "sudo"]));
});

test("docs/service/scaling.md work", async () => {
  const world = await createDocsWorld();
  await runPage(world, readPage("docs/service/scaling.md"));
  // history.test.ts starts what the examples set up.
  expect(new Set(world.calls().match(/^\w+/gm))).toEqual(new Set(["sudo"]));
});

describeWithSystem("curl", "with what others wrote,", () => {
  test("the lines of docs/import.md work", async () => {
    const world = await createDocsWorld();
    await signInWithToken(world);
    writeFileSync(join(world.home, "season.csv"), "What;Day;From;Where\nTraining;24.11.2031;19:00;Gym\n");
    for (const name of ["invitation.ics", "google.ics", "calendars/home/1.ics"]) {
      mkdirSync(dirname(join(world.home, name)), { recursive: true });
      writeFileSync(join(world.home, name), PUBLISHED);
    }
    await runPage(world, readPage("import"));
    const { stdout } = await world.run(...words`events list -c Family --on 2031-11-24 --fields title`);
    expect(stdout.split("\n").sort()).toEqual(["", "Match", "Match", "Match", "Match", "Training"]);
  });
});

test.each(["agents", "extensions", "feeds", "network", "scripting"])(
  "the lines of docs/%s.md work",
  runPageSignedIn,
);

async function runPageSignedIn(name: string): Promise<void> {
  const world = await createDocsWorld();
  await signInWithToken(world);
  await runPage(world, readPage(name));
}

test.each(["glossary", "listing", "messages", "names", "status-bars", "watch", "writing"])(
  "the lines of docs/%s.md work with the profile local",
  async (name) => {
    await runPage(await createDocsWorld(), readPage(name));
  },
);

const EVENT_ROW =
  "events list, events get, events create, events update, events copy, events move, add, agenda, week, month, next";

// Many runs one after another.
test("docs/output.md has the keys and columns of every shape", async () => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  const { stdout: id } = await world.run("events", "create", "-c", "Family", ...LUNCH, "--fields", "id");
  const page = readPage("output");
  for (const [shape, row, argv] of [
    ["user", "members, whoami", ["whoami"]],
    ["calendar", "calendars", ["calendars"]],
    ["label", "labels", ["labels", "-c", "Family"]],
    ["event", EVENT_ROW, ["events", "list", "--days", "2", "-c", "Family"]],
    ["activity", "comments", ["comment", id.trim(), "Text", "-c", "Family"]],
    ["status", null, ["status"]],
  ] as const) {
    const { stdout } = await world.run(...argv, "-o", "json");
    expect(Object.keys([JSON.parse(stdout)].flat()[0]), shape).toEqual(keysOf(page, shape));
    if (row === null) continue;
    const columns = new RegExp(`^\\| ${row} \\| \`(.*?)\``, "m").exec(page)?.[1] ?? "";
    const fields = ["-o", "tsv", "--fields", columns.replaceAll(" ", ",")];
    const [byDefault, byName] = [await world.run(...argv, "-o", "tsv"), await world.run(...argv, ...fields)];
    expect(comparable(byName.stdout), row).toBe(comparable(byDefault.stdout));
  }
});

const LUNCH = ["--title", "Lunch", "--start", `${TOMORROW}T12:00`, "--duration", "1h"];

/** The keys of a shape on the page. */
function keysOf(page: string, shape: string): readonly string[] {
  const text = new RegExp(`^${shape} +\\{([\\s\\S]*?)\\}(?:$|  )`, "m").exec(page)?.[1] ?? "";
  return text
    .replace(/\{.*?\}/g, "")
    .split(",")
    .map((key) => key.replace(/:.*/, "").trim());
}

test("docs/network.md shows the note of a retry", async () => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  world.failOnce(503);
  const { stderr } = await world.run("calendars");
  expect(comparable(readPage("network"))).toContain(comparable(stderr));
});

test("examples/crontab posts the events of the day, once", async () => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  const add = ["targets", "add", "team", "--as", "slack", "--insecure-storage", "--url-file", "url-file"];
  expect((await world.shell(`cd; calctl ${add.join(" ")}`)).exitCode).toBe(0);
  const crontab = world.place(readPage("examples/crontab"));
  const results = await runCrontab(world, crontab);
  expect(results.map(({ stdout }) => stdout === "")).toEqual([true, true, false]);
  // It is read in an email.
  expect(results[2]?.stdout).not.toContain("\t");
  const { length } = world.posted;
  expect(length).toBeGreaterThan(0);
  await runCrontab(world, crontab);
  expect(world.posted).toHaveLength(length);
});
