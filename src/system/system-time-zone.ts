import { readFileSync, realpathSync } from "node:fs";
import { posix } from "node:path";
import { isTimeZone } from "../../contract/date-time.js";
import { readZoneVariable } from "../../contract/time-zone-names.js";

/** Access to the files that name the zone of a machine; undefined for a file that cannot be read. */
export interface ZoneFiles {
  readonly realpath: (path: string) => string | undefined;
  readonly read: (path: string) => string | undefined;
}

const ZONE_FILES: ZoneFiles = {
  realpath: (path) => orUndefined(() => realpathSync(path)),
  read: (path) => orUndefined(() => readFileSync(path, "utf8")),
};

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const LOCAL_TIME = "/etc/localtime";
const DATABASE = "/usr/share/zoneinfo";

/**
 * The time zone of TZ, else of the machine; undefined if it has no IANA name. A link such as Asia/Kolkata stays, which
 * Node turns into the older Asia/Calcutta.
 * @param variable TZ: a name or a file, after a colon or not; a POSIX rule such as `JST-9`, for which Node uses UTC, has no name
 * @see POSIX.1-2024 §8.3, tzset(3)
 */
export function resolveSystemTimeZone(
  variable: string | undefined,
  files: ZoneFiles = ZONE_FILES,
): string | undefined {
  const name = variable?.replace(/^:/, "");
  if (name === "") return "UTC";
  if (name === undefined) return zoneOfFile(LOCAL_TIME, files) ?? zoneOfProcess();
  return zoneNamed(name) ?? zoneOfFile(posix.resolve(DATABASE, name), files);
}

/** The zone of a file of the zone database, by its path; /etc/localtime may be a copy. */
function zoneOfFile(path: string, files: ZoneFiles): string | undefined {
  for (const place of [path, files.realpath(path)]) {
    const [, name] = place?.match(/\/zoneinfo\/(?:posix\/|right\/)?(.+)$/) ?? [];
    const zone = name === undefined ? undefined : zoneNamed(name);
    if (zone !== undefined) return zone;
  }
  return path === LOCAL_TIME ? zoneNamed(files.read("/etc/timezone")?.trim() ?? "") : undefined;
}

function zoneNamed(name: string): string | undefined {
  // Loading Intl takes half as long as starting Node; machines in UTC, as most servers are, can skip it.
  return name === "UTC" || name === "Etc/UTC" ? "UTC" : readZoneVariable(name);
}

/** The zone that Node finds. Node also compares a copy of a zone's file with all of them, and supports other systems than Unix. */
function zoneOfProcess(): string | undefined {
  if (new Date(0).toString().endsWith("+0000 (Coordinated Universal Time)")) return "UTC";
  // Typed as a string, but undefined for a zone without a name.
  const zone: unknown = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return typeof zone === "string" && zone !== "Etc/Unknown" && isTimeZone(zone) ? zone : undefined;
}
