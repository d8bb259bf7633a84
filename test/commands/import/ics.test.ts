import { describe, expect, test } from "vitest";
import type { ImportItem } from "../../../src/commands/import/entry.js";
import { type ImportOptions, readImportFile } from "../../../src/commands/import/read.js";

function read(text: string | Uint8Array, options: Partial<ImportOptions> = {}) {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  return readImportFile(bytes, { name: "club.ics", zone: "Asia/Tokyo", ...options });
}

function calendar(...lines: readonly string[]): string {
  return ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
}

/** An event with the UID 1, unless the lines have another. */
function vevent(...lines: readonly string[]): readonly string[] {
  const uid = lines.some((line) => line.startsWith("UID:")) ? [] : ["UID:1"];
  return ["BEGIN:VEVENT", ...uid, "SUMMARY:Choir", ...lines, "END:VEVENT"];
}

/** The only event of a calendar with these lines, in Asia/Tokyo. */
async function event(...lines: readonly string[]) {
  const { items } = await read(calendar(...vevent(...lines)));
  expect(items).toHaveLength(1);
  return items[0];
}

const START = "DTSTART:20261121T060000Z";

/** Rows `NAME => LINE|LINE => EXPECTED`. */
function rowsOf(table: string) {
  return table
    .trim()
    .split("\n")
    .map((row) => {
      const [name = "", lines = "", expected = ""] = row.trim().split(" => ");
      return [name, lines.split("|"), expected] as const;
    });
}

/** `2026-11-21T14:00Z - 2026-11-21T17:00Z Europe/Berlin America/New_York`, or `2026-11-21 - 2026-11-23`. */
function timesOf(item: ImportItem | undefined): string {
  if (item?.kind !== "event") return "rejected";
  const { all_day, start_at = "", start_timezone, end_at = "", end_timezone } = item.content;
  if (all_day) return [start_at, end_at].map((day) => day.replace("T00:00:00.000Z", "")).join(" - ");
  const zones = start_timezone === end_timezone ? start_timezone : `${start_timezone} ${end_timezone}`;
  return `${[start_at, end_at].map((time) => time.replace(":00.000Z", "Z")).join(" - ")} ${zones}`;
}

describe("times", () => {
  test.each(
    rowsOf(`
    UTC => DTSTART:20261121T060000Z|DTEND:20261121T070000Z => 2026-11-21T06:00Z - 2026-11-21T07:00Z UTC
    an IANA zone without VTIMEZONE => DTSTART;TZID=Europe/Berlin:20261121T150000|DTEND;TZID=America/New_York:20261121T120000 => 2026-11-21T14:00Z - 2026-11-21T17:00Z Europe/Berlin America/New_York
    a Windows zone => DTSTART;TZID="W. Europe Standard Time":20261121T150000|DURATION:PT90M => 2026-11-21T14:00Z - 2026-11-21T15:30Z Europe/Berlin
    an IANA name at the end of a longer one => DTSTART;TZID=/mozilla.org/20050126_1/Europe/Berlin:20261121T150000|DURATION:PT1H => 2026-11-21T14:00Z - 2026-11-21T15:00Z Europe/Berlin
    a zone with colons that should be in quotation marks => DTSTART;TZID=tzone://Microsoft/Utc:20261121T150000|DURATION:PT1H => 2026-11-21T15:00Z - 2026-11-21T16:00Z UTC
    no zone => DTSTART:20261121T150000|DTEND:20261121T160000 => 2026-11-21T06:00Z - 2026-11-21T07:00Z Asia/Tokyo
    a time that a clock change skips, with the offset before it => DTSTART;TZID=Europe/Berlin:20260329T023000|DURATION:PT1H => 2026-03-29T01:30Z - 2026-03-29T02:30Z Europe/Berlin
    a time that a clock change repeats, the first => DTSTART;TZID=Europe/Berlin:20261025T023000|DURATION:PT1H => 2026-10-25T00:30Z - 2026-10-25T01:30Z Europe/Berlin
    a length of days over a clock change => DTSTART;TZID=Europe/Berlin:20261024T120000|DURATION:P1DT2H => 2026-10-24T10:00Z - 2026-10-25T13:00Z Europe/Berlin
    no end: an hour => DTSTART:20261121T060000Z => 2026-11-21T06:00Z - 2026-11-21T07:00Z UTC
    an end at the start: an hour => DTSTART:20261121T060000Z|DTEND:20261121T060000Z => 2026-11-21T06:00Z - 2026-11-21T07:00Z UTC
    whole days, the end exclusive => DTSTART;VALUE=DATE:20261121|DTEND;VALUE=DATE:20261123 => 2026-11-21 - 2026-11-23
    one day => DTSTART;VALUE=DATE:20261121 => 2026-11-21 - 2026-11-22
    one day, the end at the start => DTSTART;VALUE=DATE:20261121|DTEND;VALUE=DATE:20261121 => 2026-11-21 - 2026-11-22
    days by length => DTSTART;VALUE=DATE:20261121|DURATION:P1W => 2026-11-21 - 2026-11-28
    a date that is not marked as one => DTSTART:20261121 => 2026-11-21 - 2026-11-22
    a date with a midnight => DTSTART;VALUE=DATE:20261121T000000 => 2026-11-21 - 2026-11-22
    an offset => DTSTART:20261121T150000+0100|DTEND:20261121T160000-0330 => 2026-11-21T14:00Z - 2026-11-21T19:30Z Etc/GMT-1 UTC
    the offset of its zone => DTSTART;TZID=Europe/Berlin:20261121T150000+01:00 => 2026-11-21T14:00Z - 2026-11-21T15:00Z Europe/Berlin
    an offset of half an hour => DTSTART:20261121T150000+0545 => 2026-11-21T09:15Z - 2026-11-21T10:15Z Asia/Katmandu
    fractions => DTSTART:20261121T150000.000Z|DTEND:20261121T160000,5+0000 => 2026-11-21T15:00Z - 2026-11-21T16:00:00.500Z UTC
    a fraction without a zone => DTSTART:20261121T150000.5 => 2026-11-21T06:00:00.500Z - 2026-11-21T07:00:00.500Z Asia/Tokyo
    z => DTSTART:20261121t150000z => 2026-11-21T15:00Z - 2026-11-21T16:00Z UTC
    an offset of WordPress => DTSTART;TZID=UTC+5.5:20261121T150000 => 2026-11-21T09:30Z - 2026-11-21T10:30Z Asia/Calcutta
    an empty zone => DTSTART;TZID=:20261121T150000 => 2026-11-21T06:00Z - 2026-11-21T07:00Z Asia/Tokyo
    separators => DTSTART:2026-11-21T15:00:00+01:00 => 2026-11-21T14:00Z - 2026-11-21T15:00Z Etc/GMT-1
  `),
  )("%s", async (_, lines, expected) => {
    expect(timesOf(await event(...lines))).toBe(expected);
  });

  test("of a VTIMEZONE with a name of its own are those of a zone with its offsets", async () => {
    const rule = (name: string, ...lines: readonly string[]) => [`BEGIN:${name}`, ...lines, `END:${name}`];
    const zone = rule(
      "VTIMEZONE",
      "TZID:Customized Time Zone",
      ...rule(
        "STANDARD",
        "DTSTART:16010101T020000",
        "TZOFFSETFROM:-0400",
        "TZOFFSETTO:-0500",
        "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11",
      ),
      ...rule(
        "DAYLIGHT",
        "DTSTART:16010101T020000",
        "TZOFFSETFROM:-0500",
        "TZOFFSETTO:-0400",
        "RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3",
      ),
    );
    const lines = vevent("DTSTART;TZID=Customized Time Zone:20260715T120000", "DURATION:PT1H");
    // After the event, as some programs write it.
    const file = await read(calendar(...lines, ...zone), { zone: "America/New_York" });
    expect(file.items).toMatchObject([
      { content: { start_at: "2026-07-15T16:00:00.000Z", start_timezone: "America/New_York" } },
    ]);
    const elsewhere = await read(calendar(...zone, ...lines));
    expect(elsewhere.items).toMatchObject([{ content: { start_at: "2026-07-15T16:00:00.000Z" } }]);
  });

  test("a VTIMEZONE names its zone by X-LIC-LOCATION", async () => {
    const zone = ["BEGIN:VTIMEZONE", "TZID:Office", "X-LIC-LOCATION:Europe/Lisbon", "END:VTIMEZONE"];
    const lines = vevent("DTSTART;TZID=Office:20260715T120000", "DURATION:PT1H");
    const { items } = await read(calendar(...zone, ...lines));
    expect(items).toMatchObject([{ content: { start_timezone: "Europe/Lisbon" } }]);
  });

  test("that were not in the file are counted in notes", async () => {
    const floating = (uid: string) => vevent(`UID:${uid}`, "DTSTART:20261121T150000");
    const { notes } = await read(calendar(...floating("1"), ...floating("2"), ...vevent("UID:3", START)));
    expect(notes).toEqual([
      "2 events with times without a zone: read in Asia/Tokyo (lines 3, 8)",
      "3 events without an end: an hour long (lines 3, 8, 13)",
    ]);
  });

  test.each<[string, readonly string[], string, readonly string[]]>([
    [
      "another zone",
      ["DTSTART;TZID=Europe/Berlin:20261121T150000Z", "DURATION:PT1H"],
      "2026-11-21T15:00:00.000Z",
      ["1 event with a TZID beside a time in UTC: read in UTC (line 3)"],
    ],
    ["UTC", ["DTSTART;TZID=Etc/UTC:20261121T150000Z", "DURATION:PT1H"], "2026-11-21T15:00:00.000Z", []],
    [
      "its offset",
      ["DTSTART;TZID=Europe/London:20261121T150000+0000", "DURATION:PT1H"],
      "2026-11-21T15:00:00.000Z",
      [],
    ],
  ])("a TZID beside a time in UTC: %s", async (_, lines, start_at, expected) => {
    const { items, notes } = await read(calendar(...vevent(...lines)));
    expect(items).toMatchObject([{ kind: "event", content: { start_at } }]);
    expect(notes).toEqual(expected);
  });

  describe("that a clock change skips", () => {
    const SKIPPED =
      "1 event with a time that a clock change skips in Europe/Berlin: read with the offset before the change (line 3)";

    test.each(
      rowsOf(`
      the start => 023000|DTEND;TZID=Europe/Berlin:20270328T024500 => 01:45
      the end => 013000|DTEND;TZID=Europe/Berlin:20270328T023000 => 01:30
      the start, and the end would be at it => 023000|DTEND;TZID=Europe/Berlin:20270328T033000 => 02:30
      the start, and the end would be before it => 023000|DTEND;TZID=Europe/Berlin:20270328T031500 => 02:15
      an added one => 010000|DURATION:PT1H|RDATE;TZID=Europe/Berlin:20280326T023000 => 01:00
    `),
    )("%s: with a note", async (_, [start = "", ...lines], end) => {
      const { items, notes } = await read(
        calendar(...vevent(`DTSTART;TZID=Europe/Berlin:20270328T${start}`, ...lines)),
      );
      expect(items).toMatchObject([{ kind: "event", content: { end_at: `2027-03-28T${end}:00.000Z` } }]);
      expect(notes).toEqual([SKIPPED]);
    });
  });

  test("without a zone, of a calendar of vCalendar 1.0 in an unknown zone", async () => {
    const zone = ["TZ:+01", "DAYLIGHT:TRUE;+05;20260329T020000;20261025T030000;;"];
    const { items, notes } = await read(
      calendar(...zone, ...vevent("DTSTART:20260721T150000", "DURATION:PT1H")),
    );
    expect(items).toMatchObject([{ content: { start_timezone: "Asia/Tokyo" } }]);
    expect(notes).toEqual([
      '1 event with times without a zone: read in Asia/Tokyo, since the zone "+01" of the calendar is not known (line 5)',
    ]);
  });

  test.each(
    rowsOf(`
    an offset => TZ:-03:00 => Etc/GMT+3
    no summer time => TZ:+0530|DAYLIGHT:FALSE => Asia/Calcutta
    summer time => TZ:+01|DAYLIGHT:TRUE;+02;20260329T020000;20261025T030000;; => Europe/Berlin
    summer time of several years => TZ:-05|DAYLIGHT:TRUE;-04;20260308T020000;20261101T020000;EST;EDT|DAYLIGHT:TRUE;-04;20270314T020000;20271107T020000;EST;EDT => America/New_York
  `),
  )("without a zone are in that of vCalendar 1.0: %s", async (_, zone, start_timezone) => {
    const { items, notes } = await read(
      calendar(...zone, ...vevent("DTSTART:20260721T150000", "DURATION:PT1H")),
    );
    expect(items).toMatchObject([{ content: { start_timezone } }]);
    expect(notes).toEqual([
      `1 event with times without a zone: read in ${start_timezone} (line ${3 + zone.length})`,
    ]);
  });
});

test("texts are unfolded and unescaped; the first category is the label", async () => {
  const item = await event(
    START,
    "DURATION:PT1H",
    "LOCATION:Room 1\\, left\\; upstairs",
    "DESCRIPTION:One\\ntwo \\\\ th",
    " ree",
    "URL:https://choir.example/?a=1,2;b",
    "CATEGORIES:Music\\, loud,Family",
  );
  expect(item).toMatchObject({
    title: "Choir",
    identity: "1",
    content: {
      title: "Choir",
      location: "Room 1, left; upstairs",
      description: "One\ntwo \\ three",
      url: "https://choir.example/?a=1,2;b",
      label: { value: "Music, loud" },
    },
  });
});

test.each<[string, readonly string[], object, readonly string[]]>([
  ["the same text", ["LOCATION:Room 1", "LOCATION:Room 1"], { location: "Room 1" }, []],
  ["an empty text", ["LOCATION:", "LOCATION:Room 1"], { location: "Room 1" }, []],
  [
    "another text",
    ["LOCATION:Room 1", "LOCATION:Room 2", "DESCRIPTION:a", "DESCRIPTION:b"],
    { location: "Room 1", description: "a" },
    [
      "1 event with several LOCATION: the first is read (line 3)",
      "1 event with several DESCRIPTION: the first is read (line 3)",
    ],
  ],
  [
    "several categories",
    ["CATEGORIES:Music", "CATEGORIES:Family"],
    { label: { value: "Music" } },
    ["1 event with several categories: the first is its label (line 3)"],
  ],
  [
    "a rule",
    ["RRULE:FREQ=DAILY", "RRULE:FREQ=DAILY"],
    { title: "Choir" },
    ["1 event with the same RRULE twice: read once (line 3)"],
  ],
  ["an end and its length", ["DTEND:20261121T070000Z", "DURATION:PT60M"], { title: "Choir" }, []],
])("what an event has once, twice: %s", async (_, lines, content, expected) => {
  const end = lines.some((line) => line.startsWith("DURATION")) ? [] : ["DURATION:PT1H"];
  const { items, notes } = await read(calendar(...vevent(START, ...end, ...lines)));
  expect(items).toMatchObject([{ kind: "event", content }]);
  expect(notes).toEqual(expected);
});

test("days that end as their length says", async () => {
  const day = ["DTSTART;VALUE=DATE:20261121", "DTEND;VALUE=DATE:20261121", "DURATION:P1D"];
  expect(await event(...day)).toMatchObject({ content: { end_at: "2026-11-22T00:00:00.000Z" } });
});

test("an encoded text may have a parameter in quotation marks", async () => {
  const lines = [
    'DESCRIPTION;ALTREP="http://a.example:80";ENCODING=QUOTED-PRINTABLE:Caf=C3=A9 =',
    "f=C3=BCr alle",
  ];
  expect(await event(START, ...lines)).toMatchObject({ content: { description: "Café für alle" } });
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    "a comma at the end",
    ["EXDATE:20261128T060000Z,20261205T060000Z,"],
    ["EXDATE:20261128T060000Z,20261205T060000Z"],
  ],
  [
    "semicolons of vCalendar 1.0",
    ["EXDATE:20261128T060000Z;20261205T060000Z"],
    ["EXDATE:20261128T060000Z,20261205T060000Z"],
  ],
  ["no value", ["EXDATE;TZID=Europe/Berlin:", "RDATE:", "RECURRENCE-ID:", "DTEND:", "RRULE:"], []],
])("dates with %s are read", async (_, lines, exceptions) => {
  const item = await event(START, "DURATION:PT1H", "RRULE:FREQ=WEEKLY", ...lines);
  expect(item).toMatchObject({
    kind: "event",
    identity: "1",
    recurrences: ["RRULE:FREQ=WEEKLY", ...exceptions],
  });
});

describe("of files that were joined, each is on its own:", () => {
  test.each([
    ["a byte order mark", "\r\n\ufeff"],
    ["no line end", ""],
    ["no line end, but a byte order mark", "\ufeff"],
  ])("with %s between them", async (_, between) => {
    const one = calendar(...vevent("UID:1", START));
    const other = calendar("METHOD:CANCEL", ...vevent("UID:2", START));
    const [kept, gone] = [
      { identity: "1", cancelled: false },
      { identity: "2", cancelled: true },
    ];
    for (const [text, items] of [
      [one.trimEnd() + between + other, [kept, gone]],
      [other.trimEnd() + between + one, [gone, kept]],
    ] as const)
      expect(await read(text)).toMatchObject({ isComplete: true, items });
  });

  test("a zone means what the VTIMEZONE of its own calendar says", async () => {
    const zone = (offset: string) => [
      ...["BEGIN:VTIMEZONE", "TZID:Customized Time Zone", "BEGIN:STANDARD", "DTSTART:16010101T000000"],
      ...[`TZOFFSETFROM:${offset}`, `TZOFFSETTO:${offset}`, "END:STANDARD", "END:VTIMEZONE"],
    ];
    const file = (uid: string, offset: string) =>
      calendar(...zone(offset), ...vevent(`UID:${uid}`, "DTSTART;TZID=Customized Time Zone:20260715T120000"));
    const elsewhere = calendar(...vevent("UID:3", "DTSTART;TZID=Customized Time Zone:20260715T120000"));
    const { items } = await read(file("1", "+0100") + file("2", "-0300") + elsewhere);
    const at = (hour: string) => ({ content: { start_at: `2026-07-15T${hour}:00:00.000Z` } });
    expect(items).toMatchObject([at("11"), at("15"), at("11")]);
  });
});

test("a text may have a long parameter, as the HTML that Thunderbird writes", async () => {
  const html = `DESCRIPTION;ALTREP="data:text/html,${"x".repeat(20_000)}":Bring a chair`;
  expect(await event(START, html)).toMatchObject({ content: { description: "Bring a chair" } });
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    "a state",
    [START, "STATUS:TENTATIVE", "TRANSP:transparent", "DURATION:PT1H"],
    ["not read: STATUS:TENTATIVE, TRANSP:TRANSPARENT"],
  ],
  ["no other state", [START, "STATUS:confirmed", "TRANSP:OPAQUE", "DURATION:PT1H"], []],
  [
    "an end without a zone",
    [START, "DTEND:20261121T070000"],
    ["1 event with an end without a zone: read in that of its start (line 3)"],
  ],
])("a note says what is read otherwise: %s", async (_, lines, expected) => {
  const { items, notes } = await read(calendar(...vevent(...lines)));
  expect(items).toMatchObject([{ content: { end_at: "2026-11-21T07:00:00.000Z" } }]);
  expect(notes).toEqual(expected);
});

test("without SUMMARY and UID it has no title, and is known by its content", async () => {
  const bare = (stamp: string) =>
    calendar("BEGIN:VEVENT", `DTSTAMP:${stamp}`, START, "DURATION:PT1H", "END:VEVENT");
  const [first, second] = await Promise.all(
    ["20260101T000000Z", "20270101T000000Z"].map((at) => read(bare(at))),
  );
  expect(first?.items).toMatchObject([{ title: "(no title)" }]);
  expect(Object(first?.items[0]).identity).toBe(Object(second?.items[0]).identity);
});

test("a SUMMARY that nobody sees is no title", async () => {
  const text = calendar("BEGIN:VEVENT", START, "SUMMARY:\u200b \u00ad", "END:VEVENT");
  expect((await read(text)).items).toMatchObject([{ title: "(no title)" }]);
});

test("STATUS:CANCELLED and METHOD:CANCEL take an event back", async () => {
  expect(await event(START, "STATUS:CANCELLED")).toMatchObject({ cancelled: true });
  expect(await event(START, "STATUS:CONFIRMED")).toMatchObject({ cancelled: false });
  expect((await read(calendar("METHOD:CANCEL", ...vevent(START)))).items).toMatchObject([
    { cancelled: true },
  ]);
});

test("a time of day in EXDATE of an all-day event is counted in a note, but not a midnight", async () => {
  const series = ["DTSTART;VALUE=DATE:20261121", "RRULE:FREQ=DAILY;COUNT=5"];
  const excluded = ["EXDATE;TZID=Europe/Berlin:20261122T000000", "EXDATE;TZID=Europe/Berlin:20261123T090000"];
  const { items, notes } = await read(calendar(...vevent(...series, ...excluded)));
  expect(items).toMatchObject([{ recurrences: [series[1], "EXDATE;VALUE=DATE:20261122,20261123"] }]);
  expect(notes).toEqual(["1 event all-day, but with times of day in EXDATE: their days are read (line 3)"]);
});

test.each(["RRULE:FREQ=DAILY", "RDATE:20261123T060000Z"])(
  "of a change of one event that has %s a note says that the repetition is ignored",
  async (rule) => {
    const lines = ["RECURRENCE-ID:20261121T060000Z", START, "DURATION:PT1H", rule];
    const { items, notes } = await read(calendar(...vevent(...lines)));
    expect(items).toMatchObject([{ kind: "event", identity: "1 2026-11-21T06:00:00.000Z" }]);
    expect(notes).toEqual([
      "1 event that changes one event of a series and also repeats: its repetition is ignored (line 3)",
    ]);
  },
);

test("a character that another program has lost is counted in a note", async () => {
  const { items, notes } = await read(calendar(...vevent(START, "DURATION:PT1H", "LOCATION:Caf\ufffd")));
  expect(items).toMatchObject([{ kind: "event", content: { location: "Caf\ufffd" } }]);
  expect(notes).toEqual(["1 event with U+FFFD, which stands for a character that was lost (line 3)"]);
});

describe("a start of another kind in RDATE", () => {
  const DAYS = ["DTSTART;VALUE=DATE:20270329", "RRULE:FREQ=DAILY;COUNT=2"];
  const TIMED = ["DTSTART;TZID=Asia/Tokyo:20270329T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2"];

  test.each<[string, readonly string[], readonly string[]]>([
    [
      "a time of day",
      [...DAYS, "RDATE:20270410T100000Z"],
      ["1 event all-day, but with times of day in RDATE: their days are read (line 3)"],
    ],
    [
      "periods with a time of day",
      [...DAYS, "RDATE;VALUE=PERIOD:20270410T100000Z/P1D"],
      ["1 event all-day, but with times of day in RDATE: their days are read (line 3)"],
    ],
    ["midnight", [...DAYS, "RDATE:20270410T000000,20270411T000000Z,20270411T150000Z"], []],
    [
      "a date",
      [...TIMED, "RDATE;VALUE=DATE:20270501"],
      ["1 event with dates without a time of day in RDATE: at the time of DTSTART (line 3)"],
    ],
  ])("%s", async (_, lines, expected) => {
    const { items, notes } = await read(calendar(...vevent(...lines)));
    expect(items).toMatchObject([{ kind: "event" }]);
    expect(notes).toEqual(expected);
  });
});

test.each(["ADD", "REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH"])(
  "METHOD:%s changes no event",
  async (method) => {
    const { items } = await read(calendar(`METHOD:${method}`, ...vevent(START)));
    const reason = expect.stringContaining(`METHOD:${method} `);
    expect(items).toMatchObject([{ kind: "rejected", line: 4, title: "Choir", reason }]);
  },
);

test("METHOD may stand behind a zone, and have parameters", async () => {
  const zone = ["BEGIN:VTIMEZONE", "TZID:Club", "END:VTIMEZONE", "METHOD;X-A=B:CANCEL"];
  expect((await read(calendar(...zone, ...vevent(START)))).items).toMatchObject([{ cancelled: true }]);
});

test("an end at the start, and an event that is cancelled, are not counted as without an end", async () => {
  const ends = ["DTEND:20261121T060000Z", "DURATION:PT0S"];
  const empty = ends.flatMap((end, index) => vevent(`UID:${index}`, START, end));
  const originalStart = "RECURRENCE-ID:20261121T060000Z";
  const withdrawn = vevent("UID:9", originalStart, START, "STATUS:CANCELLED");
  const { notes } = await read(calendar(...empty, ...withdrawn));
  expect(notes).toEqual(["2 events without a length: an hour long (lines 3, 9)"]);
});

test.each<[string, string, readonly string[]]>([
  ["FREQ=WEEKLY;", "FREQ=WEEKLY", []],
  [";freq=weekly; BYDAY = mo, tu,;;", "FREQ=WEEKLY;BYDAY=MO,TU", []],
  ["FREQ=WEEKLY;FREQ=WEEKLY", "FREQ=WEEKLY", []],
  [
    "FREQ=WEEKLY;INTERVAL=00",
    "FREQ=WEEKLY",
    ["1 event with INTERVAL=0 in its rule: read as INTERVAL=1 (line 3)"],
  ],
  ["FREQ=WEEKLY;UNTIL=", "FREQ=WEEKLY", ["1 event with an empty UNTIL in its rule: left out (line 3)"]],
  ["FREQ=WEEKLY;RSCALE=Gregorian;SKIP=OMIT", "FREQ=WEEKLY", []],
  ["FREQ=WEEKLY;UNTIL=2026-12-31", "FREQ=WEEKLY;UNTIL=20261231", []],
  ["FREQ=WEEKLY;UNTIL=20261231T060000.999Z", "FREQ=WEEKLY;UNTIL=20261231T060000Z", []],
  ["FREQ=WEEKLY;UNTIL=20261231T070000+0100", "FREQ=WEEKLY;UNTIL=20261231T060000Z", []],
])("the rule %s is read as %s", async (rule, meant, said) => {
  const { items, notes } = await read(calendar(...vevent(START, "DURATION:PT1H", `RRULE:${rule}`)));
  expect(items).toMatchObject([{ kind: "event", recurrences: [`RRULE:${meant}`] }]);
  expect(notes).toEqual(said);
});

test("a rule of an all-day event has no hours", async () => {
  const item = await event("DTSTART;VALUE=DATE:20261121", "RRULE:FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0");
  expect(item).toMatchObject({ kind: "event", recurrences: ["RRULE:FREQ=DAILY"] });
});

test.each([
  ["20261130T150000Z", "20261201", "the midnight of the user"],
  ["20261130T230000Z", "20261201", "the midnight of a zone of the file"],
  ["20261130T235959Z", "20261130", "no midnight"],
  ["20261130T050000Z", "20261130", "the midnight of a zone of the file in the west"],
  ["20261130T000000Z", "20261130", "midnight UTC"],
  ["20261130T220000", "20261130", "without a zone"],
  ["20261130", "20261130", "a date"],
  ["20261201T000000+0900", "20261201", "the midnight of its offset"],
  ["20261130T230000.000Z", "20261201", "a midnight with a fraction"],
])("UNTIL=%s of an all-day series is %s: %s", async (until, date) => {
  const zones = [
    "X-WR-TIMEZONE:Europe/Berlin",
    ...vevent("UID:2", "DTSTART;TZID=America/New_York:20261121T100000"),
  ];
  const { items } = await read(
    calendar(...zones, ...vevent("DTSTART;VALUE=DATE:20261121", `RRULE:FREQ=DAILY;UNTIL=${until}`)),
  );
  expect(items[1]).toMatchObject({ kind: "event", recurrences: [`RRULE:FREQ=DAILY;UNTIL=${date}`] });
});

test("added times with an end, and spaces before times, are read", async () => {
  const start = ["DTSTART;TZID=Europe/Berlin: 20261121T150000", "DURATION: PT90M"];
  const periods = ["RDATE;VALUE=PERIOD:20261122T140000Z/20261122T153000Z, 20261123T140000Z/PT1H30M"];
  const zoned = "RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20261124T150000/20261124T163000";
  expect(
    await event(...start, ...periods, zoned, "EXDATE:20261122T140000Z, 20261123T140000Z "),
  ).toMatchObject({
    recurrences: [
      "RDATE:20261122T140000Z,20261123T140000Z,20261124T140000Z",
      "EXDATE:20261122T140000Z,20261123T140000Z",
    ],
  });
});

test.each([
  ["LOCATION;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Caf=E9", "Café"],
  ["LOCATION;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Caf=C3=\r\n=A9 f=C3=BCr=\r\n alle", "Café für alle"],
  ["LOCATION;QUOTED-PRINTABLE:1=3D1=2C 2=0D=0A3", "1=1, 2\n3"],
  ["LOCATION;ENCODING=BASE64:Q2Fmw6k=", "Café"],
])("%j is %j", async (line, location) => {
  expect(await event(START, line)).toMatchObject({ kind: "event", content: { location } });
});

test.each([
  "javascript:alert(1)",
  "www.example.com/x",
  "webcal://example.com/x",
  "message:%3Cabc@example.com%3E",
  `https://example.com/${"x".repeat(2_000)}`,
])("a URL that cannot be stored is left out: %.40s", async (url) => {
  const { items, notes } = await read(calendar(...vevent(START, "DURATION:PT1H", `URL:${url}`)));
  expect(items).toMatchObject([{ kind: "event", content: { url: undefined } }]);
  expect(notes).toEqual(["1 event with a URL that cannot be stored: left out (line 3)"]);
});

const UTC_NAMES = [
  ...["UTC", "utc", "Etc/UTC", "GMT", "GMT+0", "Z", "Zulu", "Etc/Zulu", "Universal", "UTC+00:00"],
  ...["+00:00", "Coordinated Universal Time", "(UTC+00:00) Coordinated Universal Time"],
].map((name) => [name, "UTC"]);

test.each([
  ...UTC_NAMES,
  ["Japan", "Asia/Tokyo"],
  ["/example.org/Europe/Berlin", "Europe/Berlin"],
  ["GMT Standard Time", "Europe/London"],
  ["America/Argentina/Ushuaia", "America/Argentina/Ushuaia"],
  ["europe/berlin", "Europe/Berlin"],
  ["AMERICA/PORT-AU-PRINCE", "America/Port-au-Prince"],
  ["/mozilla.org/20050126_1/europe/berlin", "Europe/Berlin"],
  ["asia/kolkata", "Asia/Kolkata"],
  ["w. europe standard time", "Europe/Berlin"],
  ["UTC+02:00", "Etc/GMT-2"],
  ["GMT-5", "Etc/GMT+5"],
  [" Europe/Berlin", "Europe/Berlin"],
])("the zone %j is %s", async (name, zone) => {
  const item = await event(`DTSTART;TZID="${name}":20261121T150000`);
  expect(item).toMatchObject({ kind: "event", content: { start_timezone: zone } });
});

describe("a VTIMEZONE without a name that is known", () => {
  const described = (...rules: readonly string[]) => [
    ...["BEGIN:VTIMEZONE", "TZID:Office", ...rules, "END:VTIMEZONE"],
  ];
  const rule = (name: string, from: string, to: string, ...lines: readonly string[]) => [
    ...[`BEGIN:${name}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, ...lines, `END:${name}`],
  ];
  const summer = rule(
    "DAYLIGHT",
    "-0500",
    "-0400",
    "DTSTART:20050403T020000",
    "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU",
  );
  const winter = rule(
    "STANDARD",
    "-0400",
    "-0500",
    "DTSTART:20051030T020000",
    "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
  );
  test.each<[string, readonly string[], string, object]>([
    [
      "with the rules of an earlier year",
      [...summer, ...winter],
      "20050715T120000",
      { start_timezone: "America/New_York" },
    ],
    [
      "with rules of one year alone",
      [
        ...rule("STANDARD", "+0200", "+0100", "DTSTART:20271031T030000"),
        ...rule("DAYLIGHT", "+0100", "+0200", "DTSTART:20270328T020000"),
      ],
      "20270715T120000",
      { start_at: "2027-07-15T10:00:00.000Z" },
    ],
  ])("%s", async (_, rules, start, content) => {
    const { items } = await read(calendar(...described(...rules), ...vevent(`DTSTART;TZID=Office:${start}`)));
    expect(items).toMatchObject([{ kind: "event", content }]);
  });

  test.each<[string, readonly string[], string]>([
    ["without offsets", [], 'the zone "Office" is not known'],
    [
      "that cannot be read",
      rule("STANDARD", "x", "y", "DTSTART:soon"),
      'the VTIMEZONE of "Office" cannot be read',
    ],
    [
      "with offsets that no zone has",
      rule("STANDARD", "+0017", "+0017", "DTSTART:19700101T000000"),
      'the zone "Office" is not known',
    ],
  ])("%s: rejected by line", async (_, rules, reason) => {
    const { items } = await read(
      calendar(...described(...rules), ...vevent("DTSTART;TZID=Office:20270715T120000")),
    );
    expect(items).toMatchObject([{ kind: "rejected", reason }]);
  });
});

test.each([
  ["EST", "America/New_York", "a zone with summer time in its VTIMEZONE"],
  ["GMT", "America/New_York", "a name of UTC means what the file says"],
  ["Europe/Berlin", "Europe/Berlin", "a name with an area wins"],
  ["Tokyo Standard Time", "America/New_York", "a name of Windows means what the file says"],
])("the zone %s with a VTIMEZONE of New York is %s: %s", async (tzid, zone) => {
  const rule = (name: string, from: string, to: string, month: string) => [
    ...[`BEGIN:${name}`, "DTSTART:20070311T020000", `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`],
    ...[`RRULE:FREQ=YEARLY;${month}`, `END:${name}`],
  ];
  const vtimezone = [
    ...["BEGIN:VTIMEZONE", `TZID:${tzid}`],
    ...rule("DAYLIGHT", "-0500", "-0400", "BYMONTH=3;BYDAY=2SU"),
    ...rule("STANDARD", "-0400", "-0500", "BYMONTH=11;BYDAY=1SU"),
    "END:VTIMEZONE",
  ];
  const { items } = await readImportFile(
    Buffer.from(calendar(...vtimezone, ...vevent(`DTSTART;TZID=${tzid}:20270721T150000`))),
    { name: "club.ics", zone: "Asia/Tokyo" },
  );
  expect(items).toMatchObject([{ kind: "event", content: { start_timezone: zone } }]);
});

test("rules are kept, dates of them in UTC or as dates like the start", async () => {
  const timed = ["DTSTART;TZID=Europe/Berlin:20261121T150000", "RRULE:FREQ=WEEKLY;BYDAY=SA"];
  expect(
    await event(
      ...timed,
      "EXDATE;TZID=Europe/Berlin:20261128T150000,20261205T150000",
      "RDATE;VALUE=DATE:20261212",
    ),
  ).toMatchObject({
    recurrences: [
      "RRULE:FREQ=WEEKLY;BYDAY=SA",
      "RDATE:20261212T140000Z",
      "EXDATE:20261128T140000Z,20261205T140000Z",
    ],
  });
  expect(
    await event(
      "DTSTART;VALUE=DATE:20261121",
      "EXDATE;TZID=Europe/Berlin:20261128T000000",
      "RRULE:FREQ=WEEKLY",
    ),
  ).toMatchObject({ recurrences: ["RRULE:FREQ=WEEKLY", "EXDATE;VALUE=DATE:20261128"] });
});

describe("an event that is marked as all-day", () => {
  test.each<[string, readonly string[], readonly [string, string]]>([
    [
      "in a zone",
      ["DTSTART;TZID=Europe/Berlin:20270301T000000", "DTEND;TZID=Europe/Berlin:20270303T000000"],
      ["03-01", "03-03"],
    ],
    ["without a zone", ["DTSTART:20270301T000000", "DTEND:20270302T000000"], ["03-01", "03-02"]],
    ["at midnights in UTC", ["DTSTART:20270301T000000Z", "DTEND:20270302T000000Z"], ["03-01", "03-02"]],
    [
      "at midnights of the user in UTC",
      ["DTSTART:20270228T150000Z", "DTEND:20270301T150000Z"],
      ["03-01", "03-02"],
    ],
    [
      "at midnights of the calendar in UTC",
      ["DTSTART:20270301T050000Z", "DTEND:20270302T050000Z"],
      ["03-01", "03-02"],
    ],
    ["to the last minute", ["DTSTART:20270301T000000", "DTEND:20270301T235900"], ["03-01", "03-02"]],
    ["by its length", ["DTSTART;TZID=Europe/Berlin:20270327T000000", "DURATION:PT48H"], ["03-27", "03-29"]],
    ["without an end", ["DTSTART;TZID=Europe/Berlin:20270301T000000"], ["03-01", "03-02"]],
  ])("%s", async (_, lines, [start, end]) => {
    const file = calendar(
      "X-WR-TIMEZONE:America/New_York",
      ...vevent(...lines, "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE"),
    );
    const { items, notes } = await read(file);
    const times = { start_at: `2027-${start}T00:00:00.000Z`, end_at: `2027-${end}T00:00:00.000Z` };
    expect(items).toMatchObject([{ kind: "event", content: { all_day: true, ...times } }]);
    expect(notes).toEqual([]);
  });

  test("without midnights keeps its times, with a note", async () => {
    const lines = ["DTSTART:20270412T090000Z", "DTEND:20270412T130000Z", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE"];
    const { items, notes } = await read(calendar(...vevent(...lines)));
    expect(items).toMatchObject([{ content: { all_day: false, start_at: "2027-04-12T09:00:00.000Z" } }]);
    expect(notes).toEqual([
      "1 event marked as all-day, but not from midnight to midnight: read with its times (line 3)",
    ]);
  });

  test("FALSE is no mark", async () => {
    const lines = ["DTSTART:20270301T000000Z", "DTEND:20270302T000000Z", "X-MICROSOFT-CDO-ALLDAYEVENT:FALSE"];
    expect(await event(...lines)).toMatchObject({ content: { all_day: false } });
  });
});

test("a time without a zone is in that of its calendar, if that is known", async () => {
  const floating = (zone: string, uid: string) =>
    calendar(`X-WR-TIMEZONE:${zone}`, ...vevent(`UID:${uid}`, "DTSTART:20261121T150000", "DURATION:PT1H"));
  const { items, notes } = await read(floating("europe/berlin", "1") + floating("Mars/Base", "2"));
  const inZone = (start_timezone: string) => ({ content: { start_timezone } });
  expect(items).toMatchObject([inZone("Europe/Berlin"), inZone("Asia/Tokyo")]);
  expect(notes).toEqual([
    "1 event with times without a zone: read in Europe/Berlin (line 4)",
    '1 event with times without a zone: read in Asia/Tokyo, since the zone "Mars/Base" of the calendar is not known (line 14)',
  ]);
});

test.each(
  rowsOf(`
  midnight UTC => DTSTART;VALUE=DATE:20261121|EXDATE:20261128T000000Z => EXDATE;VALUE=DATE:20261128
  the midnight of the user in UTC => DTSTART;VALUE=DATE:20261121|EXDATE:20261127T150000Z => EXDATE;VALUE=DATE:20261128
  the midnight of a zone of the file in UTC => DTSTART;VALUE=DATE:20261121|X-OTHER;TZID=Europe/Berlin:1|EXDATE:20261127T230000Z => EXDATE;VALUE=DATE:20261128
  no zone => DTSTART;VALUE=DATE:20261121|EXDATE:20261128T000000 => EXDATE;VALUE=DATE:20261128
  no zone, of times in a zone => DTSTART;TZID=America/New_York:20261121T100000|EXDATE:20261128T100000 => EXDATE:20261128T150000Z
  no zone, of times in UTC => ${START}|EXDATE:20261128T060000 => EXDATE:20261128T060000Z
  offsets and fractions => ${START}|EXDATE:20261128T070000+0100,20261205T060000.000Z => EXDATE:20261128T060000Z,20261205T060000Z
`),
)("an exception at %s means a start of the series", async (_, lines, exception) => {
  const item = await event(...lines, "RRULE:FREQ=WEEKLY");
  expect(item).toMatchObject({ kind: "event", recurrences: ["RRULE:FREQ=WEEKLY", exception] });
});

test("a changed occurrence is known by its series and its original start", async () => {
  const { items } = await read(
    calendar(
      ...vevent(START, "RRULE:FREQ=DAILY"),
      ...vevent("RECURRENCE-ID;TZID=Asia/Tokyo:20261122T150000", "DTSTART:20261122T080000Z"),
      ...vevent("RECURRENCE-ID:20261123T070000.000+0100", "DTSTART:20261122T090000Z"),
    ),
  );
  const changed = (originalStart: string) => ({
    identity: `1 ${originalStart}`,
    occurrenceOf: { uid: "1", originalStart },
  });
  expect(items).toMatchObject([
    { identity: "1" },
    changed("2026-11-22T06:00:00.000Z"),
    changed("2026-11-23T06:00:00.000Z"),
  ]);
});

test("of one UID the newest version is read, whatever the order", async () => {
  const versions = [
    vevent(START, "SEQUENCE:2", "LOCATION:old"),
    vevent(START, "SEQUENCE:10", "LAST-MODIFIED:20260102T000000Z", "LOCATION:new"),
    vevent(START, "SEQUENCE:10", "LAST-MODIFIED:20260101T000000Z", "LOCATION:older"),
  ];
  const file = await read(calendar(...versions.flat()));
  expect(file.items).toMatchObject([{ kind: "event", content: { location: "new" } }]);
  expect(file.notes).toContain("2 events in several versions: the newest is read (lines 10, 18)");
});

test("a character that is folded in the middle of its bytes is whole, and lines keep their numbers", async () => {
  const text = calendar(...vevent(START, "LOCATION:caf\xc3\r\n \xa9"), "BEGIN:VEVENT", "UID:2", "END:VEVENT");
  const file = await read(Buffer.from(text, "latin1"));
  expect(file.items).toMatchObject([
    { kind: "event", content: { location: "café" } },
    { kind: "rejected", line: 10, reason: "it has no DTSTART" },
  ]);
});

test("lines may end with a carriage return alone", async () => {
  const { items, isComplete } = await read(
    calendar(...vevent(START, "LOCATION:Home")).replaceAll("\r\n", "\r"),
  );
  expect(items).toMatchObject([{ content: { location: "Home" } }]);
  expect(isComplete).toBe(true);
});

test("a leap second is the one before it", async () => {
  expect(await event("DTSTART:20261231T235960Z")).toMatchObject({
    content: { start_at: "2026-12-31T23:59:59.000Z" },
  });
});

test("a zone's name may have commas, which its description escapes", async () => {
  const zone = [
    "BEGIN:VTIMEZONE",
    "TZID:(UTC+01:00) Amsterdam\\, Bern",
    "BEGIN:STANDARD",
    "DTSTART:16010101T030000",
  ];
  const offsets = ["TZOFFSETFROM:+0100", "TZOFFSETTO:+0100", "END:STANDARD", "END:VTIMEZONE"];
  const start = 'DTSTART;TZID="(UTC+01:00) Amsterdam, Bern":20261121T150000';
  const { items } = await read(calendar(...zone, ...offsets, ...vevent(start)));
  expect(items).toMatchObject([{ content: { start_at: "2026-11-21T14:00:00.000Z" } }]);
});

describe("rejected by line, while the rest is read:", () => {
  test.each<readonly [string, readonly string[], string]>([
    ["no DTSTART", [], "it has no DTSTART"],
    ["a NUL", [START, "LOCATION:Ho\0me"], "location has a NUL"],
    ["nesting without end", [START, ...Array<string>(10_000).fill("BEGIN:X")], "has no END"],
    ...rowsOf(`
    a zone that is not known => DTSTART;TZID=Mars/Base:20261121T150000 => the zone "Mars/Base" is not known
    a day that does not exist => DTSTART:20260231T150000Z => DTSTART "20260231T150000Z" is not a date or time such as 20261121T150000
    no time at all => DTSTART:soon => DTSTART "soon" is not
    a text behind a time => DTSTART:20261126T100000 CET => DTSTART "20261126T100000 CET" is not
    an offset of days => DTSTART:20261126T100000+9900 => DTSTART "20261126T100000+9900" is not
    the end of a day => DTSTART:20261126T240000 => DTSTART "20261126T240000" is not
    a date with a time => DTSTART;VALUE=DATE:20261126T090000 => DTSTART "20261126T090000" is not a date
    an offset that is not of its zone => DTSTART;TZID=Europe/Berlin:20261126T100000+0200 => DTSTART "20261126T100000+0200" has another offset than its zone Europe/Berlin
    a series with an offset that no zone keeps => DTSTART:20261126T100000-0330|RRULE:FREQ=WEEKLY => no known zone has the offset of DTSTART all the year
    two lengths => DTSTART:20261121T060000Z|DURATION:PT1H|DURATION:PT2H => it has several DURATION
    two states => DTSTART:20261121T060000Z|STATUS:CONFIRMED|STATUS:CANCELLED => it has several STATUS
    two UIDs => DTSTART:20261121T060000Z|UID:x|UID:y => it has several UID
    a length that contradicts the end => DTSTART:20261121T060000Z|DTEND:20261121T070000Z|DURATION:PT2H => DTEND and DURATION give different ends
    an offset of UTC that is not of its zone => DTSTART;TZID=Europe/Berlin:20261126T100000+0000 => DTSTART "20261126T100000+0000" has another offset than its zone Europe/Berlin
    two starts => DTSTART:20261121T060000Z|DTSTART:20261122T060000Z => it has several times in DTSTART
    an end of a rule that is no time => DTSTART:20261121T060000Z|RRULE:FREQ=DAILY;UNTIL=20261231T06 => UNTIL "20261231T06" is not
    hours of days => DTSTART;VALUE=DATE:20261121|DURATION:PT36H => DURATION "PT36H" has hours
    an end before its start => DTSTART:20261121T060000Z|DTEND:20261121T050000Z => is not after the start
    days that end before they start => DTSTART;VALUE=DATE:20261121|DTEND;VALUE=DATE:20261120 => is before the first day
    a date and a time => DTSTART:20261121T060000Z|DTEND;VALUE=DATE:20261122 => of DTSTART and DTEND one is a date, the other a time
    a series at a time of day that a clock change skips on its first date => DTSTART;TZID=Europe/Berlin:20270328T023000|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3 => it repeats, and a clock change skips its DTSTART: begin it on another date
    a length without a number => DTSTART:20261121T060000Z|DURATION:P => DURATION "P" is not a length of time
    a length of no hours => DTSTART:20261121T060000Z|DURATION:PT => DURATION "PT" is not a length of time
    a negative length => DTSTART:20261121T060000Z|DURATION:-PT1H => DURATION "-PT1H" is not a length of time
    a change of all that follow => DTSTART:20261121T060000Z|RECURRENCE-ID;RANGE=THISANDFUTURE:20261121T060000Z => RECURRENCE-ID with RANGE
    EXRULE => DTSTART:20261121T060000Z|EXRULE:FREQ=DAILY => EXRULE is not supported
    RDATE with another length => DTSTART:20261121T060000Z|RDATE;VALUE=PERIOD:20261122T060000Z/PT2H => RDATE has a length other than that of its event
    a rule of another calendar => DTSTART:20261121T060000Z|RRULE:RSCALE=CHINESE;FREQ=YEARLY => RSCALE=CHINESE is not supported, only RSCALE=GREGORIAN
    a rule that skips forward => DTSTART:20261121T060000Z|RRULE:FREQ=MONTHLY;SKIP=FORWARD => SKIP=FORWARD is not supported
    a rule of vCalendar 1.0 => DTSTART:20261121T060000Z|RRULE:W1 TU #4 => the rule "W1 TU #4" is of vCalendar 1.0, which is not supported
    a broken line => DTSTART:20261121T060000Z|choir practice => "choir practice" is not a line of iCalendar
    a line without a name => DTSTART:20261121T060000Z|:choir => ":choir" is not a line of iCalendar
    an address in quoted-printable => DTSTART:20261121T060000Z|URL;ENCODING=QUOTED-PRINTABLE:https://a.example/=C3=A9 => URL has an encoding
    a component without END => DTSTART:20261121T060000Z|BEGIN:VALARM => has no END
    a title of 51 characters => DTSTART:20261121T060000Z|LOCATION:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx => location is 101 characters long
    a text in an unknown charset => DTSTART:20261121T060000Z|LOCATION;ENCODING=QUOTED-PRINTABLE;CHARSET=X-NONE:Caf=E9 => LOCATION has an encoding or CHARSET that cannot be read
    a text that is not in its charset => DTSTART:20261121T060000Z|LOCATION;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Caf=E9 => LOCATION has an encoding or CHARSET that cannot be read
    a zone by an abbreviation alone => DTSTART;TZID=BST:20261121T150000 => the zone "BST" is not known
    another abbreviation => DTSTART;TZID=EST:20261121T150000 => the zone "EST" is not known
    `),
  ])("%s", async (_, lines, reason) => {
    const other = (uid: string) => ["BEGIN:VEVENT", `UID:${uid}`, START, "END:VEVENT"];
    const file = await read(calendar(...other("a"), ...vevent(...lines), ...other("b")));
    expect(file.items.map(({ kind }) => kind)).toEqual(["event", "rejected", "event"]);
    expect(file.items[1]).toMatchObject({ line: 7, title: "Choir", reason: expect.stringContaining(reason) });
    expect(file.isComplete).toBe(true);
  });

  test("an event that does not end before the next begins", async () => {
    const { items } = await read(calendar("BEGIN:VEVENT", "UID:0", START, ...vevent(START)));
    expect(items).toMatchObject([
      { kind: "rejected", reason: "the event or a component in it has no END" },
      { identity: "1" },
    ]);
  });

  test("text that is not UTF-8", async () => {
    const bytes = Buffer.from(
      calendar(...vevent(START), ...vevent("UID:2", "LOCATION:Caf\u00e9", START)),
      "latin1",
    );
    const { items } = await read(bytes);
    expect(items).toMatchObject([
      { kind: "event" },
      { kind: "rejected", line: 8, reason: "it is not UTF-8" },
    ]);
  });
});

test("a cut file is known to be cut, what comes before is read", async () => {
  const whole = calendar(...vevent(START), ...vevent("UID:2", START));
  for (const length of [whole.indexOf("UID:2"), whole.lastIndexOf("END:VCALENDAR")]) {
    const file = await read(whole.slice(0, length));
    const notes = expect.arrayContaining(["the file has no END:VCALENDAR, so it may be cut short"]);
    expect(file).toMatchObject({ isComplete: false, notes, items: [{ kind: "event", identity: "1" }, {}] });
  }
  expect((await read(whole)).isComplete).toBe(true);
});

test("what is no event, and what is not read of one, is said once", async () => {
  const todo = ["BEGIN:VTODO", "UID:t", "END:VTODO"];
  const odd = vevent(
    START,
    "DURATION:PT1H",
    "X-MOZ-LASTACK:1",
    "ATTENDEE:mailto:a@b.example",
    "BEGIN:VALARM",
    "TRIGGER:-PT5M",
    "END:VALARM",
  );
  const file = await read(calendar(...todo, ...todo, ...odd));
  expect(file.notes).toEqual(["2 VTODO: no event, not read", "not read: ATTENDEE, VALARM, X-MOZ-LASTACK"]);
});

test("components of any name outside events are counted", async () => {
  const part = (name: string, ...lines: readonly string[]) => [`BEGIN:${name}`, ...lines, `END:${name}`];
  const alarm = part("VALARM", "TRIGGER:-PT5M");
  const file = await read(
    calendar(
      ...alarm,
      ...vevent(START, "DURATION:PT1H"),
      ...part("VAVAILABILITY", ...part("AVAILABLE")),
      ...alarm,
    ),
  );
  expect(file.notes).toEqual(["2 VALARM: no event, not read", "1 VAVAILABILITY: no event, not read"]);
  const kinds = Array.from({ length: 10_000 }, (_, index) => part(`X-${index}`).join("\r\n"));
  expect((await read(calendar(kinds.join("\r\n")))).notes).toHaveLength(6);
});

test("rejected events make a file again, with the zones that they need", async () => {
  const zone = ["BEGIN:VTIMEZONE", "TZID:Office", "X-LIC-LOCATION:Europe/Lisbon", "END:VTIMEZONE"];
  const long = vevent("DTSTART;TZID=Office:20260715T120000", "DURATION:PT1H", `LOCATION:${"x".repeat(101)}`);
  const { header, items, footer } = await read(calendar(...vevent("UID:2", START), ...long, ...zone));
  const rejects =
    header +
    items
      .filter(({ kind }) => kind === "rejected")
      .map(({ text }) => text)
      .join("") +
    footer;
  expect(rejects).toBe(calendar(...zone, ...long));
  expect((await read(rejects, { truncate: true })).items).toMatchObject([
    { content: { start_timezone: "Europe/Lisbon" } },
  ]);
});

test("an empty calendar is complete and has no events", async () => {
  expect(await read(calendar())).toMatchObject({
    items: [],
    isComplete: true,
    header: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n",
  });
});

test("an event that is rejected is known by the same UID as before", async () => {
  const lines = ["UID:club\\, board\\\\7", START];
  const long = vevent(...lines).map((line) => line.replace("Choir", "x".repeat(51)));
  const [before, now] = [await event(...lines), (await read(calendar(...long))).items[0]];
  expect(now).toMatchObject({ kind: "rejected", identity: before?.identity });
});
