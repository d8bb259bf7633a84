import ICAL from "ical.js";
import { expect, test } from "vitest";
import { CliError } from "../../../src/errors.js";
import { withSeries } from "../../../src/events/repeat/with-series.js";
import { EVENT } from "../../output/fixtures.js";
import { share } from "../../support/shared.js";
import { CHOIR_RULE, createChoir, listIn, OTHER_WEEK, WEEK } from "../choir.js";
import { createUndoWorld } from "../undo/world.js";

/** iCalendar has each series once and whole, whichever of its events a command is about. */

const shared = share(async () => {
  const world = await createUndoWorld();
  return { ...world, id: await createChoir(world) };
});

/** The VEVENTs of a file without their fields that no test is about. */
function blocksOf(text: string): readonly string[] {
  const lines = text.replaceAll("\r\n ", "").split("\r\n");
  const kept = /^(?:BEGIN:VEVENT|UID|DTSTART|RRULE|RDATE|EXDATE|RECURRENCE-ID|SUMMARY)/;
  return lines.slice(lines.indexOf("BEGIN:VEVENT")).filter((line) => kept.test(line));
}

test("a list of any week, an event, a series, an email and a feed have the whole series with its changes", async () => {
  const { id, ...world } = shared();
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
      ...CHOIR_RULE,
      "EXDATE:20261228T180000Z",
    ],
    "SUMMARY:Choir",
    ...["BEGIN:VEVENT", uid, "DTSTART;TZID=Europe/Berlin:20261223T190000"],
    ...["RECURRENCE-ID;TZID=Europe/Berlin:20261214T190000", "SUMMARY:Choir"],
    ...["BEGIN:VEVENT", uid, "DTSTART;TZID=Europe/Berlin:20270104T190000"],
    ...["RECURRENCE-ID;TZID=Europe/Berlin:20270104T190000", "SUMMARY:Concert"],
  ]);
  const [moved, ...others] = await listIn(world, "--from", "2026-12-23", "--to", "2026-12-23");
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
  const world = shared();
  const { stdout } = await world.run("events", "list", "-c", "Family", ...WEEK, "-o", "ics");
  const events = await listIn(world, "--from", "2026-12-01", "--to", "2027-05-31");
  const expected = events.map((event) => `${event["start_at"]}|${event.title}`);
  expect(expandedByIcal(stdout, "2027-06-01")).toEqual(expected.sort());
});

test("without the rule from the service, events are single ones; other failures are reported", async () => {
  const occurrence = { ...EVENT, id: "s_20261121T060000Z", series_id: "s" };
  const failing = (code: "not_found" | "forbidden") => () => Promise.reject(new CliError(code, "no"));
  expect(await withSeries([occurrence], failing("not_found"))).toEqual([occurrence]);
  await expect(withSeries([occurrence], failing("forbidden"))).rejects.toMatchObject({ code: "forbidden" });
});
