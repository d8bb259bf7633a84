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
  // Licenses that begin alike are neighbors, which makes the package smaller.
  const sections = [...licenses]
    .sort(([text], [other]) => (text < other ? -1 : 1))
    .map(([text, titles]) => `${titles.sort().join("\n")}\n\n${text}\n`);
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
  const texts = licenseTexts(folder).map((text) => text.trim().replaceAll("\r\n", "\n"));
  if (typeof license !== "string" || texts.length === 0) {
    throw new Error(`the package ${name ?? basename(folder)} has no license: it cannot be distributed`);
  }
  return { title: `${name} ${version} (${license})`, text: texts.join("\n\n") };
}

/** The files of a license, or the last section of the README if that is where it is. */
function licenseTexts(folder) {
  const names = readdirSync(folder).sort();
  const files = names.filter((name) => LICENSE_FILE.test(name));
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), "utf8"));
  const readmes = names.filter((name) => /^readme(?:\.md)?$/i.test(name));
  return readmes.flatMap((name) => {
    const [, section] = readFileSync(join(folder, name), "utf8").split(/^## licen[cs]e$/im);
    return section?.includes("Permission is hereby granted") ? [section] : [];
  });
}
