import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createFolderForOthers } from "../../support/folder-for-others.js";
import { createInstallation, PROGRAM } from "../../support/spawned.js";

/** SQLite's library for Node before 22.16, which the program loads without the JavaScript of its package. */

const PACKAGES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const SQLITE = "@photostructure/sqlite";
const LIBRARIES = `${SQLITE}/prebuilds/${process.platform}-${process.arch}`;
const LIBRARY = `${LIBRARIES}/@photostructure+sqlite.glibc.node`;
/** Newer ones would use their own. */
const FLAGS = process.allowedNodeEnvironmentFlags.has("--no-experimental-sqlite")
  ? ["--no-experimental-sqlite"]
  : [];

/** @param packages where the package is, of an installation in `node_modules/calctl` */
function install(packages: string) {
  const folder = createFolderForOthers("calctl-copy-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, "node_modules/calctl/dist/calctl.js");
  cpSync(dirname(PROGRAM), dirname(program), { recursive: true });
  const take = (path: string): void =>
    cpSync(join(PACKAGES, path), join(folder, packages, path), { recursive: true });
  const { run } = createInstallation({}, [process.execPath, ...FLAGS, program]);
  return { folder: join(folder, packages), take, run };
}

// musl's library is loaded by the package.
test.skipIf(existsSync("/etc/alpine-release")).for(["node_modules", "node_modules/calctl/node_modules"])(
  "the library is found in %s, and needs nothing else of the package",
  async (packages) => {
    const { take, run } = install(packages);
    take(LIBRARIES);
    expect(await run("labels", "-q")).toMatchObject({ exitCode: 0 });
  },
);

test("where it does not load, the one that the package compiled does", async () => {
  const { folder, take, run } = install("node_modules");
  take(SQLITE);
  take("node-gyp-build");
  const compiled = join(folder, SQLITE, "build/Release");
  mkdirSync(compiled, { recursive: true });
  renameSync(join(folder, LIBRARY), join(compiled, "sqlite.node"));
  writeFileSync(join(folder, LIBRARY), "no library");
  expect(await run("labels", "-q")).toMatchObject({ exitCode: 0 });
});
