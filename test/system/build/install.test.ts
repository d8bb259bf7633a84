import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createScratchProject, ended, type ScratchProject } from "./scratch-project.js";

const INSTALLING = "calctl: installing the dependencies (the first time only)\n";
const QUIET = { code: 0, stdout: "", stderr: "" };

let project: ScratchProject;

beforeEach(() => {
  project = createScratchProject();
  project.write("left/package.json", `{ "name": "left", "version": "1.0.0" }`);
  project.write("package.json", manifest({ dev: "left" }));
  project.write("package-lock.json", lockFile({ dev: "left" }));
});

afterEach(() => {
  project.remove();
});

/** A package with one dependency, which lies beside it: installing it needs no network. */
function manifest({ node = "20.19", dev }: { readonly node?: string; readonly dev: string }): string {
  return JSON.stringify({
    name: "scratch",
    version: "1.0.0",
    engines: { node: `>=${node}` },
    scripts: { setup: "node build/install.mjs" },
    devDependencies: { [dev]: `file:${dev}` },
  });
}

function lockFile({ dev }: { readonly dev: string }): string {
  return JSON.stringify({
    name: "scratch",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "scratch", version: "1.0.0", devDependencies: { [dev]: `file:${dev}` } },
      [dev]: { version: "1.0.0", dev: true },
      [`node_modules/${dev}`]: { resolved: dev, link: true },
    },
  });
}

const install = () => ended(project.spawn(process.execPath, ["build/install.mjs"]));
const recordedAt = () => statSync(join(project.root, "node_modules/.package-lock.json")).mtimeMs;

test("installs once, and again only when the lock file asks for something else", async () => {
  expect(await install()).toEqual({ ...QUIET, stderr: INSTALLING });
  const before = recordedAt();

  expect(await install()).toEqual(QUIET);
  expect(recordedAt()).toBe(before);

  project.write("right/package.json", `{ "name": "right", "version": "1.0.0" }`);
  project.write("package.json", manifest({ dev: "right" }));
  project.write("package-lock.json", lockFile({ dev: "right" }));
  expect(await install()).toEqual({ ...QUIET, stderr: INSTALLING });
  expect(existsSync(join(project.root, "node_modules/right"))).toBe(true);
});

test("an install by hand is as good as its own", async () => {
  expect(await ended(project.spawn("npm", ["ci", "--silent"]))).toEqual(QUIET);
  expect(await install()).toEqual(QUIET);
});

test("two at once: one installs, both succeed, nothing stays behind", async () => {
  const both = await Promise.all([install(), install()]);
  expect(both.map((run) => run.code)).toEqual([0, 0]);
  expect(both.filter((run) => run.stderr.includes(INSTALLING))).toHaveLength(1);
  expect(readdirSync(join(project.root, "dist"))).toEqual([]);
});

test("what the outer npm was told does not reach the inner one", async () => {
  const args = ["run", "setup", "--silent", "--omit=dev", "--dry-run", "--no-package-lock"];
  expect(await ended(project.spawn("npm", args))).toEqual({ ...QUIET, stderr: INSTALLING });
  expect(existsSync(join(project.root, "node_modules/left"))).toBe(true);
});

test("npm's own words are shown when it fails", async () => {
  project.write("package.json", manifest({ dev: "right" }));
  const { code, stdout, stderr } = await install();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("package.json and package-lock.json");
  expect(stderr).toContain("error: the dependencies could not be installed: fix what npm reports above");
  expect(readdirSync(join(project.root, "dist"))).toEqual([]);
});

test("a Node that is too old is named before anything else is tried", async () => {
  project.write("package.json", manifest({ node: "99.1", dev: "left" }));
  expect(await install()).toEqual({
    code: 1,
    stdout: "",
    stderr: `error: calctl requires Node 99.1 or newer, but this is ${process.versions.node}: install a newer Node and try again\n`,
  });
  expect(existsSync(join(project.root, "node_modules"))).toBe(false);
});
