import fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import type { LocalizedEvent } from "../../../src/events/localized-event.js";
import { labelView } from "../../../src/events/views/calendar.js";
import { eventView } from "../../../src/events/views/event.js";
import {
  ALL_DAY_EVENT,
  BARE_KEEP,
  CHANGING_ZONES,
  EVENT,
  timed,
  timesAroundChanges,
  WORK_LABEL,
} from "../../output/fixtures.js";
import { rendered } from "../../output/rendered.js";
import { hostileText } from "../../support/harmful-text.js";
import { numberOfRuns } from "../../support/shared.js";

const ICS = { format: "ics" };

function linesOf(text: string): readonly string[] {
  expect(text.endsWith("\r\n")).toBe(true);
  return text.replaceAll("\r\n ", "").split("\r\n").slice(0, -1);
}

/** The events as ical.js reads them, with zones from the text alone. */
function read(text: string): readonly ICAL.Event[] {
  ICAL.TimezoneService.reset();
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents("vtimezone")) {
    ICAL.TimezoneService.register(new ICAL.Timezone(zone));
  }
  return calendar.getAllSubcomponents("vevent").map((component) => new ICAL.Event(component));
}

describe("ics", () => {
  test("of an event has every field that iCalendar knows", async () => {
    expect(linesOf(await rendered(eventView, { ...EVENT, label: WORK_LABEL }, ICS))).toEqual([
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//calctl//calctl//EN",
      "BEGIN:VTIMEZONE",
      "TZID:Asia/Tokyo",
      "BEGIN:STANDARD",
      "DTSTART:20250101T090000",
      "TZOFFSETFROM:+0900",
      "TZOFFSETTO:+0900",
      "END:STANDARD",
      "END:VTIMEZONE",
      "BEGIN:VEVENT",
      "UID:0123456789abcdef0123456789abcdef.AbC-dEf_GhIj@calctl",
      "DTSTAMP:20261002T000000Z",
      "CREATED:20261001T000000Z",
      "LAST-MODIFIED:20261002T000000Z",
      "SEQUENCE:86400",
      "DTSTART;TZID=Asia/Tokyo:20261121T150000",
      "DTEND;TZID=Asia/Tokyo:20261121T160000",
      "RRULE:FREQ=WEEKLY",
      "SUMMARY:Parents' evening at the school by the river",
      "LOCATION:Room 12",
      "DESCRIPTION:Bring:\\n\t- the report\\n\t- 質問のリストを忘れずに持ってきてください。時間は三十分です。",
      "URL:https://school.example/parents/evening?year=2026&class=4b",
      "CONTACT:👩‍💻 経理",
      "CONTACT:AbC-dEf_GhIj\\,2",
      "CATEGORIES:仕事",
      "X-CALCTL-ATTENDEE:9007199254740993",
      "X-CALCTL-ATTENDEE:2",
      "COLOR:crimson",
      "END:VEVENT",
      "END:VCALENDAR",
    ]);
  });

  test("of an all-day event has dates, the end exclusive", async () => {
    const lines = linesOf(await rendered(eventView, [ALL_DAY_EVENT], ICS));
    expect(lines.filter((line) => line.startsWith("DT"))).toEqual([
      "DTSTAMP:20261002T000000Z",
      "DTSTART;VALUE=DATE:20261121",
      "DTEND;VALUE=DATE:20261123",
    ]);
    expect(lines).not.toContain("BEGIN:VTIMEZONE");
  });

  test("of an event in UTC has no zone", async () => {
    const lines = linesOf(await rendered(eventView, [timed("2026-11-21T06:00:00.000Z", 1, "Etc/UTC")], ICS));
    expect(lines).toContain("DTSTART:20261121T060000Z");
    expect(lines).not.toContain("BEGIN:VTIMEZONE");
  });

  test("of a zone that nobody knows is in UTC", async () => {
    const event = { ...EVENT, start_timezone: "Mars/Base;X=1:2", end_timezone: null };
    const lines = linesOf(await rendered(eventView, [event], ICS));
    expect(lines).toContain("DTSTART:20261121T060000Z");
    expect(lines).toContain("DTEND:20261121T070000Z");
  });

  test.each([null, EVENT.start_at])("of an event that ends at %s has no end", async (end_at) => {
    const lines = linesOf(await rendered(eventView, [{ ...EVENT, end_at }], ICS));
    expect(lines.filter((line) => line.startsWith("DTEND"))).toEqual([]);
  });

  test("says for calctl import what iCalendar cannot: a keep, the zone of UTC, fractions, the spelling of a URL, a label without a name", async () => {
    const times = {
      start_at: "2026-10-25T00:30:00.250Z",
      start_timezone: "Europe/Berlin",
      end_timezone: "Etc/UTC",
    };
    const event = {
      ...EVENT,
      ...times,
      recurrences: [],
      label: { ...WORK_LABEL, name: "" },
      end_at: "2026-10-25T01:30:00.000Z",
      category: "keep",
      url: "https://a.example",
    };
    const lines = linesOf(await rendered(eventView, [event], ICS));
    const own = lines.slice(lines.indexOf("BEGIN:VEVENT"));
    expect(own.filter((line) => /^(?:DT(?:START|END)|URL|CATEGORIES|X-CALCTL-[^A])/.test(line))).toEqual([
      "DTSTART:20261025T003000Z",
      "DTEND:20261025T013000Z",
      "X-CALCTL-START:2026-10-25T00:30:00.250Z Europe/Berlin",
      "X-CALCTL-END:2026-10-25T01:30:00.000Z Etc/UTC",
      "URL:https://a.example/",
      "X-CALCTL-URL;VALUE=TEXT:https://a.example",
      `X-CALCTL-LABEL:${WORK_LABEL.number}`,
      "X-CALCTL-CATEGORY:keep",
    ]);
  });

  test("has an event that was asked for twice once", async () => {
    expect(read(await rendered(eventView, [EVENT, EVENT], ICS))).toHaveLength(1);
  });

  test("leaves out keeps without times, and says so", async () => {
    const notes: string[] = [];
    const note = (text: string) => void notes.push(text);
    const text = await rendered(eventView, [BARE_KEEP, EVENT], { ...ICS, note });
    expect(read(text).map(({ summary }) => summary)).toEqual([EVENT.title]);
    expect(notes).toEqual(["1 keep without times: not in ics output"]);
  });

  test("of an empty list is a calendar without events", async () => {
    expect(linesOf(await rendered(eventView, [], ICS))).toEqual([
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//calctl//calctl//EN",
      "END:VCALENDAR",
    ]);
  });

  test.each([
    "RRULE:FREQ=MONTHLY;BYDAY=-1SU;UNTIL=20270101T000000Z",
    "EXDATE:20261128T060000Z,20261205T060000Z",
    "RDATE;VALUE=DATE:20261128",
  ])("passes %s on", async (line) => {
    expect(linesOf(await rendered(eventView, [{ ...EVENT, recurrences: [line] }], ICS))).toContain(line);
  });

  test.each([
    [EVENT.id, true],
    ["fedcba9876543210fedcba9876543210", false],
  ])(
    "the rule of series %s is that of its own event alone, not of an occurrence",
    async (series_id, isOwn) => {
      const lines = linesOf(await rendered(eventView, [{ ...EVENT, series_id }], ICS));
      expect(lines.includes("RRULE:FREQ=WEEKLY")).toBe(isOwn);
    },
  );

  describe("of a series", () => {
    const series_id = "fedcba9876543210fedcba9876543210";
    const uid = `UID:${series_id}.${EVENT.calendar_id}@calctl`;
    const linesWith = async (...events: readonly LocalizedEvent[]) =>
      linesOf(await rendered(eventView, events, ICS)).filter((line) =>
        /^(?:UID|RRULE|EXDATE|RECURRENCE-ID)/.test(line),
      );

    test("is the series once, and each event that was changed on its own, with its start by the rule", async () => {
      const series = {
        ...EVENT,
        id: series_id,
        series_id,
        recurrences: ["RRULE:FREQ=WEEKLY", "EXDATE:20261128T060000Z,20261212T060000Z"],
      };
      const moved = { ...EVENT, id: `${series_id}_20261128T060000Z`, series_id, recurrences: [] };
      const next = { ...EVENT, id: `${series_id}_20261205T060000Z`, series_id };
      expect(await linesWith(next, moved, series, next)).toEqual([
        uid,
        "RRULE:FREQ=WEEKLY",
        "EXDATE:20261212T060000Z",
        uid,
        "RECURRENCE-ID;TZID=Asia/Tokyo:20261128T150000",
      ]);
    });

    test("of whole days has dates", async () => {
      const series = { ...ALL_DAY_EVENT, id: series_id, series_id, recurrences: ["RRULE:FREQ=DAILY"] };
      const day = { ...ALL_DAY_EVENT, id: `${series_id}_20261128`, series_id, recurrences: [] };
      expect(await linesWith(day, series)).toEqual([
        ...[uid, "RRULE:FREQ=DAILY", uid],
        "RECURRENCE-ID;VALUE=DATE:20261128",
      ]);
    });

    test("that begins in an hour which a clock change repeats keeps its wall clock", async () => {
      const times = timed("2026-10-25T00:30:00.000Z", 2, "Europe/Berlin");
      const text = await rendered(eventView, [{ ...times, recurrences: ["RRULE:FREQ=WEEKLY"] }], ICS);
      expect(linesOf(text)).toContain("DTSTART;TZID=Europe/Berlin:20261025T023000");
    });

    test("without its rule has events with a UID each", async () => {
      const ids = ["20261128T060000Z", "20261205T060000Z"].map(
        (originalStart) => `${series_id}_${originalStart}`,
      );
      const events = ids.map((id) => ({ ...EVENT, id, series_id }));
      expect(await linesWith(...events)).toEqual(ids.map((id) => `UID:${id}.${EVENT.calendar_id}@calctl`));
    });

    test("whose ids say nothing about it has events with a UID each", async () => {
      const [one, two] = ["1", "2"].map((id) => ({ ...EVENT, id, series_id }));
      expect(await linesWith(...[one, two].flatMap((event) => event ?? []))).toEqual([
        `UID:1.${EVENT.calendar_id}@calctl`,
        `UID:2.${EVENT.calendar_id}@calctl`,
      ]);
    });
  });

  test.each([
    "RRULE:COUNT=3",
    "RRULE:FREQ=DAILY\r\nATTENDEE:mailto:a@evil.example",
    "EXDATE;TZID=Nowhere:20261128T060000",
    "EXRULE:FREQ=DAILY",
    "END:VEVENT",
    "",
  ])("leaves %j out, with a note", async (line) => {
    const notes: string[] = [];
    const recurrences = ["RRULE:FREQ=DAILY", line];
    const options = { ...ICS, note: (text: string) => void notes.push(text) };
    const text = await rendered(eventView, [{ ...EVENT, recurrences }], options);
    expect(read(text)).toHaveLength(1);
    expect(linesOf(text).filter((each) => /^(?:RRULE|EXDATE|RDATE|EXRULE)/.test(each))).toEqual([
      "RRULE:FREQ=DAILY",
    ]);
    expect(notes).toEqual([
      `event ${EVENT.id}: 1 of its recurrences cannot be read and are not in ics output`,
    ]);
  });

  test.each([
    ["https://a.example/b c\n", "URL:https://a.example/b%20c"],
    ["mailto:a b@c.example", "URL:mailto:a%20b@c.example"],
    ["javascript:alert(1)", "COMMENT:javascript:alert(1)"],
    ["see the wiki; page 2", "COMMENT:see the wiki\\; page 2"],
  ])("writes the url %j as %s", async (url, line) => {
    expect(linesOf(await rendered(eventView, [{ ...EVENT, url }], ICS))).toContain(line);
  });

  test("is folded at 75 octets between characters", async () => {
    const text = await rendered(eventView, [{ ...EVENT, title: `a${"日".repeat(100)}` }], ICS);
    const lines = text.split("\r\n");
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBe(75);
    expect(text).not.toContain("\ufffd");
    expect(read(text)[0]?.summary).toBe(`a${"日".repeat(100)}`);
  });

  test("is refused for anything but events, and with --fields", async () => {
    await expect(rendered(labelView, [WORK_LABEL], ICS)).rejects.toMatchObject({
      code: "usage",
      message: '--output: label output has no format "ics"',
    });
    await expect(rendered(eventView, [EVENT], { ...ICS, fields: "id" })).rejects.toMatchObject({
      code: "usage",
    });
  });

  test("is sanitized on a terminal", async () => {
    const text = await rendered(eventView, [{ ...EVENT, title: "a\u001b[31m\u202eb" }], {
      ...ICS,
      columns: 80,
    });
    expect(linesOf(text)).toContain("SUMMARY:a\\\\x1b[31m\\\\u{202e}b");
  });

  test("carries hostile text intact; what iCalendar cannot hold becomes visible", async () => {
    // RFC 5545 allows no other control characters of ASCII.
    const forbidden = /(?=\p{ASCII})[^\P{Cc}\t\n\r]/gu;
    const shown = (text: string) =>
      text
        .replace(/\r\n?/g, "\n")
        .replace(/\p{Cs}/gu, "\ufffd")
        .replace(forbidden, (found) => `\\x${found.charCodeAt(0).toString(16).padStart(2, "0")}`);
    const text = fc.oneof(
      hostileText,
      fc.constantFrom("END:VEVENT\r\nBEGIN:VEVENT", "a;b,c\\n\\", "\\,", ":", '"', "BEGIN:VCALENDAR"),
    );
    await fc.assert(
      fc.asyncProperty(text, text, text, async (title, location, description) => {
        const ics = await rendered(eventView, [{ ...EVENT, title, location, description }], ICS);
        expect(Math.max(...ics.split("\r\n").map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
        const [event, ...others] = read(ics);
        expect(others).toEqual([]);
        expect([event?.summary ?? "", event?.location ?? "", event?.description ?? ""]).toEqual(
          [title, location, description].map(shown),
        );
      }),
      { numRuns: numberOfRuns(25) },
    );
  });
});

describe.each(CHANGING_ZONES)("the times of events in %s", (zone) => {
  test("are what ical.js reads with the zone of the file, over both clock changes", async () => {
    const events = timesAroundChanges().map((start) => timed(start, 1, zone));
    const instants = (times: readonly ICAL.Time[]) => times.map((time) => time.toJSDate().toISOString());
    const seen = read(await rendered(eventView, events, ICS));
    expect(instants(seen.map(({ startDate }) => startDate))).toEqual(events.map(({ start_at }) => start_at));
    expect(instants(seen.map(({ endDate }) => endDate))).toEqual(events.map(({ end_at }) => end_at));
  });
});

test("an hour that a clock change repeats is in UTC", async () => {
  const [first, second] = ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"].map((start) =>
    timed(start, 1, "Europe/Berlin"),
  );
  const lines = linesOf(
    await rendered(
      eventView,
      [first, second].flatMap((event) => event ?? []),
      ICS,
    ),
  );
  expect(lines.filter((line) => line.startsWith("DTSTART") && line.includes("20261025"))).toEqual([
    "DTSTART:20261025T003000Z",
    "DTSTART:20261025T013000Z",
  ]);
});

test("a repeated event keeps its wall clock over the clock changes of years", async () => {
  const event = {
    ...timed("2014-01-15T08:00:00.000Z", 1, "Europe/Berlin"),
    recurrences: ["RRULE:FREQ=MONTHLY"],
  };
  const [seen] = read(await rendered(eventView, [event], ICS));
  const iterator = seen?.iterator();
  const starts = Array.from({ length: 320 }, () => iterator?.next().toJSDate());
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", timeStyle: "short" });
  expect(new Set(starts.map((start) => clock.format(start)))).toEqual(new Set(["09:00"]));
  expect(starts.at(-1)?.toISOString()).toBe("2040-08-15T07:00:00.000Z");
});
