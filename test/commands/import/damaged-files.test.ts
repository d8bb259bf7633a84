import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readImportFile } from "../../../src/commands/import/read.js";
import { CliError } from "../../../src/errors.js";
import { unicodeText } from "../../support/any-text.js";
import { numberOfRuns } from "../../support/shared.js";

/** Whatever is done to a file, each event is read, rejected, or left out with a note, and a whole file is refused by an error of its own. */

const FOLDER = fileURLToPath(new URL("fixtures/", import.meta.url));
const ICS = readdirSync(FOLDER).map((file) => readFileSync(new URL(`fixtures/${file}`, import.meta.url)));
const CSV = [
  "id,calendar_id,start_local,end_local,all_day,category,label,title,location\r\n" +
    'a,c,2026-11-21T15:00:00+01:00,2026-11-21T16:30:00+01:00,false,keep,Work,"Re\nview",\r\nb,c,9999-12-31,,true,,1,x,\r\n',
  "Subject;Start Date;Start Time;End Date;End Time;All Day Event\nReview;21.11.2026;3 PM;21.11.2026;16.30;False\n",
].map((text) => Buffer.from(text));
const NDJSON = [
  '{"id":"a","title":"Review","start_at":"2026-11-21T15:00:00Z","recurrences":["RRULE:FREQ=DAILY"],"label":{"id":"c,1","name":"x","number":1}}\n{"title":"Two","category":"keep"}\n',
  '[\n  {"title": "Review", "all_day": true, "start_at": "9999-12-31T00:00:00Z"}\n]\n',
].map((text) => Buffer.from(text));

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.integer({ min: 0, max: 40 }),
  added: fc.oneof(
    fc.constantFrom(
      "9",
      "99999",
      "-",
      "\n",
      "\r\n ",
      '"',
      ";",
      ",",
      ":",
      "{",
      "]",
      "BEGIN:VEVENT\n",
      "END:VEVENT\n",
      "\ufeff",
    ),
    fc.constantFrom(
      "DTSTART:99991231T235959Z\n",
      "DURATION:P999999999W\n",
      "TZID=",
      "RRULE:",
      "00000000T000000",
      "\u2028",
    ),
    unicodeText({ maxLength: 3 }),
  ),
});

test("is read, or refused by an error of its own", async () => {
  const file = fc.constantFrom(...ICS, ...CSV, ...NDJSON);
  const bytes = fc.tuple(file, fc.array(edit, { minLength: 1, maxLength: 4 })).map(([whole, edits]) =>
    edits.reduce((text, { at, removed, added }) => {
      const start = Math.floor(at * text.length);
      return Buffer.concat([text.subarray(0, start), Buffer.from(added), text.subarray(start + removed)]);
    }, whole),
  );
  const options = fc.record({
    as: fc.constantFrom(undefined, "ics", "csv", "ndjson"),
    dates: fc.constantFrom(undefined, "dmy", "ymd"),
    truncate: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(bytes, options, async (text, { as, dates, truncate }) => {
      const reading = readImportFile(text, {
        name: "x.csv",
        zone: "Europe/Berlin",
        as,
        dates,
        truncate,
      } as never);
      const found = await reading.catch((error: unknown) => {
        if (error instanceof CliError) return null;
        throw error;
      });
      for (const item of found?.items ?? []) {
        expect(item.line).toBeGreaterThan(0);
        expect(item.text).not.toBe("");
        if (item.kind === "event") expect(item.title.trim()).not.toBe("");
        else expect(item.reason).not.toBe("");
      }
    }),
    { numRuns: numberOfRuns(50), seed: 26 },
  );
});
