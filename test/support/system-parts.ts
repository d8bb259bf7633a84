import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** System parts that some tests need: the names to look for, of which one suffices, and the package. */
const SYSTEM_PARTS = {
  tmux: { binaries: ["tmux"], debianPackage: "tmux" },
  keyring: { binaries: ["gnome-keyring-daemon"], debianPackage: "gnome-keyring libsecret-1-0" },
  dbus: { binaries: ["dbus-run-session"], debianPackage: "dbus" },
  python: { binaries: ["python3"], debianPackage: "python3" },
  // A module of Debian's Python, found from the folder of its programs.
  dateutil: { binaries: ["../lib/python3/dist-packages/dateutil"], debianPackage: "python3-dateutil" },
  icalendar: { binaries: ["../lib/python3/dist-packages/icalendar"], debianPackage: "python3-icalendar" },
  vdirsyncer: { binaries: ["vdirsyncer"], debianPackage: "vdirsyncer" },
  thunderbird: { binaries: ["thunderbird"], debianPackage: "thunderbird" },
  khal: { binaries: ["khal"], debianPackage: "khal" },
  gcalcli: { binaries: ["gcalcli"], debianPackage: "gcalcli" },
  chromium: { binaries: ["chromium", "chromium-browser", "google-chrome"], debianPackage: "chromium" },
  nginx: { binaries: ["nginx"], debianPackage: "nginx-light" },
  zsh: { binaries: ["zsh"], debianPackage: "zsh" },
  fish: { binaries: ["fish"], debianPackage: "fish" },
  man: { binaries: ["man"], debianPackage: "man-db" },
  mandoc: { binaries: ["mandoc"], debianPackage: "mandoc" },
  less: { binaries: ["less"], debianPackage: "less" },
  sqlite3: { binaries: ["sqlite3"], debianPackage: "sqlite3" },
  faketime: { binaries: ["faketime"], debianPackage: "faketime" },
  msmtp: { binaries: ["msmtp"], debianPackage: "msmtp-mta" },
  cron: { binaries: ["cron"], debianPackage: "cron" },
  dpkg: { binaries: ["dpkg-deb"], debianPackage: "dpkg" },
  postgres: { binaries: ["initdb"], debianPackage: "postgresql" },
  pgbouncer: { binaries: ["pgbouncer"], debianPackage: "pgbouncer" },
  script: { binaries: ["script"], debianPackage: "bsdutils" },
  setpriv: { binaries: ["setpriv"], debianPackage: "util-linux" },
  curl: { binaries: ["curl"], debianPackage: "curl" },
  systemd: { binaries: ["systemd"], debianPackage: "systemd" },
} as const;

export type SystemPart = keyof typeof SYSTEM_PARTS;

/** Absolute path of a system part, or undefined if it is not installed. */
export function systemPart(name: SystemPart): string | undefined {
  return findExecutable(SYSTEM_PARTS[name].binaries);
}

/** The first program of these names that is installed. */
function findExecutable(names: readonly string[]): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  // Where Debian has servers, which is not on the PATH of other users than root, or of anyone.
  const folders = [...onPath, "/usr/sbin", ...postgresFolders()];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable);
}

/** Where Debian has the programs of each version of PostgreSQL, the newest first. */
function postgresFolders(): readonly string[] {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(root, version, "bin"));
}

/** Why tests cannot run on this machine. */
export interface Obstacle {
  readonly reason: string;
  /** Whether installing a package would help. */
  readonly canBeInstalled: boolean;
}

/** What prevents tests that need a part; null if it is installed. */
export function missingPart(name: SystemPart): Obstacle | null {
  if (systemPart(name) !== undefined) return null;
  return { reason: `${name} is not installed`, canBeInstalled: true };
}

/** The packages of all parts that are missing, in order. */
export function missingPackages(): readonly string[] {
  const missing = Object.values(SYSTEM_PARTS).filter(
    ({ binaries }) => findExecutable(binaries) === undefined,
  );
  return missing.map(({ debianPackage }) => debianPackage).sort();
}

/** Whether a test fails, instead of being skipped, where a part is missing that can be installed: in CI. */
export function requiresSystem(): boolean {
  return process.env["CALCTL_REQUIRE_SYSTEM"] === "1";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (_absent) {
    return false;
  }
}
