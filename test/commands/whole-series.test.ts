import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ICAL from "ical.js";
import { expect, test } from "vitest";
import { withSeries } from "../../src/calendar/with-series.js";
import { CliError } from "../../src/errors.js";
import { EVENT } from "../output/fixtures.js";
import { describeWithSystem } from "../support/system.js";
import { createUndoWorld, type Event, type UndoWorld } from "./undo-world.js";

/** iCalendar has each series once and whole, whichever of its events a command is about. */

const RULE = ["RRULE:FREQ=WEEKLY;BYDAY=MO", "RDATE:20261217T180000Z"];
const CHOIR = {
  title: "Choir",
  start_at: "2026-12-07T18:00:00.000Z",
  end_at: "2026-12-07T19:30:00.000Z",
  start_timezone: "Europe/Berlin",
  end_timezone: "Europe/Berlin",
  label: 3,
  recurrences: RULE,
};

/** A weekly event, of which one was moved to another week, one was deleted, one has another title, and one was added. */
async function createSeries(world: UndoWorld): Promise<string> {
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

const listed = (world: UndoWorld, ...flags: readonly string[]) =>
  world.json<Event[]>("events", "list", "-c", "Family", ...flags);
const WEEK = ["--from", "2026-12-07", "--to", "2026-12-13"];
const OTHER_WEEK = ["--from", "2026-12-21", "--to", "2026-12-27"];

/** The VEVENTs of a file without their fields that no test is about. */
function blocksOf(text: string): readonly string[] {
  const lines = text.replaceAll("\r\n ", "").split("\r\n");
  const kept = /^(?:BEGIN:VEVENT|UID|DTSTART|RRULE|RDATE|EXDATE|RECURRENCE-ID|SUMMARY)/;
  return lines.slice(lines.indexOf("BEGIN:VEVENT")).filter((line) => kept.test(line));
}

test("a list of any week, an event, a series, an email and a feed have the whole series with its changes", async () => {
  const world = await createUndoWorld();
  const id = await createSeries(world);
  const text = async (...argv: readonly string[]) => {
    const { exitCode, stdout, stderr } = await world.run(...argv);
    expect(exitCode, stderr).toBe(0);
    return stdout;
  };
  const ics = ["-o", "ics"];
  const series = await text("events", "get", id, ...ics);
  const uid = `UID:${id}.${world.family}@calctl`;
  expect(blocksOf(series)).toEqual([
    ...[
      "BEGIN:VEVENT",
      uid,
      "DTSTART;TZID=Europe/Berlin:20261207T190000",
      ...RULE,
      "EXDATE:20261228T180000Z",
    ],
    "SUMMARY:Choir",
    ...["BEGIN:VEVENT", uid, "DTSTART;TZID=Europe/Berlin:20261223T190000"],
    ...["RECURRENCE-ID;TZID=Europe/Berlin:20261214T190000", "SUMMARY:Choir"],
    ...["BEGIN:VEVENT", uid, "DTSTART;TZID=Europe/Berlin:20270104T190000"],
    ...["RECURRENCE-ID;TZID=Europe/Berlin:20270104T190000", "SUMMARY:Concert"],
  ]);
  const [moved, ...others] = await listed(world, "--from", "2026-12-23", "--to", "2026-12-23");
  expect([moved?.title, others]).toEqual(["Choir", []]);
  for (const argv of [
    ["events", "list", "-c", "Family", ...WEEK],
    ["events", "list", "-c", "Family", ...OTHER_WEEK],
    ["events", "get", `${id}_20261207T180000Z`],
    ["events", "get", moved?.id ?? ""],
    ["agenda", "-c", "Family", "--from", "2026-12-07", "--days", "30"],
  ])
    expect(await text(...argv, ...ics), argv.join(" ")).toBe(series);
  const mail = await text(
    ...["post", "-p", "local", "--as", "mail", "--to", "a@b.example", "--ics", "--dry-run"],
    ...["-c", "Family", "--on", "2026-12-07"],
  );
  const [, attached = ""] = /text\/calendar[\s\S]*?\n\n([\w+/=\n]+)\n-/.exec(mail) ?? [];
  expect(blocksOf(Buffer.from(attached, "base64").toString())).toEqual(blocksOf(series));
  const { stdout } = await world.send("feeds", "add", "-c", "Family", "--fields", "address");
  const feed = await fetch(`${stdout.trim()}.ics`);
  expect(blocksOf(await feed.text())).toEqual(blocksOf(series));
});

/** `START|TITLE` of each event of a file until a day, as ical.js repeats them with the zones of the file. */
function expandedByIcal(text: string, last: string): readonly string[] {
  ICAL.TimezoneService.reset();
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents("vtimezone"))
    ICAL.TimezoneService.register(new ICAL.Timezone(zone));
  const [series, ...exceptions] = calendar
    .getAllSubcomponents("vevent")
    .map((block) => new ICAL.Event(block));
  for (const exception of exceptions) series?.relateException(exception);
  const iterator = series?.iterator();
  const lines: string[] = [];
  for (let time = iterator?.next(); time && time.toString() < last; time = iterator?.next()) {
    const details = series?.getOccurrenceDetails(time);
    lines.push(`${details?.startDate.toJSDate().toISOString()}|${details?.item.summary}`);
  }
  return lines.sort();
}

test("a list reads in ical.js as what events list shows, over a clock change", async () => {
  const world = await createUndoWorld();
  await createSeries(world);
  const { stdout } = await world.run("events", "list", "-c", "Family", ...WEEK, "-o", "ics");
  const events = await listed(world, "--from", "2026-12-01", "--to", "2027-05-31");
  const expected = events.map((event) => `${event["start_at"]}|${event.title}`);
  expect(expandedByIcal(stdout, "2027-06-01")).toEqual(expected.sort());
});

test("without the rule from the service, events are single ones; other failures are reported", async () => {
  const occurrence = { ...EVENT, id: "s_20261121T060000Z", series_id: "s" };
  const failing = (code: "not_found" | "forbidden") => () => Promise.reject(new CliError(code, "no"));
  expect(await withSeries([occurrence], failing("not_found"))).toEqual([occurrence]);
  await expect(withSeries([occurrence], failing("forbidden"))).rejects.toMatchObject({ code: "forbidden" });
});

describeWithSystem("khal", "khal", () => {
  test("keeps everything of a week when it imports the next one", async () => {
    const world = await createUndoWorld();
    await createSeries(world);
    const folder = join(world.directory, "khal");
    mkdirSync(join(folder, "calendar"), { recursive: true });
    const config = join(folder, "config");
    const formats = ["timeformat = %H:%M", "dateformat = %Y-%m-%d", "longdateformat = %Y-%m-%d"];
    const long = ["datetimeformat = %Y-%m-%d %H:%M", "longdatetimeformat = %Y-%m-%d %H:%M"];
    const zones = ["local_timezone = UTC", "default_timezone = UTC"];
    const calendars = ["[calendars]", "[[test]]", `path = ${join(folder, "calendar")}`];
    const database = ["[sqlite]", `path = ${join(folder, "khal.db")}`];
    writeFileSync(
      config,
      [...calendars, ...database, "[locale]", ...zones, ...formats, ...long, ""].join("\n"),
    );
    const khal = (...argv: readonly string[]) =>
      execFileSync("khal", ["-c", config, ...argv], {
        encoding: "utf8",
        env: { ...process.env, LC_ALL: "C.UTF-8", HOME: folder, XDG_DATA_HOME: folder },
      });
    for (const [index, days] of [WEEK, OTHER_WEEK].entries()) {
      const file = join(folder, `${index}.ics`);
      writeFileSync(file, (await world.run("events", "list", "-c", "Family", ...days, "-o", "ics")).stdout);
      khal("import", "--batch", file);
    }
    const format = ["--day-format", "", "--format", "{start-long}|{title}"];
    const lines = khal("list", ...format, "2026-12-01", "60d")
      .split("\n")
      .filter(Boolean)
      .sort();
    const events = await listed(world, "--from", "2026-12-01", "--to", "2027-01-29");
    const start = (event: Event) => `${event["start_at"]}`.slice(0, 16).replace("T", " ");
    expect(lines).toEqual(events.map((event) => `${start(event)}|${event.title}`).sort());
    expect(lines).toHaveLength(8);
  });
});
