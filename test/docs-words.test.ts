import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readPage } from "./support/docs-pages.js";
import { createHarness } from "./support/harness.js";
import { helpPages } from "./system/support/help-pages.js";

/** One term for one idea: docs and help use the terms of docs/glossary.md, and none of these. */

/** Words that are not used any more, with what to write instead. */
const RETIRED: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(?:takes?|taken|took|taking) (?:\S+ ){0,4}back\b/, "undo"],
  [/\b(?:put|puts|putting) (?:\S+ ){0,4}back\b/, "restore"],
  [/\bledger\b|\b(?:no|this|its) journal\b|\bjournal of\b/, "records"],
  [/\bbeside\b/, "in addition to, next to, compared with"],
  [/\ba mail\b(?! program)/, "an email"],
  [/\bexceptions?\b/, "excluded date, or: an event that was changed on its own"],
  [/\bwhoever\b/, "anyone who"],
  [/\banew\b/, "again"],
  [/\bmend(?:ed|s)?\b/, "fix"],
  [/\bnull without one\b/, "null if there is none"],
  [/\bgive one of the two\b/, "use only one of them"],
  [/\bmade before with\b/, "already created with"],
  [/\btold otherwise\b/, "by default"],
  [/\bfor who(?:ever)? \w+s\b/, "for clients that"],
  [/(?<!there )\b(?:is|was) no (?:link|failure|change|time|day|limit|text|note|error)\b/, "is not a"],
  [/\bslots?\b/, "start"],
];

const ROOT = fileURLToPath(new URL("..", import.meta.url));

function pagesIn(folder: string): readonly string[] {
  return readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}${name}`);
}

/**
 * Sentences of pages are on several lines, and rows of tables on one each. Two pages are drawn from what the program
 * prints: its tests say what that is.
 */
const DRAWN: readonly string[] = ["docs/screens.md", "docs/peers.md"];
const PAGES = ["./", "build/", "test/", "service/", "docs/", "docs/service/"]
  .flatMap(pagesIn)
  .filter((page) => !DRAWN.includes(page));

/** Each use of a retired word, with the words around it and what to write instead. */
function retiredIn(text: string): readonly string[] {
  const line = text.replace(/\n(?=[|#-])/g, " ¶ ").replace(/\s+/g, " ");
  return RETIRED.flatMap(([words, instead]) =>
    [...line.matchAll(new RegExp(words, "gi"))].map(({ 0: found, index }) => {
      const around = line.slice(Math.max(0, index - 30), index + found.length + 30);
      return `${around} (better: ${instead})`;
    }),
  );
}

test.each(PAGES)("%s has no retired word", (page) => {
  expect(retiredIn(readPage(page))).toEqual([]);
});

test("no page of help has a retired word", async () => {
  const { run } = await createHarness();
  const found = [];
  for (const path of await helpPages()) {
    found.push(...retiredIn((await run(...path)).stdout).map((words) => `${path.join(" ")}: ${words}`));
  }
  expect(found).toEqual([]);
});

test("a retired word is found over the end of a line, and not in a name", () => {
  expect(retiredIn("`undo` takes the\nwrite back")).toHaveLength(1);
  expect(retiredIn("journalctl --unit calctl; a mail program; there is no error")).toEqual([]);
});

test("the glossary has the terms in which commands and docs speak", () => {
  const terms = [...readPage("glossary").matchAll(/^\| (\w[\w ]*) \| \S/gm)].map(([, term]) => term);
  for (const term of ["keep", "label", "member", "series", "occurrence", "target", "profile", "mine"]) {
    expect(terms).toContain(term);
  }
});
