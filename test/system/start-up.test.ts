import { execFile } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { loadCommandTree } from "../../src/cli/command-tree.js";
import { programSchema } from "../../src/cli/help/schema.js";
import { createInstallation, type Installation, PROGRAM } from "../support/spawned.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/**
 * What commands load and read before they do anything. Nothing here is timed: a module or a part of the program that is not
 * expected costs time on every machine. See docs/decisions/2026-11-22-start-up.md.
 */

const BUILD = fileURLToPath(new URL("../../build/build.mjs", import.meta.url));

type Loads = Readonly<Record<"help" | "local" | "http", readonly string[]>>;

describe("of packages", () => {
  let loads: Loads;

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [BUILD, "--loads"], {
      maxBuffer: 2 ** 24,
    });
    loads = JSON.parse(stdout);
  });

  const packagesOf = (files: readonly string[]): readonly string[] =>
    [
      ...new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])),
    ].sort();

  test.for<[keyof Loads, readonly string[]]>([
    ["help", ["commander"]],
    ["local", ["commander", "valibot"]],
    ["http", ["commander", "undici"]],
  ])("%s loads no package but %j", ([run, packages]) => {
    expect(packagesOf(loads[run])).toEqual(packages);
  });

  test("only mcp loads what serves agents", () => {
    const files = Object.values(loads).flat();
    expect(files.filter((file) => file.includes("src/events/"))).not.toEqual([]);
    expect(files.filter((file) => file.includes("commands/programs/mcp"))).toEqual([]);
  });
});

/** Node's own modules with a public name that a run loads beyond a bare Node, and the bytes of the program that it reads. */
async function watch({ home, shell }: Installation, argv: readonly string[]) {
  const folder = temporaryFolder();
  const [preload, report] = [join(folder, "preload.cjs"), join(folder, "report.json")];
  writeFileSync(
    preload,
    `const fs = require("node:fs");
    const before = new Set(process.moduleLoadList);
    const read = fs.readFileSync;
    let bytes = 0;
    fs.readFileSync = (path, ...options) => {
      const content = read(path, ...options);
      if (/[\\\\/]dist[\\\\/]calctl-/.test(path)) bytes += content.length;
      return content;
    };
    process.on("exit", () => {
      const added = process.moduleLoadList.filter((name) => !before.has(name));
      const packages = Object.keys(require.cache).filter((path) => path.includes("node_modules"));
      fs.writeFileSync(${JSON.stringify(report)}, JSON.stringify({ added, packages, bytes }));
    });`,
  );
  const line = `"${process.execPath}" -r "${preload}" "${PROGRAM}" ${argv.join(" ")} </dev/null | cat`;
  const { stderr } = await shell(line);
  expect({ stderr, home }).toEqual({ stderr: "", home });
  const { added, packages, bytes } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly added: readonly string[];
    readonly packages: readonly string[];
    readonly bytes: number;
  };
  // What is not in the bundle is resolved and compiled at each start.
  expect(packages).toEqual([]);
  const names = added.flatMap((name) => /^NativeModule ((?!internal\/|_)\S+)$/.exec(name)?.[1] ?? []);
  return { modules: names.sort(), bytes: bytes + statSync(PROGRAM).size };
}

/** Streams and what they are made of, which standard output needs. */
const STREAMS = ["diagnostics_channel", "net", "stream", "stream/promises", "string_decoder"];
const HELP = [...STREAMS, "os", "process", "vm", "zlib"];
const LOCAL = [...HELP, "sqlite", "url"];
const HTTP = [...HELP, "v8", "querystring", "async_hooks", "perf_hooks", "util/types", "dns", "url"];

/** The bounds are for the code caches of Node 26, which are 8% larger than those of Node 20. */
const KIB = 1_024;
const WEEK = ["events", "list", "--days", "7", "-o", "json"];

describe("of Node's modules, and of the program's bytes", () => {
  const expectAtMost = async (
    installation: Installation,
    argv: readonly string[],
    { modules, bytes }: { readonly modules: readonly string[]; readonly bytes: number },
  ) => {
    const watched = await watch(installation, argv);
    expect(watched.modules.filter((name) => !modules.includes(name))).toEqual([]);
    expect(watched.bytes / KIB).toBeLessThan(bytes / KIB);
  };

  test("--version", async () => {
    await expectAtMost(createInstallation(), ["--version"], { modules: [], bytes: 10 * KIB });
  });

  test("--help", async () => {
    await expectAtMost(createInstallation(), ["--help"], { modules: HELP, bytes: 352 * KIB });
  });

  test("a list of the profile local", async () => {
    const installation = createInstallation();
    await installation.run("calendars");
    await expectAtMost(installation, WEEK, { modules: LOCAL, bytes: 1_700 * KIB });
  });

  test("next, which status bars run every minute", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("events", "create", "--title", "T", "--start", "+1h", "--duration", "1h");
    await expectAtMost(installation, ["next"], { modules: LOCAL, bytes: 1_710 * KIB });
  });

  test("add loads and reads no more than events create", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("calendars");
    const words = ["--title", "Lunch", "--start", "'tomorrow 12:00'", "--duration", "1h", "-q"];
    const bound = await watch(installation, ["events", "create", ...words]);
    await expectAtMost(installation, ["add", "Lunch", "tomorrow", "12-13", "--yes", "-q"], {
      modules: bound.modules,
      bytes: bound.bytes + 1,
    });
  });

  test("a list over HTTP", async () => {
    const service = createInstallation().start(
      ...["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"],
    );
    const { base_url: url, token } = JSON.parse(await service.stdoutWith("\n"));
    const client = createInstallation({ CALCTL_BASE_URL: url, CALCTL_TOKEN: token });
    // Stores the names of the calendars, which the next five minutes need not.
    await client.run("calendars");
    await expectAtMost(client, [...WEEK, "-c", "Family"], { modules: HTTP, bytes: 1_640 * KIB });
  });
});

test.each([[[]], [["--sample"]]])("service start %j prints what its schema says", async (flags) => {
  const { commands, $defs } = programSchema(await loadCommandTree());
  const json = commands.find(({ name }) => name === "service start")?.output?.json;
  const ajv = new Ajv2020({ strictRequired: false, allowUnionTypes: true });
  const validate = ajv.compile({ $defs, ...json });
  const argv = ["service", "start", "--memory", "--port", "0", "-o", "json", ...flags];
  const value: unknown = JSON.parse(
    await createInstallation()
      .start(...argv)
      .stdoutWith("\n"),
  );
  expect({ isValid: validate(value), errors: validate.errors }).toEqual({ isValid: true, errors: null });
});
