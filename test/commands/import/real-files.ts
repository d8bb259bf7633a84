import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ImportItem } from "../../../src/commands/import/entry.js";
import { readImportFile } from "../../../src/commands/import/read.js";

/**
 * Files in the manner of the programs that are known for them: zones, folding, lines of their own. khal and
 * python3-icalendar read the same events; where they do not, docs/decisions/2026-11-23-import.md says why.
 */
const FOLDER = fileURLToPath(new URL("fixtures/", import.meta.url));
const FIELD = fileURLToPath(new URL("field/", import.meta.url));
/** Files whose times are written otherwise than RFC 5545 says. */
const ODD_TIMES = ["allday-midnights", "calendar-zone", "exdate-none", "fractions", "offsets", "utc-names"];
export const PLAIN_FILES = readdirSync(FOLDER).sort();
export const FILES = [...PLAIN_FILES, ...ODD_TIMES.map((name) => `${name}.ics`)];

export interface Reading {
  readonly uid: string;
  readonly title: string;
  /** A date, or a time in UTC. */
  readonly start: string;
  readonly end: string | null;
  readonly location: string;
  readonly description: string;
  readonly cancelled: boolean;
}

export function pathOf(file: string): string {
  return join(ODD_TIMES.includes(basename(file, ".ics")) ? FIELD : FOLDER, file);
}

export function read(file: string) {
  return readImportFile(readFileSync(pathOf(file)), { name: file, zone: "Europe/Berlin" });
}

export function readingOf(item: ImportItem): Reading {
  if (item.kind === "rejected") throw new Error(`line ${item.line}: ${item.reason}`);
  const { identity, title, occurrenceOf, content, cancelled } = item;
  const { start_at = "", end_at = "", all_day, location = "", description = "" } = content;
  const time = (at: string) => (all_day === true ? at.slice(0, 10) : at.replace(".000Z", "Z"));
  const uid = occurrenceOf?.uid ?? identity;
  return { uid, title, start: time(start_at), end: time(end_at), location, description, cancelled };
}

/** What differs between two readings of a file. */
export function compare(ours: readonly Reading[], theirs: readonly Reading[] | string): readonly string[] {
  if (typeof theirs === "string" || theirs.length !== ours.length) return [JSON.stringify(theirs)];
  return ours.flatMap((reading, index) =>
    Object.entries(reading).flatMap(([field, value]) => {
      const other = theirs[index]?.[field as keyof Reading];
      return value === other
        ? []
        : [`${reading.uid} ${field}: ${JSON.stringify(value)}, ${JSON.stringify(other)}`];
    }),
  );
}
