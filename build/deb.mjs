// `node build/deb.mjs`: a Debian package of the single executable that `npm run build:standalone` made, in release.
// --program PATH takes another executable, --output FOLDER another folder. It needs dpkg-deb, and no root.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { ensureBuilt, ROOT } from "./build.mjs";
import { runIfEntry } from "./entry.mjs";
import { inTemporaryFolder } from "./parts.mjs";

const { version, description } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Debian's names for the architectures of Node. */
const ARCHITECTURES = { x64: "amd64", arm64: "arm64", arm: "armhf", ppc64: "ppc64el", s390x: "s390x" };

/** What `ldd` names for the official builds of Node 26, with the versions of their symbols. */
const DEPENDS = "libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 5.2)";

/** The library of the keychain, and what opens a browser. */
const RECOMMENDS = "libsecret-1-0, xdg-utils";

/** The other files: where they are and from where they come. */
const FILES = {
  "usr/share/bash-completion/completions/calctl": "dist/completions/calctl.bash",
  "usr/share/zsh/vendor-completions/_calctl": "dist/completions/_calctl",
  "usr/share/fish/vendor_completions.d/calctl.fish": "dist/completions/calctl.fish",
};
const ZIPPED_FILES = {
  "usr/share/man/man1/calctl.1.gz": "dist/calctl.1",
  "usr/share/doc/calctl/changelog.gz": "CHANGELOG.md",
};
const COPYRIGHT = "usr/share/doc/calctl/copyright";

/** README, docs and examples, at the paths that their links and the program's messages use. */
const DOCUMENTS = Object.fromEntries(
  [
    "README.md",
    ...filesIn("docs"),
    ...filesIn("docs/images"),
    ...filesIn("docs/service"),
    ...filesIn("examples"),
    ...filesIn("examples/scaling"),
  ].map((path) => [`usr/share/doc/calctl/${path}`, path]),
);

async function makePackage({ program, output }) {
  await ensureBuilt();
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  const path = join(output, `calctl_${version}_${architecture}.deb`);
  await inTemporaryFolder((temporary) => {
    // The temporary folder can be read by nobody else, and the package has the rights of its folder.
    const folder = join(temporary, "package");
    const size = layOut(folder, program);
    write(join(folder, "DEBIAN/control"), control({ architecture, size }));
    mkdirSync(output, { recursive: true });
    // xz, which every Debian reads, at its fastest: the rest takes a minute for a tenth.
    const args = ["--root-owner-group", "-Zxz", "-z1", "--build", folder, path];
    const { status, stderr } = spawnSync("dpkg-deb", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`dpkg-deb could not make the package: ${stderr}`);
  });
  return path;
}

/** @returns the size of the files in KiB */
function layOut(folder, program) {
  const executable = join(folder, "usr/bin/calctl");
  write(executable, "", 0o755);
  copyFileSync(program, executable);
  const copies = { ...FILES, ...DOCUMENTS };
  for (const [path, source] of Object.entries(copies))
    write(join(folder, path), read(source), modeOf(source));
  for (const [path, source] of Object.entries(ZIPPED_FILES))
    write(join(folder, path), gzipSync(read(source), { level: 9 }));
  write(join(folder, COPYRIGHT), `${read("LICENSE")}\n${readNotices(program)}`);
  const paths = [
    executable,
    ...[...Object.keys(copies), ...Object.keys(ZIPPED_FILES), COPYRIGHT].map((path) => join(folder, path)),
  ];
  return paths.reduce((sum, path) => sum + Math.ceil(statSync(path).size / 1_024), 0);
}

/** The licenses that the build of the executable wrote beside it. */
function readNotices(program) {
  return readFileSync(join(dirname(program), "THIRD-PARTY-NOTICES"), "utf8");
}

/** @see Debian Policy §5.3 */
function control({ architecture, size }) {
  return `Package: calctl
Version: ${version}
Architecture: ${architecture}
Maintainer: the calctl contributors
Installed-Size: ${size}
Depends: ${DEPENDS}
Recommends: ${RECOMMENDS}
Section: utils
Priority: optional
Description: ${description.toLowerCase()}
 calctl lists, creates and changes the events of shared calendars, posts them
 to chats and by email, and can serve calendars itself. It needs no Node.js.
`;
}

function filesIn(folder) {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
}

/** Examples that can be run keep their mode. */
function modeOf(path) {
  return (statSync(join(ROOT, path)).mode & 0o111) === 0 ? 0o644 : 0o755;
}

function read(path) {
  return readFileSync(join(ROOT, path));
}

function write(path, content, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode });
}

await runIfEntry(import.meta.url, async () => {
  const { values } = parseArgs({
    options: {
      program: { type: "string", default: join(ROOT, "release/calctl") },
      output: { type: "string", default: join(ROOT, "release") },
    },
  });
  // Files of a package are readable by all.
  process.umask(0o022);
  const path = await makePackage({ program: resolve(values.program), output: resolve(values.output) });
  console.log(relative(process.cwd(), path));
});
