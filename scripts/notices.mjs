// The licenses of the packages that are bundled.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const LICENSE_FILE = /^(?:licen[cs]e|copying)(?:[-.].*)?$/i;

/**
 * @param root the working directory of esbuild
 * @param metafiles esbuild's
 * @param folders of packages that are distributed in another way
 * @returns the names and versions of all packages of which something was bundled, below each license those that have it
 * @throws Error for a package without a license
 */
export function createNotices(root, metafiles, folders = []) {
  const bundled = metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap(packagesOf));
  const licenses = new Map();
  for (const folder of [...new Set([...bundled, ...folders])].sort()) {
    const { title, text } = readLicense(join(root, folder));
    licenses.set(text, [...(licenses.get(text) ?? []), title]);
  }
  const sections = [...licenses].map(([text, titles]) => `${titles.sort().join("\n")}\n\n${text}\n`);
  return ["calctl contains the following packages.\n", ...sections].join(`\n${"-".repeat(80)}\n\n`);
}

/** The folders of the packages that are in an output of esbuild. */
function packagesOf({ inputs }) {
  return Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}

function readLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  if (typeof license !== "string" || files.length === 0) {
    throw new Error(`the package ${name ?? basename(folder)} has no license: it cannot be distributed`);
  }
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return { title: `${name} ${version} (${license})`, text: texts.join("\n\n").replaceAll("\r\n", "\n") };
}
