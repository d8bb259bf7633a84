import { createHash } from "node:crypto";
import { join } from "node:path";
import { querySql, runSql } from "../../../service/test/support/database.js";
import { createHarness, type Harness } from "../../support/harness.js";

/** The folder with the database of the profile `local`, for CALCTL_DATA_DIR. */
export interface ExampleWeek {
  readonly directory: string;
}

const DATABASE = "local.db";

/** Calendar, title, and the flags of each event of the week from Saturday, 21 November 2026, in Berlin. */
const EVENTS: readonly (readonly [calendar: string, title: string, ...flags: string[]])[] = [
  ["Family", "Grandma visits", ...allDay("2026-11-20", "2026-11-22"), "--label", "Visits"],
  ["Family", "Swimming lesson", ...hours("2026-11-21T09:30", "1h"), "--location", "Municipal pool"],
  ["Family", "Birthday party", ...hours("2026-11-21T15:00", "2h"), "--location", "Ben's house"],
  [
    "Family",
    "Dinner with the neighbors",
    ...hours("2026-11-21T19:00", "150m"),
    ...["--label", "Visits", "--location", "Noodle bar", "--url", "https://noodles.example/tables"],
    ...["--attendee", "Ana", "--attendee", "Ben", "--description", "A table for six.\nBring the photos."],
  ],
  ["Family", "Brunch", ...hours("2026-11-22T11:00", "2h"), "--label", "Visits"],
  ["Work", "Planning", ...hours("2026-11-23T09:00", "1h"), "--label", "Meetings"],
  ["Work", "Interview", ...hours("2026-11-23T09:30", "1h"), "--label", "Meetings", "--location", "Room 4"],
  ["Family", "Dentist", ...hours("2026-11-24T16:15", "45m"), "--location", "Lime Street 3"],
  ["Work", "Release day", ...allDay("2026-11-24", "2026-11-24"), "--label", "Deadlines"],
  ["Work", "Conference in Lyon", ...allDay("2026-11-25", "2026-11-26")],
  ["Work", "Call with Tokyo", ...hours("2026-11-25T08:00", "1h"), "--label", "Meetings"],
  ["Work", "Database maintenance", "--start", "2026-11-26T22:30", "--end", "2026-11-27T01:30"],
  ["Family", "Choir", ...hours("2026-11-27T18:30", "90m"), "--location", "Old school"],
];

function allDay(first: string, last: string): readonly string[] {
  return ["--all-day", "--start", first, "--end", last];
}

function hours(start: string, duration: string): readonly string[] {
  return ["--start", start, "--duration", duration];
}

/** Two calendars with a week of events. All ids of calendars and events are always the same. */
export async function createExampleWeek(): Promise<ExampleWeek> {
  const harness = await createHarness({ userName: "Ana", database: DATABASE });
  await addCalendars(harness);
  for (const [calendar, title, ...flags] of EVENTS) {
    await harness.json("events", "create", "-c", calendar, "--title", title, ...flags);
  }
  replaceIds(join(harness.directory, DATABASE));
  return harness;
}

async function addCalendars({ service: { admin }, userId }: Harness): Promise<void> {
  const [personal] = await admin.calendars.list();
  const ben = await admin.users.add({ name: "Ben" });
  const family = await admin.calendars.add({ name: "Family", owner: userId, color: "#2ecc87" });
  await admin.members.add(ben.id, family.id);
  await admin.labels.set(family.id, 2, { name: "Visits", color: "#e73b3b" });
  const work = await admin.calendars.add({ name: "Work", owner: userId, color: "#3d9df5" });
  await admin.labels.set(work.id, 2, { name: "Meetings", color: "#3d9df5" });
  await admin.labels.set(work.id, 3, { name: "Deadlines", color: "#f5a623" });
  if (personal !== undefined) await admin.calendars.remove(personal.id);
}

/** The id of an event of the week. */
export function exampleId(title: string): string {
  return createHash("sha256").update(title).digest("hex").slice(0, 32);
}

/** The id of one of the calendars. */
function exampleCalendarId(name: string): string {
  return createHash("sha256").update(name).digest("base64url").slice(0, 12);
}

/** Ids are random; those of the screens must not be. */
function replaceIds(database: string): void {
  const calendars = querySql(database, "select id, name from calendars").map(({ id, name }) => {
    const fixed = exampleCalendarId(String(name));
    const references = ["members", "labels", "events"].map(
      (table) => `update ${table} set calendar_id = '${fixed}' where calendar_id = '${id}';`,
    );
    return [`update calendars set id = '${fixed}' where id = '${id}';`, ...references].join("\n");
  });
  const events = querySql(database, "select id, title from events").map(({ id, title }) => {
    const fixed = exampleId(String(title));
    return `update events set id = '${fixed}' where id = '${id}';
      update attendees set event_id = '${fixed}' where event_id = '${id}';`;
  });
  runSql(database, `pragma foreign_keys = off; ${[...calendars, ...events].join("\n")}`);
}
