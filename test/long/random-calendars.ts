import fc from "fast-check";

/** Files made from the grammar of RFC 5545: each component with the properties and parameters that it may have, in any order. */

const BERLIN = `BEGIN:VTIMEZONE
TZID:Home
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:CET
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE`.split("\n");

const two = (number: number) => String(number).padStart(2, "0");

/** Few days and hours, so that exceptions and changes meet their series. */
const MOMENT = fc.record({
  month: fc.constantFrom(11, 12),
  day: fc.integer({ min: 1, max: 12 }),
  hour: fc.constantFrom(0, 9, 23),
});

/** How a component writes its times. */
const KIND = fc.constantFrom("date", "floating", "utc", "iana", "home", "unknown");
type Kind = typeof KIND extends fc.Arbitrary<infer T> ? T : never;
const USUAL_KIND = fc.oneof({ weight: 6, arbitrary: fc.constantFrom<Kind>("date", "iana") }, KIND);

function timeLine(
  name: string,
  kind: Kind,
  moments: readonly (typeof MOMENT extends fc.Arbitrary<infer T> ? T : never)[],
): string {
  const values = moments.map(({ month, day, hour }) => {
    const date = `2026${two(month)}${two(day)}`;
    return kind === "date" ? date : `${date}T${two(hour)}0000${kind === "utc" ? "Z" : ""}`;
  });
  const parameters = {
    date: ";VALUE=DATE",
    floating: "",
    utc: "",
    iana: ";TZID=Europe/Berlin",
    home: ';TZID="Home"',
    unknown: ";TZID=Nowhere",
  }[kind];
  return `${name}${parameters}:${values.join(",")}`;
}

const times = (name: string, kind: Kind, maxLength = 1) =>
  fc.array(MOMENT, { minLength: 1, maxLength }).map((moments) => timeLine(name, kind, moments));

/** A line that may be there or not. */
const maybe = (line: fc.Arbitrary<string>, weight = 1) =>
  fc.oneof(
    { weight, arbitrary: line.map((each) => [each]) },
    { weight: 1, arbitrary: fc.constant<string[]>([]) },
  );

/** TEXT with its escapes. @see RFC 5545 §3.3.11 */
const TEXT = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom("Choir", " ", "a", "Zürich", "日本", "🎻", "'", '"', ":", "="),
      },
      fc.constantFrom("\\n", "\\N", "\\,", "\\;", "\\\\", "\u0301", "\u200f", "\t"),
      fc.constant("Orchestra rehearsal in the large hall "),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

const PARAMETERS = fc.constantFrom(
  ...["", "", "", ";LANGUAGE=de", ';ALTREP="cid:part3.0001@example.com"', ';X-NOTE="a;b:c,d"', ";X-LIST=a,b"],
);

const textLine = (name: string) =>
  fc.tuple(PARAMETERS, TEXT).map(([parameters, text]) => `${name}${parameters}:${text}`);

const WEEKDAYS = fc.uniqueArray(fc.constantFrom("MO", "TU", "SU"), { minLength: 1, maxLength: 2 });

const RULE = fc
  .record({
    freq: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "YEARLY") },
      fc.constantFrom("HOURLY;COUNT=3", "SECONDLY;COUNT=2"),
    ),
    interval: fc.constantFrom("", ";INTERVAL=1", ";INTERVAL=2"),
    by: fc.oneof(
      { weight: 4, arbitrary: fc.constant("") },
      WEEKDAYS.map((days) => `;BYDAY=${days.join(",")}`),
      fc.constantFrom(
        ";BYMONTHDAY=1,15",
        ";BYMONTH=11",
        ";BYDAY=1MO",
        ";BYMONTHDAY=31;BYMONTH=2",
        ";BYHOUR=9,17",
      ),
    ),
    end: fc.constantFrom(
      ...["", ";COUNT=1", ";COUNT=4", ";UNTIL=20261208", ";UNTIL=20261208T090000Z", ";UNTIL=20261208T090000"],
    ),
    start: fc.constantFrom("", ";WKST=SU"),
  })
  .map(({ freq, interval, by, end, start }) => `RRULE:FREQ=${freq}${interval}${by}${end}${start}`);

const PERIODS = MOMENT.map(
  ({ month, day, hour }) => `RDATE;VALUE=PERIOD:2026${two(month)}${two(day)}T${two(hour)}0000Z/PT1H`,
);

const LENGTH = fc.constantFrom(
  "DURATION:PT1H",
  "DURATION:P1D",
  "DURATION:PT0S",
  "DURATION:P1W",
  "DURATION:PT1H30M15S",
);

/** Properties of which an event may have several. */
const OTHERS = fc.array(
  fc.oneof(
    ...["COMMENT", "CONTACT", "X-NOTE", "IANA-TOKEN"].map(textLine),
    fc.constantFrom(
      "ATTACH;FMTTYPE=text/plain;ENCODING=BASE64;VALUE=BINARY:VGhlIHF1aWNr",
      'ATTENDEE;ROLE=REQ-PARTICIPANT;DELEGATED-FROM="mailto:b@example.com";CN="Roe; Jane":mailto:a@example.com',
      "ORGANIZER;CN=Ana:mailto:ana@example.com",
      "CATEGORIES:Work,Family\\, all",
      "CLASS:PRIVATE",
      "GEO:37.386013;-122.082932",
      "RELATED-TO;RELTYPE=SIBLING:a",
      "REQUEST-STATUS:2.8;Success\\, repeating event ignored.;RRULE:FREQ=WEEKLY\\;INTERVAL=2",
      "RESOURCES:EASEL,PROJECTOR",
      "TRANSP:TRANSPARENT",
      "PRIORITY:5",
      "CREATED:20260101T000000Z",
      "LAST-MODIFIED:20260102T000000Z",
      "URL:https://example.com/a?b=c;d",
      "URL:urn:example:no-address",
    ),
  ),
  { maxLength: 4 },
);

const ALARM = [
  ...["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER;RELATED=END:-PT15M"],
  ...["DESCRIPTION:Soon", "SUMMARY:not the event's", "DTSTART:20000101T000000Z", "END:VALARM"],
];

const UID = fc.constantFrom("a", "a", "b", "c@example.com", "");

const inAnyOrder = <T>(all: readonly T[]) => fc.shuffledSubarray([...all], { minLength: all.length });

const EVENT: fc.Arbitrary<readonly string[]> = USUAL_KIND.chain((kind) =>
  fc
    .tuple(
      UID.map((uid) => (uid === "" ? [] : [`UID:${uid}`])),
      maybe(times("DTSTART", kind), 12),
      fc.oneof(
        fc.constant<string[]>([]),
        times("DTEND", kind).map((line) => [line.replace(/(?<=:20261[12])../, "13")]),
        LENGTH.map((line) => [line]),
      ),
      maybe(textLine("SUMMARY"), 6),
      maybe(textLine("LOCATION")),
      maybe(textLine("DESCRIPTION")),
      maybe(RULE),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant<string[]>([]) },
        maybe(times("RDATE", kind, 3)),
        maybe(PERIODS),
      ),
      fc.oneof({ weight: 2, arbitrary: fc.constant<string[]>([]) }, maybe(times("EXDATE", kind, 3))),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant<string[]>([]) },
        { weight: 4, arbitrary: times("RECURRENCE-ID", kind).map((line) => [line]) },
        fc.oneof(USUAL_KIND, KIND).chain((other) => times("RECURRENCE-ID", other).map((line) => [line])),
        times("RECURRENCE-ID;RANGE=THISANDFUTURE", "utc").map((line) => [line]),
      ),
      fc.constantFrom([], [], [], ["STATUS:CONFIRMED"], ["STATUS:TENTATIVE"], ["STATUS:CANCELLED"]),
      maybe(fc.constantFrom("SEQUENCE:0", "SEQUENCE:1", "SEQUENCE:2")),
      OTHERS,
    )
    .chain((lines) => fc.tuple(inAnyOrder(lines.flat()), fc.boolean()))
    .map(([lines, hasAlarm]) => ["BEGIN:VEVENT", ...lines, ...(hasAlarm ? ALARM : []), "END:VEVENT"]),
);

const OTHER: fc.Arbitrary<readonly string[]> = fc.constantFrom(
  ["BEGIN:VTODO", "UID:a", "DUE;VALUE=DATE:20261121", "SUMMARY:Task", ...ALARM, "END:VTODO"],
  ["BEGIN:VJOURNAL", "UID:a", "DTSTART:20261121T090000Z", "SUMMARY:Day", "END:VJOURNAL"],
  ["BEGIN:VFREEBUSY", "UID:a", "FREEBUSY:20261121T090000Z/PT1H", "END:VFREEBUSY"],
  ["BEGIN:X-COMP", "UID:a", "SUMMARY:Other", "END:X-COMP"],
);

const METHOD = fc.constantFrom(...["", "", "", "", "", "", "PUBLISH", "REQUEST", "CANCEL", "REPLY", "ADD"]);

/** The zone that components name is described. */
function withZones(components: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isNamed = components.flat().some((line) => line.includes('"Home"'));
  return isNamed ? [...components, BERLIN] : components;
}

const CALENDAR = fc
  .tuple(METHOD, fc.array(fc.oneof({ weight: 6, arbitrary: EVENT }, OTHER), { minLength: 1, maxLength: 6 }))
  .chain(([method, components]) => fc.tuple(fc.constant(method), inAnyOrder(withZones(components))))
  .map(([method, components]) => [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//EN", "X-WR-CALNAME:Club"],
    ...(method === "" ? [] : [`METHOD:${method}`]),
    ...components.flat(),
    "END:VCALENDAR",
  ]);

/** Lines folded after some octets, also within a character. @see RFC 5545 §3.1 */
function fold(
  line: string,
  { width, with: space }: { readonly width: number; readonly with: string },
): Buffer {
  const bytes = Buffer.from(line);
  const parts = Array.from({ length: Math.ceil(bytes.length / width) }, (_, index) =>
    bytes.subarray(index * width, (index + 1) * width),
  );
  return Buffer.concat(
    parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from(`\r\n${space}`), part])),
  );
}

const FOLDS = fc.record({ width: fc.constantFrom(75, 75, 60, 20), with: fc.constantFrom(" ", "\t") });

/** A file of one calendar, or of two, as a string of its bytes, and how many VEVENT it has. */
export const RANDOM_CALENDAR = fc
  .tuple(fc.array(CALENDAR, { minLength: 1, maxLength: 2 }), FOLDS)
  .map(([calendars, folds]) => {
    const lines = calendars.flat();
    const bytes = Buffer.concat(lines.flatMap((line) => [fold(line, folds), Buffer.from("\r\n")]));
    return { text: bytes.toString("latin1"), events: lines.filter((line) => line === "BEGIN:VEVENT").length };
  });
