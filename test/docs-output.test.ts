import { expect, test } from "vitest";
import { loadCommandTree } from "../src/cli/command-tree.js";
import { environmentRows, exitCodeRows } from "../src/cli/help/reference.js";
import { programSchema } from "../src/cli/help/schema.js";
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
const INSIDE: readonly string[] = [
  "rate_limit",
  "feed_calendar",
  "sample_user",
  "config",
  "token",
  "path",
  "listening",
];

test("docs/output.md has every key of every shape", () => {
  const shapes = Object.entries(SCHEMA.$defs).filter(([name]) => !INSIDE.includes(name));
  for (const [name, schema] of shapes) {
    expect(keysOnPage(name), name).toEqual(Object.keys((schema as ObjectSchema).properties));
  }
});

/** The rows of the table of columns on the page: `service tokens` with those of `list` and the ones that others add. */
const COLUMN_ROWS = [...PAGE.matchAll(/^\| (\w[\w, ]*) \| (.*`.*) \|$/gm)]
  .map(([, names = "", cell = ""]) => ({
    names: names.split(", "),
    columns: [...cell.matchAll(/`(.*?)`/g)].flatMap(([, words = ""]) => words.split(" ")),
  }))
  .filter(({ names }) => names.join() !== "status,config");

/** Commands that print several columns; status and config print keys and values. */
const SEVERAL_COLUMNS = SCHEMA.commands
  .map(({ name, output }) => ({ name, columns: output?.columns ?? [] }))
  .filter(({ name, columns }) => columns.length > 1 && !/^(status|config)/.test(name));

test("docs/output.md has the columns of every command with several", () => {
  const rows = COLUMN_ROWS.map(({ columns }) => columns.join(" "));
  expect(SEVERAL_COLUMNS.filter(({ columns }) => !rows.includes(columns.join(" ")))).toEqual([]);
});

test.each(COLUMN_ROWS.flatMap(({ names, columns }) => names.map((name) => [name, columns] as const)))(
  "docs/output.md says of %s what its commands print",
  (name, columns) => {
    const own = SEVERAL_COLUMNS.filter((command) => `${command.name} `.startsWith(`${name} `));
    expect(own).not.toEqual([]);
    expect(own.filter((command) => command.columns.join(" ") !== columns.join(" "))).toEqual([]);
  },
);

test("docs/output.md has every format, and no other", () => {
  const formats = new Set<string>(SCHEMA.commands.flatMap(({ output }) => output?.formats ?? []));
  const headings = [...PAGE.matchAll(/^## (.*)$/gm)].flatMap(([, heading = ""]) => heading.split(" and "));
  const [introduction = ""] = PAGE.split(/^```$/m);
  const named = [...introduction.matchAll(/`(?:-o )?(\w+)`/g)].map(([, word]) => word);
  const words = [...headings, ...named];
  expect([...formats].filter((format) => !words.includes(format))).toEqual([]);
  const used = [...PAGE.matchAll(/ -o (\w+)/g)].map(([, format = ""]) => format);
  expect(used.filter((format) => !formats.has(format))).toEqual([]);
});

test("docs/exit-codes.md has the table of help", () => {
  const rows = exitCodeRows().map(
    ({ exitCode, code, when, repeat }) =>
      `| ${exitCode} | ${code === null ? "" : `\`${code}\` `}| ${when} | ${repeat === "" ? "" : `${repeat} `}|`,
  );
  expect(readPage("exit-codes").match(/^\| \d.*$/gm)).toEqual(rows);
});

test("docs/scripting.md has every variable with what help says", () => {
  const rows = environmentRows().map(({ name, meaning }) => `| \`${name}\` | ${meaning} |`);
  expect(readPage("scripting").match(/^\| `[A-Z].*$/gm)).toEqual(rows);
});
