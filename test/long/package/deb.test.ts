import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithSystem } from "../../support/system.js";
import { words } from "../../support/words.js";

/** The Debian package, of a small program instead of the executable. It is installed into a folder, not into this system. */

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

let folder: string;
let system: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "calctl-deb-test-"));
  system = join(folder, "system");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, ...args: readonly string[]): string {
  // dpkg looks for programs that maintainer scripts may use.
  const env = { PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`, LC_ALL: "C.UTF-8" };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  expect({ command, args, status, stderr }).toEqual({ command, args, status: 0, stderr: "" });
  return stdout;
}

/** dpkg with `system` for its root; what the package needs is not there. */
function dpkg(...args: readonly string[]): void {
  const flags = ["--root", system, "--force-not-root", "--force-script-chrootless", "--force-depends"];
  run("sh", "-c", 'exec "$@" 2>/dev/null', "-", "dpkg", ...flags, ...args);
}

function installedFiles(): readonly string[] {
  return readdirSync(system, { recursive: true, encoding: "utf8" })
    .filter((path) => !/^var(?:$|\/lib)/.test(path))
    .sort();
}

describeWithSystem("dpkg", "the package", () => {
  let deb: string;

  beforeAll(() => {
    const program = join(folder, "program/calctl");
    mkdirSync(join(folder, "program"));
    writeFileSync(program, "#!/bin/sh\necho hello\n", { mode: 0o755 });
    writeFileSync(join(folder, "program/THIRD-PARTY-NOTICES"), "The notices.\n");
    const script = join(ROOT, "build/deb.mjs");
    run(process.execPath, script, "--program", program, "--output", folder);
    const name = readdirSync(folder).find((file) => file.endsWith(".deb")) ?? "";
    expect(name).toMatch(/^calctl_0\.1\.0_\w+\.deb$/);
    deb = join(folder, name);
    for (const path of ["var/lib/dpkg/updates", "var/lib/dpkg/info"]) {
      mkdirSync(join(system, path), { recursive: true });
    }
    writeFileSync(join(system, "var/lib/dpkg/status"), "");
  });

  test("names what it needs", () => {
    const field = (name: string) => run("dpkg-deb", "--field", deb, name).trim();
    expect(field("Package")).toBe("calctl");
    expect(field("Depends")).toContain("libc6 (>= 2.28)");
    expect(field("Recommends")).toContain("libsecret-1-0");
    expect(Number(field("Installed-Size"))).toBeGreaterThan(10);
  });

  test("belongs to root, and everyone may read it", () => {
    const lines = run("dpkg-deb", "--contents", deb).trim().split("\n");
    const rights = lines.map((line) => line.split(" ").slice(0, 2).join(" "));
    expect([...new Set(rights)].sort()).toEqual([
      "-rw-r--r-- root/root",
      "-rwxr-xr-x root/root",
      "drwxr-xr-x root/root",
    ]);
  });

  test("puts everything in its place, and leaves nothing when it is removed", () => {
    dpkg("--install", deb);
    const documents = /^usr\/share\/doc\/calctl\/(?:docs|examples)\//;
    const files = installedFiles().filter((path) => statSync(join(system, path)).isFile());
    expect(files.filter((path) => !documents.test(path))).toEqual(words`usr/bin/calctl
      usr/share/bash-completion/completions/calctl usr/share/doc/calctl/README.md
      usr/share/doc/calctl/changelog.gz usr/share/doc/calctl/copyright
      usr/share/fish/vendor_completions.d/calctl.fish usr/share/man/man1/calctl.1.gz
      usr/share/zsh/vendor-completions/_calctl`);
    for (const path of [
      "docs/cron.md",
      "docs/extensions.md",
      "docs/images/week-dark.svg",
      "examples/crontab",
    ]) {
      expect(files).toContain(`usr/share/doc/calctl/${path}`);
    }
    expect(run(join(system, "usr/bin/calctl"))).toBe("hello\n");
    const share = (path: string) => readFileSync(join(system, "usr/share", path), "utf8");
    const built = (path: string) => readFileSync(join(ROOT, "dist", path), "utf8");
    expect(share("bash-completion/completions/calctl")).toBe(built("completions/calctl.bash"));
    expect(share("zsh/vendor-completions/_calctl")).toBe(built("completions/_calctl"));
    expect(share("fish/vendor_completions.d/calctl.fish")).toBe(built("completions/calctl.fish"));
    expect(run("gzip", "-dc", join(system, "usr/share/man/man1/calctl.1.gz"))).toBe(built("calctl.1"));
    expect(share("doc/calctl/copyright")).toMatch(/^MIT License[\s\S]*The notices\.\n$/);

    dpkg("--remove", "calctl");
    expect(installedFiles()).toEqual([]);
  });
});
