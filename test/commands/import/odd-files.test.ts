import { describe, expect, test } from "vitest";
import { readImportFile } from "../../../src/commands/import/read.js";
import { icsFile, vevent } from "./world.js";

/** Files of a size or a shape that no program writes: what is odd is rejected by its line, and the rest is read. */

const OK = vevent("ok", "Ok", "DTSTART:20270105T094500Z", "DURATION:PT1H");
const START = "DTSTART:20270105T094500Z";

const starts = (count: number) =>
  Array.from({ length: count }, (_, hour) =>
    new Date(Date.UTC(2027, 0, 5, hour)).toISOString().replace(/[-:]|\.000/g, ""),
  );

function read(text: string | Uint8Array, name = "odd.ics") {
  return readImportFile(Buffer.from(text), { name, zone: "Europe/Berlin" });
}

test.each<[string, string, string]>([
  ["10,001 RDATEs", `RDATE:${starts(10_001).join(",")}`, "it has more than 10000 dates in RDATE and EXDATE"],
  [
    "10,001 EXDATEs",
    `RRULE:FREQ=DAILY\r\nEXDATE:${starts(10_001).join(",")}`,
    "it has more than 10000 dates in RDATE and EXDATE",
  ],
  [
    "10,001 lines of one EXDATE",
    starts(10_001)
      .map((start) => `EXDATE:${start}`)
      .join("\r\n"),
    "it has more than 10000 dates in RDATE and EXDATE",
  ],
  [
    "100,000 parameters",
    `LOCATION${";X=1".repeat(100_000)}:here`,
    "LOCATION has more than 10000 characters of parameters",
  ],
  [
    "100,000 parameters of the occurrence that is changed",
    `RECURRENCE-ID${";B".repeat(100_000)}:${START}`,
    "RECURRENCE-ID has more than 10000 characters of parameters",
  ],
  [
    "100,000 weekdays",
    `RRULE:FREQ=WEEKLY;BYDAY=${"MO,".repeat(100_000)}TU`,
    "RRULE has more than 10000 characters",
  ],
  ["30,000 categories", "CATEGORIES:a\r\n".repeat(30_000).trim(), "it has more than 10000 lines"],
  [
    "20,000 nested components",
    "BEGIN:X\r\n".repeat(20_000).trim(),
    "the event or a component in it has no END",
  ],
])("%s: rejected by line", async (_, lines, reason) => {
  const { items, isComplete } = await read(icsFile([vevent("odd", "Odd", START, lines), OK]));
  expect({ isComplete, items }).toMatchObject({
    isComplete: true,
    items: [
      { kind: "rejected", line: 3, title: "Odd", reason },
      { kind: "event", title: "Ok" },
    ],
  });
});

test("20,000 events in each other are rejected, each by its line", async () => {
  const { items } = await read(icsFile([..."BEGIN:VEVENT ".repeat(20_000).trim().split(" "), OK]));
  expect(items).toHaveLength(20_001);
  expect(items.at(-2)).toMatchObject({ kind: "rejected", line: 20_002 });
  expect(items.at(-1)).toMatchObject({ kind: "event", title: "Ok" });
});

test("20,000 calendars in each other are read", async () => {
  const { items } = await read(
    `${"BEGIN:VCALENDAR\r\n".repeat(20_000)}${OK}\r\n${"END:VCALENDAR\r\n".repeat(20_000)}`,
  );
  expect(items).toMatchObject([{ kind: "event", title: "Ok" }]);
});

test("10,001 exceptions of NDJSON are rejected by line", async () => {
  const ok = {
    id: "ok",
    title: "Ok",
    start_at: "2027-01-05T09:45:00.000Z",
    end_at: "2027-01-05T10:45:00.000Z",
  };
  const odd = {
    ...ok,
    id: "odd",
    series_id: "odd",
    recurrences: ["RRULE:FREQ=DAILY", `EXDATE:${starts(10_001).join(",")}`],
  };
  const { items } = await read(`${JSON.stringify(odd)}\n${JSON.stringify(ok)}\n`, "odd.ndjson");
  expect(items).toMatchObject([
    { kind: "rejected", line: 1, reason: "it has more than 10000 dates in RDATE and EXDATE" },
    { kind: "event", title: "Ok" },
  ]);
});

test("spaces before the calendar are nothing", async () => {
  expect((await read(` ${icsFile([OK])}`)).items).toMatchObject([{ kind: "event", title: "Ok" }]);
});

describe("refused, with what to do:", () => {
  test.each<[string, string | Uint8Array, string, string]>([
    [
      "indented lines",
      icsFile([OK.replace(/^/gm, "  ")]),
      "odd.ics: line 3 begins with spaces before BEGIN:VEVENT, which hides what follows",
      "remove the spaces at the beginning of its lines",
    ],
    [
      "text before the calendar",
      `HTTP/1.1 200 OK\r\nContent-Type: text/calendar\r\n\r\n${icsFile([OK])}`,
      "odd.ics is not an iCalendar, CSV or NDJSON file",
      "its calendar begins at line 4: remove the text before it, or use --as ics",
    ],
    [
      "a ZIP archive",
      Buffer.from("PK\x03\x04\x14\0", "latin1"),
      "odd.ics is a ZIP archive",
      "extract it, and import its calendars one by one",
    ],
    [
      "a file of gzip",
      Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
      "odd.ics is compressed with gzip",
      "extract it with gunzip",
    ],
  ])("%s", async (_, content, message, hint) => {
    await expect(read(content)).rejects.toMatchObject({ code: "rejected", message, hint });
  });
});

test("zones of the IANA database are known by their name, however many have a VTIMEZONE", async () => {
  const named = Intl.supportedValuesOf("timeZone").filter((zone) => zone.includes("/"));
  const zones = named.filter((_, index) => index % 5 === 0);
  expect(zones.length).toBeGreaterThan(60);
  const block = (zone: string) =>
    [
      ...["BEGIN:VTIMEZONE", `TZID:${zone}`, "BEGIN:STANDARD", "DTSTART:19700101T000000"],
      ...["TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE"],
    ].join("\r\n");
  const event = (zone: string) =>
    vevent(zone, "Zone", `DTSTART;TZID=${zone}:20270105T094500`, "DURATION:PT1H");
  const { items } = await read(icsFile([...zones.map(block), ...zones.map(event)]));
  expect(items.filter(({ kind }) => kind !== "event")).toEqual([]);
});
