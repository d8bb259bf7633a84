import { expect, test } from "vitest";
import { environmentRows } from "../src/help/environment.js";
import { exitCodeRows } from "../src/help/exit-codes.js";
import { programSchema } from "../src/help/schema.js";
import { loadCommandTree } from "../src/program/command-tree.js";
import { readPage } from "./support/docs-pages.js";

/** Pages that repeat what `calctl schema` and help say. */

const SCHEMA = programSchema(await loadCommandTree());
const PAGE = readPage("output");

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Keys of a shape on the page: `event     {id, title, label: label or null}`. */
function keysOnPage(shape: string): readonly string[] | null {
  const text = new RegExp(`^${shape} +\\{([\\s\\S]*?)\\}(?:$|  )`, "m").exec(PAGE)?.[1];
  return (
    text
      ?.replace(/\{.*?\}/g, "")
      .split(",")
      .map((key) => key.replace(/:.*/, "").trim()) ?? null
  );
}

/** These are shown inside the one that has them, or are described in words. */
const INSIDE: readonly string[] = ["rate_limit", "sample_user", "config", "token", "path", "listening"];

test("docs/output.md has every key of every shape", () => {
  const shapes = Object.entries(SCHEMA.$defs).filter(([name]) => !INSIDE.includes(name));
  for (const [name, schema] of shapes) {
    expect(keysOnPage(name), name).toEqual(Object.keys((schema as ObjectSchema).properties));
  }
});

test("docs/output.md has the columns of every command with several, and every format", () => {
  const rows = [...PAGE.matchAll(/^\| [\w, ]+ \| (.*) \|$/gm)].map(([, cell = ""]) =>
    [...cell.matchAll(/`(.*?)`/g)].map(([, words]) => words).join(" "),
  );
  const several = SCHEMA.commands.filter(({ output }) => (output?.columns.length ?? 0) > 1);
  const missing = several.filter(
    ({ name, output }) => !/^(status|config)/.test(name) && !rows.includes(output?.columns.join(" ") ?? ""),
  );
  expect(missing.map(({ name, output }) => `${name}: ${output?.columns.join(" ")}`)).toEqual([]);
  const formats = new Set(SCHEMA.commands.flatMap(({ output }) => output?.formats ?? []));
  expect([...formats].filter((format) => !PAGE.includes(format))).toEqual([]);
});

test("docs/exit-codes.md has the table of help", () => {
  const rows = exitCodeRows().map(
    ({ exitCode, code, when, repeat }) =>
      `| ${exitCode} | ${code === null ? "" : `\`${code}\` `}| ${when} | ${repeat === "" ? "" : `${repeat} `}|`,
  );
  const page = readPage("exit-codes");
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test("docs/scripting.md has every variable with what help says", () => {
  const page = readPage("scripting");
  const rows = environmentRows().map(({ name, meaning }) => `| \`${name}\` | ${meaning} |`);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
