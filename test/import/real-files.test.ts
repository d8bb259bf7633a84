import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ImportItem } from "../../src/import/entry.js";
import { readImportFile } from "../../src/import/read.js";
import { describeWithSystem } from "../support/system.js";

/**
 * Files in the manner of the programs that are known for them: zones, folding, lines of their own. khal and
 * python3-icalendar read the same events; where they do not, docs/decisions/2026-11-23-import.md says why.
 */
const FOLDER = fileURLToPath(new URL("fixtures/", import.meta.url));
const READERS = fileURLToPath(new URL("ics-readers.py", import.meta.url));
const FILES = readdirSync(FOLDER).sort();

interface Reading {
  readonly uid: string;
  readonly title: string;
  /** A date, or a time in UTC. */
  readonly start: string;
  readonly end: string | null;
  readonly location: string;
  readonly description: string;
  readonly cancelled: boolean;
}

function read(file: string) {
  return readImportFile(readFileSync(join(FOLDER, file)), { name: file, zone: "Europe/Berlin" });
}

function readingOf(item: ImportItem): Reading {
  if (item.kind === "rejected") throw new Error(`line ${item.line}: ${item.reason}`);
  const { identity, title, occurrenceOf, content, cancelled } = item;
  const { start_at = "", end_at = "", all_day, location = "", description = "" } = content;
  const time = (at: string) => (all_day === true ? at.slice(0, 10) : at.replace(".000Z", "Z"));
  const uid = occurrenceOf?.uid ?? identity;
  return { uid, title, start: time(start_at), end: time(end_at), location, description, cancelled };
}

test.each(FILES)("%s is read to its end", async (file) => {
  const { items, isComplete, format } = await read(file);
  expect({ format, isComplete, rejected: items.filter(({ kind }) => kind === "rejected") }).toEqual({
    format: "ics",
    isComplete: true,
    rejected: [],
  });
  expect(items).not.toEqual([]);
});

/** What the others read otherwise: reader, file, UID and field, then our value and theirs. */
const DIFFERENCES: readonly string[] = [
  'icalendar booking-club.ics match1@club.example end: "2026-12-06T14:00:00Z", "2026-12-06T13:00:00Z"',
  'icalendar booking-club.ics match2@club.example end: "2026-12-14", null',
  'icalendar booking-club.ics match3@club.example start: "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"',
  'khal booking-club.ics match3@club.example start: "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"',
  'icalendar booking-ticket.ics ticket-5566@tickets.example end: "2026-12-19T20:00:00Z", null',
  "icalendar exchange-utc.ics \"AttributeError: 'NoneType' object has no attribute 'dt'\"",
  "khal exchange-utc.ics \"AttributeError: 'NoneType' object has no attribute 'dt'\"",
];

describeWithSystem("khal", "khal and python3-icalendar", () => {
  test("read the same events", async () => {
    const input = JSON.stringify(FILES.map((file) => join(FOLDER, file)));
    const stdio = ["pipe", "pipe", "ignore"] as const;
    // Debian's own: other Pythons do not have khal.
    const output = execFileSync("/usr/bin/python3", [READERS], {
      input,
      encoding: "utf8",
      stdio: [...stdio],
    });
    const theirs: readonly Readonly<Record<string, readonly Reading[] | string>>[] = JSON.parse(output);
    const differences: string[] = [];
    for (const [index, file] of FILES.entries()) {
      const ours = (await read(file)).items.map(readingOf);
      for (const [reader, readings] of Object.entries(theirs[index] ?? {}))
        differences.push(...compare(ours, readings).map((difference) => `${reader} ${file} ${difference}`));
    }
    expect(differences).toEqual(DIFFERENCES);
  });
});

function compare(ours: readonly Reading[], theirs: readonly Reading[] | string): readonly string[] {
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
