import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { words } from "../../support/words.js";
import { createScratchProject, ended, type ScratchProject } from "../../system/build/scratch-project.js";

/** What `npm pack` puts into the package, in a copy of this project. */

let project: ScratchProject;
let tarball: string;

beforeAll(async () => {
  project = createScratchProject();
  project.take("bin", "contract", "service", "src", "docs", "examples");
  project.take("package.json", "package-lock.json", "tsconfig.json");
  project.take("README.md", "LICENSE", "CHANGELOG.md");
  project.borrowPackages();
  const packed = await ended(project.spawn("npm", ["pack", "--silent"]));
  const { version } = JSON.parse(readFileSync(join(project.root, "package.json"), "utf8"));
  expect(packed).toEqual({ code: 0, stdout: `calctl-${version}.tgz\n`, stderr: "" });
  tarball = join(project.root, `calctl-${version}.tgz`);
});

afterAll(() => project.remove());

function tar(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("tar", args, { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

const packedFiles = () => tar("-tzf", tarball).trim().split("\n");

/** Where in the package the links of one of its pages lead. */
function linksOf(page: string): readonly string[] {
  const links = tar("-xzOf", tarball, page).matchAll(/(?:\]\(|(?:src|srcset)=")(?!\w+:|#)([^)"#]+)/g);
  return [...links].map(([, link = ""]) => join(page, "..", link));
}

test("the package has what its README and its documents link to", () => {
  const files = packedFiles();
  const pages = files.filter((file) => /^package\/(?:README\.md|docs\/)/.test(file) && file.endsWith(".md"));
  const links = new Set(pages.flatMap(linksOf));
  expect(links.size).toBeGreaterThan(20);
  const dead = [...links].filter(
    (link) => !files.some((file) => file === link || file.startsWith(`${link}/`)),
  );
  // Only a clone has what the program is made with.
  expect(dead.sort()).toEqual(["package/CONTRIBUTING.md", "package/build/Containerfile"]);
});

test("the package holds what runs, its documents and its licenses, and nothing else", () => {
  const files = packedFiles();
  const kinds = files
    .filter((file) => !/^package\/(?:docs|examples)\//.test(file))
    .map((file) =>
      file
        .replace(/calctl-[\w-]+\.js$/, "calctl-PART.js")
        .replace(/(browser|completion)-\w+\.js$/, "$1-PART.js"),
    );
  expect([...new Set(kinds)].sort()).toEqual(
    words`CHANGELOG.md LICENSE README.md dist/THIRD-PARTY-NOTICES dist/browser-PART.js
      dist/calctl-PART.js dist/calctl.1 dist/calctl.js dist/completion-PART.js dist/completions/_calctl
      dist/completions/calctl.bash dist/completions/calctl.fish dist/completions/calctl.ps1
      dist/package.json package.json`.map((file) => `package/${file}`),
  );
  const launcher = tar("-xzOf", tarball, "package/dist/calctl.js");
  const parts = [...new Set(launcher.match(/(?:browser|calctl|completion)-[\w-]+\.js/g))];
  expect(files.filter((file) => /-[\w-]+\.js$/.test(file)).sort()).toEqual(
    parts.map((part) => `package/dist/${part}`).sort(),
  );
});

test("the package is smaller than 1 MB", () => {
  expect(statSync(tarball).size).toBeLessThan(1_000_000);
});

test("it installs only packages that are loaded at run time, the native ones where they can be", () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    tar("-xzOf", tarball, "package/package.json"),
  ) as Record<string, Readonly<Record<string, string>>>;
  expect(Object.keys(dependencies ?? {})).toEqual(["jq-wasm"]);
  expect(Object.keys(optionalDependencies ?? {})).toEqual(["@photostructure/sqlite", "keytar"]);
});

test("the completion scripts are those that the program prints", async () => {
  for (const [shell, file] of [
    ["bash", "calctl.bash"],
    ["zsh", "_calctl"],
    ["fish", "calctl.fish"],
    ["powershell", "calctl.ps1"],
  ] as const) {
    const printed = await ended(
      project.spawn(process.execPath, ["dist/calctl.js", "completion", shell, "-o", "text"]),
    );
    expect(printed).toEqual({
      code: 0,
      stdout: tar("-xzOf", tarball, `package/dist/completions/${file}`),
      stderr: "",
    });
  }
});

test("the notices name each package that is bundled, with its license", () => {
  const notices = tar("-xzOf", tarball, "package/dist/THIRD-PARTY-NOTICES");
  const titles = notices.match(/^\S+ \d\S+ \([\w-]+\)$/gm) ?? [];
  for (const name of ["@inquirer/search", "commander", "luxon", "undici", "valibot", "yaml"]) {
    const { version, license } = JSON.parse(
      readFileSync(join(project.root, "node_modules", name, "package.json"), "utf8"),
    );
    expect(titles).toContain(`${name} ${version} (${license})`);
  }
  expect(notices.match(/Permission is hereby granted|Permission to use, copy/g)?.length).toBeGreaterThan(10);
  expect(titles.filter((title) => /^(?:vitest|typescript|esbuild) /.test(title))).toEqual([]);
});

test("a bundled package without a license fails the build", async () => {
  const script = `
    import { createNotices } from "./build/notices.mjs";
    const outputs = { "dist/a.js": { inputs: { "vendor/node_modules/@some/thing/index.js": { bytesInOutput: 1 } } } };
    createNotices(process.cwd(), [{ outputs }]);`;
  const make = () => ended(project.spawn(process.execPath, ["--input-type=module", "-e", script]));
  const manifest = "vendor/node_modules/@some/thing/package.json";

  project.write(manifest, JSON.stringify({ name: "@some/thing", version: "1.0.0", license: "MIT" }));
  expect((await make()).stderr).toContain("the package @some/thing has no license");

  project.write("vendor/node_modules/@some/thing/LICENSE.txt", "Do as you like.");
  expect(await make()).toEqual({ code: 0, stdout: "", stderr: "" });

  writeFileSync(join(project.root, manifest), JSON.stringify({ name: "@some/thing", version: "1.0.0" }));
  expect((await make()).stderr).toContain("the package @some/thing has no license");
});
