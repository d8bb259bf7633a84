import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event, UndoWorld } from "./undo/world.js";

export const CHOIR_RULE = ["RRULE:FREQ=WEEKLY;BYDAY=MO", "RDATE:20261217T180000Z"];
const CHOIR = {
  title: "Choir",
  start_at: "2026-12-07T18:00:00.000Z",
  end_at: "2026-12-07T19:30:00.000Z",
  start_timezone: "Europe/Berlin",
  end_timezone: "Europe/Berlin",
  label: 3,
  recurrences: CHOIR_RULE,
};

/** A weekly event, of which one was moved to another week, one was deleted, one has another title, and one was added. */
export async function createChoir(world: UndoWorld): Promise<string> {
  const path = join(world.directory, "choir.json");
  writeFileSync(path, JSON.stringify(CHOIR));
  const { id } = await world.json<Event>("events", "create", "-c", "Family", "--input", path);
  const at = (day: string) => `${id}_202${day}T180000Z`;
  const change = (day: string, ...flags: readonly string[]) =>
    world.json("events", "update", at(day), "--scope", "this", ...flags);
  await change("61214", "--by", "+9d");
  await change("70104", "--title", "Concert");
  await world.run("events", "delete", at("61228"), "--scope", "this", "--yes");
  return id;
}

export const listIn = (world: UndoWorld, ...flags: readonly string[]) =>
  world.json<Event[]>("events", "list", "-c", "Family", ...flags);
export const WEEK = ["--from", "2026-12-07", "--to", "2026-12-13"];
export const OTHER_WEEK = ["--from", "2026-12-21", "--to", "2026-12-27"];
