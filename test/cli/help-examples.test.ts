import { expect, onTestFinished, test } from "vitest";
import { blocksOf } from "../support/docs-pages.js";
import { createHarness, type Harness, type RunResult } from "../support/harness.js";
import { share } from "../support/shared.js";
import { runScript } from "../support/shell.js";
import { words } from "../support/words.js";
import { examplesOf, helpPages, NEED_KEYCHAIN, NEED_PROGRAM } from "../system/support/help-pages.js";

/** Every example of every command and topic, as a narrow terminal shows it: in this process. */

const PAGES = (await helpPages())
  .map((argv) => argv.join(" "))
  .filter((page) => ![...NEED_KEYCHAIN, ...NEED_PROGRAM].includes(page));

/** What the examples of some pages need. */
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
  [
    /^service/,
    `calctl service users add Ben -q
calctl service users add Caro -q
calctl service users add Dora -q
calctl service calendars add Club --owner Ben -q
calctl service members add Dora -c Club -q
calctl service clients add App --redirect-uri http://127.0.0.1/callback -q
calctl service tokens create --user Ben -q`,
  ],
  [/^service users password/, "echo correct horse battery >password-file"],
];

/** Pages whose examples change nothing that another example sees. */
const READING =
  /^(agenda|week|month|next|free|conflicts|events (list|get)|comments|calendars|labels|members|doctor|whoami|status|config list|schema|mcp|completion|help)\b/;

async function createWorld(): Promise<Harness> {
  const harness = await createHarness({ userName: "Ana", database: "local.db" });
  const { admin } = harness.service;
  for (const name of ["Family", "Work"]) await admin.calendars.add({ name, owner: harness.userId });
  for (const calendar of ["Family", "Work"])
    await harness.json(...words`add -c ${calendar} Dentist today 18:00 #2 --yes`);
  return harness;
}

const reading = share(createWorld);

/** Words and quotes alone, which mean the same without a shell. */
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

test.each(PAGES)("%s run as they stand", async (page) => {
  const harness = await (page === "--help"
    ? createHarness()
    : READING.test(page)
      ? reading()
      : createWorld());
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
