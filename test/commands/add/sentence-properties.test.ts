import fc from "fast-check";
import { expect, test } from "vitest";
import { readSentence } from "../../../src/commands/add/sentence.js";
import { anyInstant, anyZone } from "../../events/fixtures.js";
import { numberOfRuns } from "../../support/shared.js";
import { BERLIN, outcome, ROWS, written } from "./sentences.js";

/** What holds of every sentence of `calctl add`. */

test("a reading in ISO 8601 is read the same at any time in any zone", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.constantFrom(...ROWS), anyInstant, anyZone, ([text], now, zone) => {
      const reading = outcome(text, { now, zone });
      if (typeof reading === "string") return;
      read += 1;
      expect(outcome(written(reading), { now, zone })).toEqual(reading);
    }),
    { numRuns: numberOfRuns(100) },
  );
  expect(read).toBeGreaterThan(30);
});

test("of any words, no word of a title is lost, and only usage errors are thrown", () => {
  const words = ROWS.flatMap(([text]) => text.split(" "));
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 }), (chosen) => {
      const reading = outcome(`Zebra ${chosen.join(" ")}`);
      if (typeof reading === "string") return;
      read += 1;
      expect(`${reading.title} ${reading.location ?? ""}`).toContain("Zebra");
      expect(outcome(`"Zebra" ${chosen.join(" ")}`)).toEqual(reading);
    }),
    { numRuns: numberOfRuns(100) },
  );
  expect(read).toBeGreaterThan(2);
});

test("any text in quotes is the title", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      const title = text.replace(/["“”\s,;:–—-]/gu, "");
      fc.pre(title !== "" && !title.includes("\u0001"));
      expect(readSentence(`"${title}" tomorrow 12-13`, BERLIN).title).toBe(title);
    }),
  );
});
