import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chosenBrowser } from "../../../src/auth/browser/browser-helper.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const URL = "https://calendar.example/authorize?a=$&b=%s";

function folderWith(...names: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of names) writeFileSync(join(folder, name), "", { mode: 0o755 });
  return folder;
}

describe("$BROWSER", () => {
  test.each([
    ["a name", "fox", ["fox", URL]],
    ["of a list the first that exists", "missing:/missing/fox:cat:fox", ["cat", URL]],
    ["with arguments", "fox --private  --new", ["fox", "--private", "--new", URL]],
    ["with %s, which the address replaces", "fox --url=%s -n", ["fox", `--url=${URL}`, "-n"]],
    ["that no shell reads", "fox $(date) 'a b' ;", ["fox", "$(date)", "'a", "b'", ";", URL]],
  ])("%s", (_, BROWSER, [name = "", ...args]) => {
    const PATH = folderWith("fox", "cat");
    expect(chosenBrowser({ BROWSER, PATH }, URL)).toEqual([join(PATH, name), ...args]);
  });

  test("may be a path with blanks", () => {
    const BROWSER = join(folderWith("fire fox"), "fire fox");
    expect(chosenBrowser({ BROWSER }, URL)).toEqual([BROWSER, URL]);
  });

  test.each([[undefined], [""], [":"], ["missing"], ["folder"], ["text"], ["./fox"]])(
    "%s names no program",
    (BROWSER) => {
      const PATH = folderWith("fox");
      mkdirSync(join(PATH, "folder"));
      writeFileSync(join(PATH, "text"), "", { mode: 0o644 });
      expect(chosenBrowser({ BROWSER, PATH }, URL)).toBeUndefined();
    },
  );
});
