import { once } from "node:events";
import { readFileSync, realpathSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createScratchProject, ended, type ScratchProject } from "./scratch-project.js";

let project: ScratchProject;

beforeEach(() => {
  project = createScratchProject();
  project.take(
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "build/launcher/launcher.ts",
    "build/launcher/bundle.ts",
    "build/launcher/code-cache.ts",
    "build/launcher/cache-folder.ts",
    "build/launcher/dispatch.ts",
    "build/launcher/part.ts",
    "build/launcher/sqlite-library.ts",
    "src/config/directories.ts",
    "src/system/ownership.ts",
    "src/errors.ts",
    "src/version.ts",
    "src/system/helper-arguments.ts",
  );
  project.borrowPackages();
  project.write("bin/calctl.ts", PROGRAM);
  project.write("build/launcher/completion.ts", "console.log(__COMMAND_TREE__);");
  project.write("build/launcher/browser.ts", "");
  project.write(
    "build/documents.ts",
    `export const createDocuments = async () => ({}); export const describeCommands = async () => ({});`,
  );
  project.write("src/lazy.ts", `export const word = "first";`);
  for (const folder of ["contract", "service"]) project.write(`${folder}/empty.ts`, "");
});

afterEach(() => {
  project.remove();
});

/** Tells how it was started, and loads its second half only when stdin ends. */
const PROGRAM = `
  console.log(JSON.stringify({ args: process.argv.slice(2), folder: process.cwd() }));
  process.stdin.on("end", async () => {
    console.log((await import("../src/lazy.js")).word);
    process.exitCode = Number(process.argv[2]) || 0;
  }).resume();
`;

function start(args: readonly string[], folder?: string) {
  const child = project.spawn(process.execPath, [join(project.root, "build/start.mjs"), ...args], folder);
  child.stdin?.end();
  return ended(child);
}

function told(args: readonly string[], { folder = ".", word = "first" } = {}): string {
  const told = { args, folder: realpathSync(join(project.root, folder)) };
  return `${JSON.stringify(told)}\n${word}\n`;
}

test("through npm: arguments, folder, stdout and exit code are the program's own", async () => {
  project.write("notes/today.txt", "");
  const child = project.spawn("npm", ["start", "--silent", "--", "7", "a b", "--help"], "notes");
  child.stdin?.end();
  expect(await ended(child)).toEqual({
    code: 7,
    stdout: told(["7", "a b", "--help"], { folder: "notes" }),
    stderr: "",
  });
});

test("without arguments it runs the tour and shows its commands", async () => {
  project.write("examples/tour.sh", "calctl 0 a\ncalctl 0 b\n");
  const { code, stdout, stderr } = await start([]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\nThat was the tour")[0]).toBe(
    `calctl 0 a\n${told(["0", "a"])}calctl 0 b\n${told(["0", "b"])}`,
  );
});

test("a tour that fails ends there", async () => {
  project.write("examples/tour.sh", "calctl 7\ncalctl 0 b\n");
  expect(await start([])).toEqual({ code: 7, stdout: `calctl 7\n${told(["7"])}`, stderr: "" });
});

test("two first starts at once both work", async () => {
  const both = await Promise.all([start(["0", "a"]), start(["0", "b"])]);
  expect(both.map((run) => [run.code, run.stdout])).toEqual([
    [0, told(["0", "a"])],
    [0, told(["0", "b"])],
  ]);
});

test("it builds when a source has another content, not when it has another date", async () => {
  await start(["0"]);
  const program = join(project.root, "dist/calctl.js");
  const built = statSync(program).ino;

  utimesSync(join(project.root, "src/lazy.ts"), new Date(), new Date());
  await start(["0"]);
  expect(statSync(program).ino).toBe(built);

  project.write("src/lazy.ts", `export const word = "second";`);
  expect(await start(["0"])).toMatchObject({ stdout: told(["0"], { word: "second" }) });
});

test("a program that runs while another start builds finishes as what it was", async () => {
  await start(["0"]);
  const running = project.spawn(process.execPath, ["dist/calctl.js"]);
  if (running.stdout !== null) await once(running.stdout, "readable");
  project.write("src/lazy.ts", `export const word = "second";`);
  expect(await start(["0"])).toMatchObject({ stdout: told(["0"], { word: "second" }) });
  running.stdin?.end();
  expect(await ended(running)).toEqual({ code: 0, stdout: told([]), stderr: "" });
});

test("a source that cannot be built is reported with its position, and the old program stays", async () => {
  await start(["0"]);
  const program = join(project.root, "dist/calctl.js");
  const before = readFileSync(program, "utf8");
  project.write("src/lazy.ts", "export const word = ;");
  const { code, stdout, stderr } = await start(["0"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("src/lazy.ts:1:");
  expect(stderr).toContain("error: the program could not be built (reasons above)\n");
  expect(readFileSync(program, "utf8")).toBe(before);
});
