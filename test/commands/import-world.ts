import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UndoWorld } from "./undo-world.js";

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

/** The path of what is remembered of the only source that was imported. */
export function recordsPath({ directory }: WithDirectory): string {
  const folder = join(directory, "imports");
  return join(folder, readdirSync(folder)[0] ?? "");
}
