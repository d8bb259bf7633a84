import {
  chmodSync,
  chownSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createInstallation, type Installation, PROGRAM } from "../support/spawned.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { partsOfProgram } from "./support/coverage.js";

/** The code cache of the built program. In a copy of it, this Node can pose as another one than the builder's. */

interface Copy extends Pick<Installation, "home"> {
  run(...argv: readonly string[]): ReturnType<Installation["shell"]>;
  /** File of the part that each command loads first. */
  readonly part: string;
  /** Folder of the code caches that its runs make. */
  readonly folder: string;
}

const THIS_NODE = `"${process.versions.v8} ${process.platform} ${process.arch}"`;

function copyBuiltBy(builder: string, env: Readonly<Record<string, string>> = {}): Copy {
  const root = temporaryFolder();
  const dist = join(root, "dist");
  cpSync(dirname(PROGRAM), dist, { recursive: true });
  symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(root, "node_modules"));
  const launcher = join(dist, "calctl.js");
  const text = readFileSync(launcher, "utf8");
  const changed = text.replace(new RegExp(`"[^" ]+ ${process.platform} ${process.arch}"`), builder);
  expect(changed).toContain(builder);
  writeFileSync(launcher, changed);
  const { home, shell } = createInstallation(env);
  return {
    home,
    part: partsOfProgram(launcher).find((path) => basename(path).startsWith("calctl-start-")) ?? "",
    folder: join(home, ".cache/calctl"),
    run: (...argv) => shell(`"${process.execPath}" "${launcher}" ${argv.join(" ")}`),
  };
}

function copyOfAnotherNode(env?: Readonly<Record<string, string>>): Copy {
  return copyBuiltBy('"another Node"', env);
}

/** Paths of the code caches, which must be whole, and one for each part that was loaded. */
function cachesIn(folder: string): readonly string[] {
  // The folders hold what commands remember.
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const parts = names.map((name) => name.slice(0, name.indexOf(".js.")));
  expect(new Set(parts).size).toBe(names.length);
  for (const name of names) {
    const content = readFileSync(join(folder, name));
    expect(crc32(content.subarray(4))).toBe(content.readUInt32LE(0));
  }
  return names.map((name) => join(folder, name));
}

/** The names of the parts that have a code cache. */
function cachedParts(folder: string): readonly string[] {
  return cachesIn(folder)
    .map((path) => basename(path).split("-")[1] ?? "")
    .sort();
}

const LIST = ["events", "list", "--fields", "title"];

test("the Node that built it needs no cache of its own", async () => {
  const { home, run } = copyBuiltBy(THIS_NODE);
  expect((await run(...LIST)).exitCode).toBe(0);
  expect(readdirSync(join(home, ".cache", "calctl"))).toEqual(["names"]);
});

test("a package without the caches of its build creates its own", async () => {
  const { run, folder, part } = copyBuiltBy(THIS_NODE);
  for (const path of partsOfProgram(join(dirname(part), "calctl.js"))) rmSync(`${path}.cache`);
  expect(await run("--help")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(cachedParts(folder)).toEqual(["start"]);
});

test("another Node creates one, and behaves the same with it", async () => {
  const { run, folder } = copyOfAnotherNode();
  expect(await run("--help")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(cachedParts(folder)).toEqual(["start"]);
  expect(await run(...LIST)).toMatchObject({ exitCode: 0, stdout: "" });
  expect(await run(...LIST)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  expect(cachedParts(folder)).toEqual(["command", "first", "local", "luxon", "sqlite", "start"]);
});

test("a command over the network creates one", async () => {
  const service = createInstallation().start(
    ...["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"],
  );
  const { base_url: url, token } = JSON.parse(await service.stdoutWith("\n"));
  const { run, folder } = copyOfAnotherNode({ CALCTL_BASE_URL: url, CALCTL_TOKEN: token });
  expect(await run("whoami")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(cachedParts(folder)).toContain("network");
});

test("--version leaves nothing", async () => {
  const { run, home } = copyOfAnotherNode();
  expect(await run("--version")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(readdirSync(home)).toEqual([]);
});

test("it silently runs without one if it cannot be written", async () => {
  const { run } = copyOfAnotherNode({ CALCTL_CACHE_DIR: "/dev/null/calctl" });
  expect(await run("--help")).toMatchObject({ exitCode: 0, stderr: "" });
});

test("twenty first runs at once leave one complete file", async () => {
  const { run, folder } = copyOfAnotherNode();
  const runs = await Promise.all(Array.from({ length: 20 }, () => run("--help")));
  expect(new Set(runs.map(({ exitCode, stderr }) => `${exitCode} ${stderr}`))).toEqual(new Set(["0 "]));
  expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
  expect(cachedParts(folder)).toEqual(["start"]);
});

describe("a cache is code", () => {
  const EVIL = "this is not the program";

  /** A machine that has a cache with code of someone else; V8 compares no more of a source than its length. */
  async function createAttacked() {
    const copy = copyOfAnotherNode();
    await copy.run("--help");
    const [file = ""] = cachesIn(copy.folder);
    const source = `(function(){console.log(${JSON.stringify(EVIL)});return[]})`;
    const script = new Script(source.padEnd(readFileSync(copy.part).length), { filename: copy.part });
    const updates = Buffer.from([8, 0, 0, 0]);
    const checked = Buffer.concat([updates, script.createCachedData()]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(checked));
    writeFileSync(file, Buffer.concat([checksum, checked]));
    return { ...copy, file };
  }

  test("one's own is run", async () => {
    const { run } = await createAttacked();
    expect((await run("--help")).stdout).toBe(`${EVIL}\n`);
  });

  test.each<[string, (paths: { file: string; folder: string }) => void]>([
    ["a file that others may write", ({ file }) => chmodSync(file, 0o622)],
    ["a file that the group may write", ({ file }) => chmodSync(file, 0o620)],
    ["a folder that others may write", ({ folder }) => chmodSync(folder, 0o777)],
    [
      "a linked file",
      ({ file }) => {
        renameSync(file, `${file}.moved`);
        symlinkSync(`${file}.moved`, file);
      },
    ],
    [
      "a linked folder",
      ({ folder }) => {
        renameSync(folder, `${folder}.moved`);
        symlinkSync(`${folder}.moved`, folder);
      },
    ],
  ])("%s is not", async (_, weaken) => {
    const { run, ...paths } = await createAttacked();
    weaken(paths);
    const { exitCode, stdout, stderr } = await run("--help");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("Usage: calctl");
  });

  test.for(["file", "folder"] as const)("another user's %s is not", async (which, { skip }) => {
    if (process.geteuid?.() !== 0) skip("only root can give a file away");
    const { run, ...paths } = await createAttacked();
    chownSync(paths[which], 65_534, 65_534);
    const { exitCode, stdout, stderr } = await run("--help");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("Usage: calctl");
  });
});
