import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

function pagesIn(folder: string): readonly string[] {
  return readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}${name}`);
}

const AT_ROOT = /^(?:src|service|contract|bin|build|docs|examples|test|scripts|bench|\.ci)\//;

/** Files and folders of this repository that a page names in backticks or links to. */
function namedPaths(page: string): readonly string[] {
  const text = readFileSync(`${ROOT}${page}`, "utf8");
  const folder = page.slice(0, page.lastIndexOf("/") + 1);
  const inCode = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]*)*)`/g)].map(([, path = ""]) => path);
  const named = inCode.filter((path) => AT_ROOT.test(path));
  // The walks of the service name its files by their place in it.
  const ownFiles =
    folder === "service/" ? inCode.filter((path) => /\.(?:ts|mjs)$/.test(path) && !AT_ROOT.test(path)) : [];
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
  return [...named, ...[...ownFiles, ...links].map((path) => `${folder}${path}`)];
}

test.each(["", "build/", "test/", "service/", "docs/", "docs/service/", "docs/decisions/"].flatMap(pagesIn))(
  "every file that %s names exists",
  (page) => {
    expect(
      namedPaths(page).filter((path) => !existsSync(`${ROOT}${path}`) && !path.includes("NAME")),
    ).toEqual([]);
  },
);

test.each(["docs/login.md", "docs/network.md"])("the program has the messages that %s explains", (page) => {
  const table =
    /\| message \|.*\n\|.*\n((?:\|.*\n)+)/.exec(readFileSync(`${ROOT}${page}`, "utf8"))?.[1] ?? "";
  const messages = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) => cell.split("`, `"));
  const words = messages.flatMap((message) => message.replaceAll("`", "").split(/ ?(?:…|OTHER) ?/));
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(`${ROOT}src/${name}`, "utf8"))
    .join("");
  expect(words.length).toBeGreaterThan(5);
  expect(words.filter((text) => !sources.includes(text))).toEqual([]);
});
