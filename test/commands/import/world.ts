import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runSql } from "../../../service/test/support/database.js";
import type { UndoWorld } from "../undo/world.js";

/** An event of iCalendar. */
export function vevent(uid: string, title: string, ...lines: readonly string[]): string {
  return ["BEGIN:VEVENT", `UID:${uid}`, `SUMMARY:${title}`, ...lines, "END:VEVENT"].join("\r\n");
}

/** The text of a file of iCalendar. @param parts events, and properties of the calendar before them */
export function icsFile(parts: readonly string[]): string {
  return ["BEGIN:VCALENDAR", "VERSION:2.0", ...parts, "END:VCALENDAR", ""].join("\r\n");
}

/** The text of a file of NDJSON. @param lines events, or lines as they are */
export function ndjsonFile(lines: readonly unknown[]): string {
  return lines.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join("");
}

type WithDirectory = Pick<UndoWorld, "directory">;

/** @returns its path */
export function writeText({ directory }: WithDirectory, name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

/** Imports a text as a file of this name into Family. @returns the exit code and the report */
export async function importText(world: UndoWorld, name: string, text: string, ...flags: readonly string[]) {
  const argv = ["import", writeText(world, name, text), "-c", "Family", "--yes", "-o", "json", ...flags];
  const { exitCode, stdout, stderr } = await world.step(...argv);
  return { exitCode, stderr, ...(stdout === "" ? {} : JSON.parse(stdout)) };
}

/** Runs a statement on what imports and undo remember. */
export function changeState({ directory }: WithDirectory, sql: string): void {
  runSql(join(directory, "state.db"), sql);
}

/** A SEQUENCE; null if there is none. */
export type Version = number | null;

export function sequenceLine(sequence: Version): readonly string[] {
  return sequence === null ? [] : [`SEQUENCE:${sequence}`];
}

/** A series of the Mondays from 7 December 2026 on. */
export function choir(title: string, sequence: Version, ...lines: readonly string[]): string {
  const times = ["DTSTART;TZID=Europe/Berlin:20261207T190000", "DURATION:PT1H"];
  return vevent("choir", title, ...times, "RRULE:FREQ=WEEKLY;COUNT=3", ...sequenceLine(sequence), ...lines);
}

/** A change of its event of 14 December. */
export function concert(title: string, sequence: Version, ...lines: readonly string[]): string {
  const times = ["RECURRENCE-ID", "DTSTART"].map(
    (name, index) => `${name};TZID=Europe/Berlin:20261214T${19 + index}0000`,
  );
  return vevent("choir", title, ...times, "DURATION:PT1H", ...sequenceLine(sequence), ...lines);
}

/** The parts of an email that asks for events. */
export function request(...events: readonly string[]): readonly string[] {
  return ["METHOD:REQUEST", ...events];
}
