import { expect, onTestFinished, test } from "vitest";
import { blocksOf } from "../support/docs-pages.js";
import { createHarness, type Harness, harnessesWith, type RunResult } from "../support/harness.js";
import { share } from "../support/shared.js";
import { runScript } from "../support/shell.js";
import { words } from "../support/words.js";
import { examplesOf, helpPages, NEED_KEYCHAIN, NEED_PROGRAM } from "../system/support/help-pages.js";

/** Every example of every command and topic, as a narrow terminal shows it, run in this process. */

const PAGES = (await helpPages())
  .map((argv) => argv.join(" "))
  .filter((page) => ![...NEED_KEYCHAIN, ...NEED_PROGRAM].includes(page));

/** Commands that the examples of some pages need to have run before. */
const SEEDS: readonly (readonly [pages: RegExp, script: string])[] = [
  [/^targets remove/, "calctl targets add team --as mail --to ana@example.org"],
  [/^profiles/, "calctl config set base_url https://calendar.example -p calendar.example"],
  [
    /^config (get|unset)/,
    `calctl config set base_url https://club.example -p club
calctl profiles use club
calctl config set calendar Club -p local`,
  ],
  [/^events changes/, "calctl profiles use local"],
  [/^config path/, "calctl config set duration 45m"],
  [/^service users password/, "echo correct horse battery >password-file"],
];

/** Commands of `calctl service` that the examples of the service need. */
const SERVICE = `users add Ben
users add Caro
users add Dora
calendars add Club --owner Ben
members add Dora -c Club
clients add App --redirect-uri http://127.0.0.1/callback
tokens create --user Ben`;

/** Pages whose examples change nothing that another example sees. */
const READING =
  /^(agenda|week|month|next|free|conflicts|events (list|get)|comments|calendars|labels|members|doctor|whoami|status|config list|schema|mcp|completion|help (?!repeating))\b/;

const OPTIONS = { userName: "Ana", database: "local.db" };

async function begin({ service, userId, json }: Harness): Promise<object> {
  for (const name of ["Family", "Work"]) await service.admin.calendars.add({ name, owner: userId });
  for (const calendar of ["Family", "Work"])
    await json(...words`add -c ${calendar} Dentist today 18:00 #2 --yes`);
  return {};
}

const createWorld = harnessesWith(begin);

const createAdministered = harnessesWith(async (harness) => {
  for (const line of SERVICE.split("\n")) await harness.json("service", ...line.split(" "));
  return begin(harness);
});

const reading = share(() => createWorld(OPTIONS));

async function worldOf(page: string): Promise<Harness> {
  if (page === "--help") return createHarness();
  if (READING.test(page)) return reading();
  return page.startsWith("service ") ? createAdministered(OPTIONS) : createWorld(OPTIONS);
}

/** A line of nothing but words and quotes, which means the same without a shell. */
const PLAIN = /^calctl(?: +(?:[\w./:,@=+-]+|'[^'\n]*'|"[^"$`\\\n]*"))*$/;

async function runExample(harness: Harness, text: string): Promise<RunResult> {
  if (!PLAIN.test(text)) return runScript(harness, text);
  const argv = Array.from(
    text.matchAll(/'([^']*)'|"([^"]*)"|\S+/g),
    ([word, single, double]) => single ?? double ?? word,
  );
  return harness.run(...argv.slice(1));
}

/** Lines that mean the same without a shell are examples of their own. */
function examplesIn(block: string): readonly string[] {
  const lines = block
    .trim()
    .replaceAll(/ *\\\n */g, " ")
    .split("\n");
  return lines.every((line) => PLAIN.test(line)) ? lines : [block];
}

test.each(PAGES)("the examples of %s run as they stand", async (page) => {
  const harness = await worldOf(page);
  const folder = process.cwd();
  process.chdir(harness.directory);
  onTestFinished(() => process.chdir(folder));
  const { stdout } = await harness.runWith({ columns: 40 }, ...page.split(" "));
  const blocks = blocksOf(examplesOf(stdout));
  // Topics may have none.
  if (!page.startsWith("help ")) expect(blocks).not.toEqual([]);
  const seeds = SEEDS.filter(([pages]) => pages.test(page)).flatMap(([, script]) => script.split("\n"));
  for (const text of [...seeds, ...blocks.flatMap((block) => examplesIn(block.text))]) {
    const { exitCode, stderr } = await runExample(harness, text);
    expect({ text, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({
      text,
      exitCode: 0,
      stderr: "",
    });
  }
});
