import { describe, expect, test } from "vitest";
import { type ImportOptions, readImportFile } from "../../../src/commands/import/read.js";

function read(text: string | Uint8Array, options: Partial<ImportOptions> = {}) {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  return readImportFile(bytes, { name: "club.csv", zone: "Europe/Berlin", ...options });
}

const HEADER = "Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private";
const REVIEW = {
  title: "Review",
  start_at: "2026-11-21T14:00:00.000Z",
  end_at: "2026-11-21T15:30:00.000Z",
  start_timezone: "Europe/Berlin",
};

test("a table for Google Calendar", async () => {
  const file = await read(
    `${HEADER}\nReview,11/21/2026,3:00 PM,11/21/2026,4:30 PM,False,"Bring ""it"",\nall",Room 1,True\n` +
      "Holiday,12/24/2026,,12/26/2026,,True,,,False\n",
    { dates: "mdy" },
  );
  expect(file).toMatchObject({
    format: "csv",
    isComplete: true,
    notes: ["columns not read: Private", "1 event with times without a zone: read in Europe/Berlin (line 2)"],
  });
  expect(file.items).toMatchObject([
    { line: 2, title: "Review", content: { ...REVIEW, description: 'Bring "it",\nall', location: "Room 1" } },
    {
      line: 4,
      content: { all_day: true, start_at: "2026-12-24T00:00:00.000Z", end_at: "2026-12-27T00:00:00.000Z" },
    },
  ]);
});

test("a table of Outlook: days end at the midnight after them, the first category is the label", async () => {
  const header = '"Subject","Start Date","Start Time","End Date","End Time","All day event","Categories"';
  const file = await read(
    `\ufeff${header}\r\n"Review","21.11.2026","15:00:00","21.11.2026","16:30:00","False","Work;Family"\r\n` +
      '"Holiday","24.12.2026","00:00:00","27.12.2026","00:00:00","True",""\r\n',
    { dates: "dmy" },
  );
  expect(file.items).toMatchObject([
    { line: 2, content: { ...REVIEW, label: { value: "Work" } } },
    { line: 3, content: { start_at: "2026-12-24T00:00:00.000Z", end_at: "2026-12-27T00:00:00.000Z" } },
  ]);
  expect(file.notes).toContain("1 event with several categories: the first is its label (line 2)");
});

describe("a table of dates and times of day", () => {
  const row = "Match vs Rovers,2026-12-05,14:00,16:00,Home ground,";
  const match = {
    kind: "event",
    title: "Match vs Rovers",
    content: {
      all_day: false,
      start_at: "2026-12-05T13:00:00.000Z",
      end_at: "2026-12-05T15:00:00.000Z",
      location: "Home ground",
    },
  };

  test.each([
    ["Title,Date,Start,End,Location,Label", undefined],
    ["Title,Date,Start,End,Location,Label", "title=Title,start=Date,start_time=Start,end_time=End"],
    ["Title,Date,Start,End,Location,Label", "start=Date,start_time=Start"],
    ["Title,Date,Time,End,Location,Label", undefined],
    ["Title,Date,StartTime,end_time,Location,Label", undefined],
    ["Title,StartDate,Start-Time,EndTime,Location,Label", undefined],
    ["Title,start_date,start_time,End Time,Location,Label", undefined],
    ["Start,Day,From,To,End,Label", "title=Start,start=Day,start_time=From,end_time=To,location=End"],
  ])("%s, --columns %s", async (header, columns) => {
    const { items } = await read(`${header}\n${row}\n`, columns === undefined ? {} : { columns });
    expect(items).toMatchObject([match]);
  });

  test("a date that stands beside a column of starts is not read", async () => {
    const { items, notes } = await read("Title,Date,Start Date\nReview,2026-01-01,2026-11-21 15:00\n");
    expect(items).toMatchObject([{ content: { start_at: REVIEW.start_at } }]);
    expect(notes[0]).toBe("columns not read: Date");
  });

  test.each([
    ["9:30", "11.00", "2026-12-05T10:00:00.000Z"],
    ["9:30", "11.30", "2026-12-05T10:30:00.000Z"],
    ["9.30", "11.10", "2026-12-05T10:10:00.000Z"],
    ["9:30", "10p", "2026-12-05T21:00:00.000Z"],
  ])("from %s to %s, the end is a time of day", async (start, end, end_at) => {
    const { items } = await read(`Title;Date;Start;End\nB;2026-12-05;${start};${end}\n`);
    expect(items).toMatchObject([{ kind: "event", content: { end_at } }]);
  });

  test("an end that begins as a time of day is rejected as one", async () => {
    const { items } = await read("Title;Date;Start;End\nB;2026-12-05;9:30;10:30 a. m.\n");
    expect(items).toMatchObject([{ kind: "rejected", reason: '"10:30 a. m." is not a time of day' }]);
  });

  test.each([
    ["02:30", "02:45", "01:45"],
    ["02:30", "03:30", "02:30"],
    ["02:30", "03:15", "02:15"],
    ["01:30", "02:30", "01:30"],
  ])("from %s to %s over a clock change: with a note", async (start, end, last) => {
    const { items, notes } = await read(`Title;Date;Start;End\nB;2027-03-28;${start};${end}\n`);
    expect(items).toMatchObject([{ kind: "event", content: { end_at: `2027-03-28T${last}:00.000Z` } }]);
    expect(notes).toEqual([
      "1 event with times without a zone: read in Europe/Berlin (line 2)",
      "1 event with a time that a clock change skips in Europe/Berlin: read with the offset before the change (line 2)",
    ]);
  });

  test("a time that a clock change repeats: the first, with a note", async () => {
    const { items, notes } = await read("Title;Date;Start;End\nB;2027-10-31;02:30;03:30\n");
    expect(items).toMatchObject([{ content: { start_at: "2027-10-31T00:30:00.000Z" } }]);
    expect(notes.at(-1)).toBe(
      "1 event with a time that a clock change repeats in Europe/Berlin: read with the offset before the change (line 2)",
    );
  });

  test.each(["21.11.26", "5.12"])("an end of %s, which may be a date, is rejected", async (end) => {
    const { items } = await read(`Title,Date,Start,End\nReview,2026-11-21,15:00,${end}\n`, { dates: "dmy" });
    expect(items).toMatchObject([{ kind: "rejected", line: 2 }]);
  });

  test("without a time it is a whole day", async () => {
    const { items } = await read("Title,Date,Start,End\nHoliday,2026-12-24,,\n", { name: "-" });
    expect(items).toMatchObject([{ content: { all_day: true, start_at: "2026-12-24T00:00:00.000Z" } }]);
  });
});

test.each([
  ["20270124T150000", "2027-01-24T14:00:00.000Z"],
  ["20270124T1500", "2027-01-24T14:00:00.000Z"],
  ["20270124 150000", "2027-01-24T14:00:00.000Z"],
  ["20270124T150000Z", "2027-01-24T15:00:00.000Z"],
  ["2027-01-24T15:00:00.000Z", "2027-01-24T15:00:00.000Z"],
  ["2027-01-24T15:00:00.500Z", "2027-01-24T15:00:00.500Z"],
  ["2027-01-24T15:00:00,5", "2027-01-24T14:00:00.500Z"],
  ["2027-01-24T15:00:00+0100", "2027-01-24T14:00:00.000Z"],
  ["2027-01-24T15:00+01", "2027-01-24T14:00:00.000Z"],
  ["2027-01-24 15:00:00 +01:00", "2027-01-24T14:00:00.000Z"],
  ["20270124", "2027-01-24T00:00:00.000Z"],
])("%s is read as ISO 8601", async (start, start_at) => {
  for (const header of ["title,start", "title,start_at"])
    expect((await read(`${header}\nReview,"${start}"\n`)).items).toMatchObject([
      { kind: "event", content: { start_at } },
    ]);
});

test.each(["20271324T150000", "20270124T250000", "2027-0124", "20270124T15"])(
  "%s is no time",
  async (start) => {
    expect((await read(`title,start\nReview,${start}\n`)).items).toMatchObject([
      { kind: "rejected", line: 2 },
    ]);
  },
);

test("an event whose title is empty has none", async () => {
  const { items } = await read("title,start\n,2026-11-21T15:00Z\n");
  expect(items).toMatchObject([{ kind: "event", title: "(no title)" }]);
});

test("an end at the start is not counted as none", async () => {
  const file = await read("title,start,end\nCall,2026-11-21T15:00Z,2026-11-21T15:00Z\n");
  expect(file.items).toMatchObject([{ content: { end_at: "2026-11-21T16:00:00.000Z" } }]);
  expect(file.notes).toEqual(["1 event without a length: an hour long (line 2)"]);
});

test("empty cells and columns say nothing, and Excel's first line is the separator", async () => {
  const file = await read("sep=;\ntitle;start;\nReview;2026-11-21 15:00;;;\nCall;1 Dec 2026;;x\n");
  expect(file.items).toMatchObject([
    { line: 3, title: "Review" },
    { kind: "rejected", line: 4, reason: "it has 4 cells, the header 3" },
  ]);
  expect(file.notes).toEqual([
    expect.stringContaining("without a zone"),
    "1 event without an end: an hour long (line 3)",
  ]);
  expect((await read("title,start\nCall,1 Dec 2026\n")).items).toMatchObject([
    { reason: expect.stringContaining('"1 Dec 2026" is not a date') },
  ]);
});

test("a category that is none of calctl is a label, unless the table has labels", async () => {
  const categoryOf = async (header: string, row: string) =>
    (await read(`Title,Date,${header}\nReview,2026-11-21,${row}\n`)).items[0];
  expect(await categoryOf("Category", "Training")).toMatchObject({
    content: { label: { value: "Training" } },
  });
  expect(await categoryOf("Category", "keep")).toMatchObject({ content: { category: "keep" } });
  expect(await categoryOf("Category,Label", "Training,Work")).toMatchObject({
    reason: 'category: "Training" is not a category',
  });
});

test("a table as -o csv prints it, known by its ids", async () => {
  const file = await read(
    "id,calendar_id,start_local,end_local,all_day,category,label,title,location\r\n" +
      "a1,c,2026-11-21T15:00:00+01:00,2026-11-21T16:30:00+01:00,false,keep,Work,Review,\r\n" +
      "a2,c,2026-12-24,2026-12-26,true,schedule,1,Holiday,Oslo\r\n",
    { name: "-" },
  );
  expect(file.items).toMatchObject([
    {
      identity: "a1",
      content: { ...REVIEW, category: "keep", label: { value: "Work" }, location: undefined },
    },
    { identity: "a2", content: { start_at: "2026-12-24T00:00:00.000Z", end_at: "2026-12-27T00:00:00.000Z" } },
  ]);
});

test("without an id, a row is known by its text wherever it stands", async () => {
  const row = "Review,2026-11-21,15:00\n";
  const [first] = (await read(`title,start,start_time\n${row}`)).items;
  const moved = await read(`title,start,start_time\nOther,2026-11-21,15:00\n,,\n\n${row}${row}`);
  expect(moved.items[1]).toMatchObject({ identity: Object(first).identity, line: 5 });
  expect(moved.notes).toContain("1 event more than once in the file: read once (line 6)");
});

describe("times of day", () => {
  test.each([
    ["2026-11-21", "15:00", "2026-11-21T14:00:00.000Z"],
    ["2026-11-21", "15.00", "2026-11-21T14:00:00.000Z"],
    ["2026-11-21", "3 pm", "2026-11-21T14:00:00.000Z"],
    ["2026-11-21", "12:15 a.m.", "2026-11-20T23:15:00.000Z"],
    ["2026-11-21", "12:15 PM", "2026-11-21T11:15:00.000Z"],
    ["2026-11-21 15:00", "", "2026-11-21T14:00:00.000Z"],
    ["2026-11-21T15:00:30", "", "2026-11-21T14:00:30.000Z"],
    ["2026-11-21T15:00:00-05:00", "", "2026-11-21T20:00:00.000Z"],
    ["2026-11-21T15:00-05:00", "", "2026-11-21T20:00:00.000Z"],
    ["2026-11-21 15:00:00-05", "", "2026-11-21T20:00:00.000Z"],
    ["2026-11-21", "14h30", "2026-11-21T13:30:00.000Z"],
    ["2026-11-21", "9 h", "2026-11-21T08:00:00.000Z"],
    ["2026-11-21", "9 Uhr", "2026-11-21T08:00:00.000Z"],
    ["21.11.2026 14.30 Uhr", "", "2026-11-21T13:30:00.000Z"],
    ["2026-11-21 00:00:00", "15:00", "2026-11-21T14:00:00.000Z"],
    ["2026-11-21T00:00:00.000Z", "15:00", "2026-11-21T14:00:00.000Z"],
    ["2026-11-21 15:00", "15:00", "2026-11-21T14:00:00.000Z"],
    ["21.11.2026", "15:00", "2026-11-21T14:00:00.000Z"],
    ["21/11/2026 3:00 PM", "", "2026-11-21T14:00:00.000Z"],
    ["1-2-2026", "15:00", "2026-02-01T14:00:00.000Z"],
  ])("%s %s", async (date, time, start_at) => {
    const { items } = await read(`title;start;start_time\nReview;${date};${time}\n`, { dates: "dmy" });
    expect(items).toMatchObject([{ kind: "event", content: { start_at } }]);
  });

  test.each([
    ["31.02.2026", "15:00", '"31.02.2026" is not a date in the order dmy with a year of four digits'],
    ["11/21/2026", "15:00", '"11/21/2026" is not a date'],
    ["21.11.26", "15:00", '"21.11.26" is not a date in the order dmy with a year of four digits'],
    ["next friday", "15:00", "is not a date"],
    ["1".repeat(41), "15:00", `"${"1".repeat(40)}…" is not a date`],
    ["2026-11-21", "9", '"9" is not a time of day'],
    ["2026-11-21", "13:00 PM", '"13:00 PM" is not a time of day'],
    ["2026-11-21", "25:00", '"25:00" is not a time of day'],
    ["", "15:00", "it has no start"],
    [
      "2026-11-21",
      "10:00-12:00",
      '"10:00-12:00" may be a range of times: write the end in a column of its own',
    ],
    ["2026-11-21", "09:00-11:00Z", "is not a time of day"],
    ["2026-11-21 10:00-12:00", "", '"2026-11-21 10:00-12:00" may be a range of times'],
    ["2026-11-21 10:00 -0200", "", '"2026-11-21 10:00 -0200" may be a range of times'],
    ["2026-11-21 10:00", "15:00", '"2026-11-21 10:00" and "15:00" are two times'],
    ["2026-11-21 10:00+99:00", "", '"+99:00" is not an offset of UTC'],
    ["2026-11-21", "0.25", '"0.25" is not a time of day'],
  ])("%s %s is rejected by its line", async (date, time, reason) => {
    const good = "Review;21.11.2026;15:00\n";
    const { items } = await read(`title;start;start_time\n${good}Bad;${date};${time}\n`, { dates: "dmy" });
    expect(items).toMatchObject([
      { kind: "event" },
      { kind: "rejected", line: 3, title: "Bad", reason: expect.stringContaining(reason) },
    ]);
  });

  test("an end is 15.30 Uhr or 15h30 as well", async () => {
    for (const end of ["15.30 Uhr", "15h30", "15:30"]) {
      const { items } = await read(`title,start,end\nReview,2026-11-21 14:00,${end}\n`);
      expect(items).toMatchObject([{ content: { end_at: "2026-11-21T14:30:00.000Z" } }]);
    }
  });

  test.each([
    ["true 1 yes x on WAHR ja ein vrai oui", true],
    ["false 0 no off FALSCH nein aus faux non", false],
  ])("all-day is %s", async (words, all_day) => {
    for (const word of words.split(" ")) {
      const { items } = await read(`title,start,start_time,all_day\nFair,2026-11-21,15:00,${word}\n`);
      expect(items).toMatchObject([{ content: { all_day } }]);
    }
  });

  test.each([
    ["2026-11-21T23:00:00.000Z", "2026-11-23T23:00:00.000Z", "2026-11-22", "2026-11-24"],
    ["2026-11-21T00:00:00.000Z", "", "2026-11-21", "2026-11-22"],
    ["2026-11-21", "2026-11-21", "2026-11-21", "2026-11-22"],
  ])("all-day from %s to %s is from midnight to midnight", async (start, end, first, after) => {
    const file = await read(`title,start,end,all_day\nFair,${start},${end},true\n`);
    expect(file.items).toMatchObject([
      { content: { start_at: `${first}T00:00:00.000Z`, end_at: `${after}T00:00:00.000Z` } },
    ]);
    expect(file.notes).toEqual([]);
  });

  test("a last day before the first is rejected", async () => {
    const { items } = await read("title,start,end\nFair,2026-11-21,2026-11-20\n");
    expect(items).toMatchObject([{ reason: "the last day 2026-11-20 is before the first day 2026-11-21" }]);
  });

  test("a date alone is all-day, an end time alone is of the same day", async () => {
    const { items } = await read(
      "title,start,start_time,end_time\nFair,2026-11-21,,\nReview,2026-11-21,15:00,16:30\n",
    );
    expect(items).toMatchObject([{ content: { all_day: true } }, { content: REVIEW }]);
  });

  test("an end time alone that is before the start is of the next day, with a note", async () => {
    const file = await read("title,start,start_time,end_time\nParty,2026-10-24,22:00,03:30\n");
    expect(file.items).toMatchObject([{ content: { end_at: "2026-10-25T02:30:00.000Z" } }]);
    expect(file.notes).toContain("1 event with an end time before its start: taken as the next day (line 2)");
    const wholeDay = await read(
      "title,start,start_time,end_time,all_day\nFair,2026-12-24,22:00,02:00,true\n",
    );
    expect(wholeDay.items).toMatchObject([{ content: { end_at: "2026-12-25T00:00:00.000Z" } }]);
    expect(wholeDay.notes).toEqual(["1 event all-day, but with times of day: its days are read (line 2)"]);
    const typed = await read(
      "title,start,start_time,end,end_time\nParty,2026-10-24,22:00,2026-10-24,03:30\n",
    );
    expect(typed.items).toMatchObject([
      { kind: "rejected", reason: expect.stringContaining("is not after") },
    ]);
  });
});

test.each(["03/04/2026", "21.11.2026", "2026/11/21"])(
  "nobody guesses the order of %s: the file is refused",
  async (date) => {
    const text = `title,start\nGood,2026-11-21\nReview,${date}\n`;
    await expect(read(text)).rejects.toMatchObject({
      code: "usage",
      message: `line 3: "${date}" is not an ISO 8601 date`,
      hint: "set the order of day, month and year: --dates dmy, mdy or ymd",
    });
  },
);

test.each([",", ";", "\t"])("columns are separated by %j, and named by --columns", async (separator) => {
  const rows = [
    ["Was", "Am", "Ort, genau"],
    ["Probe", "2026-11-21", '"Saal; links"'],
  ];
  const text = rows.map((cells) =>
    cells.map((cell) => (cell.includes(",") ? `"${cell}"` : cell)).join(separator),
  );
  const { items } = await read(`${text.join("\n")}\n`, {
    columns: 'title=Was,start="am",location=Ort, genau',
    name: "-",
  });
  expect(items).toMatchObject([{ title: "Probe", content: { location: "Saal; links" } }]);
});

test.each([
  ["title=Was", '--columns: the file has no "Was"'],
  ["name=Title", '--columns: "name=Title" is not FIELD=COLUMN'],
  ["Title", '--columns: "Title" is not FIELD=COLUMN'],
])("--columns %s is refused", async (columns, message) => {
  await expect(read("Title,Start\nx,2026-11-21\n", { columns })).rejects.toMatchObject({
    code: "usage",
    message,
  });
});

test("a table without a title names its columns", async () => {
  await expect(read("Was,,Start\nx,,2026-11-21\n")).rejects.toMatchObject({
    code: "usage",
    message: "no column for the title",
    hint: expect.stringMatching(/--columns .*; the columns are Was, Start$/),
  });
});

describe("encodings:", () => {
  const TEXT = "title,start\nJürgens Café – 5 €,2026-11-21\n";
  const latin = Buffer.from(TEXT.replace("–", "\x96").replace("€", "\x80"), "latin1");

  test.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${TEXT}`)],
    ["UTF-16 with a byte order mark", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
    ["UTF-16, high bytes first", Buffer.from(`\ufeff${TEXT}`, "utf16le").swap16()],
  ])("%s", async (_, bytes) => {
    expect(await read(bytes)).toMatchObject({ items: [{ title: "Jürgens Café – 5 €" }], notes: [] });
  });

  test("anything else is read as Windows-1252, and said with its line", async () => {
    expect(await read(latin)).toMatchObject({
      items: [{ title: "Jürgens Café – 5 €" }],
      notes: ["line 2 is not UTF-8: the file is read as Windows-1252"],
    });
  });

  test("bytes that Windows-1252 does not have are rejected by line", async () => {
    const { items } = await read(Buffer.concat([latin, Buffer.from("x\x81,2026-11-21\n", "latin1")]));
    expect(items).toMatchObject([{ kind: "event" }, { kind: "rejected", line: 3 }]);
  });
});

test("a cut table is known to be cut, what comes before is read", async () => {
  const whole = 'title,start,location\nReview,2026-11-21,here\nOther,2026-11-22,"far away"\n';
  expect((await read(whole)).isComplete).toBe(true);
  expect((await read("title,start\nReview,2026-11-21\nOther,2026-11-22")).isComplete).toBe(false);
  for (const length of [whole.indexOf("far"), whole.indexOf("11-22")]) {
    const file = await read(whole.slice(0, length));
    expect(file).toMatchObject({
      isComplete: false,
      items: [{ title: "Review" }, { kind: "rejected", line: 3 }],
    });
  }
});

test("rejected rows make a table again", async () => {
  const { header, items, footer } = await read(
    'title,start\r\nReview,2026-11-21\r\n"a\r\nb",soon\r\nc,2026-11-21,x\r\n',
    {
      dates: "ymd",
    },
  );
  const rejected = items.filter(({ kind }) => kind === "rejected");
  expect(header + rejected.map(({ text }) => text).join("") + footer).toBe(
    'title,start\n"a\nb",soon\nc,2026-11-21,x\n',
  );
  expect(rejected).toMatchObject([{ line: 3 }, { line: 5, reason: "it has 3 cells, the header 2" }]);
});
