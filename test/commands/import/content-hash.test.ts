import { expect, test } from "vitest";
import { hashContent, hashEvent, hashText } from "../../../src/commands/import/entry.js";
import { hashedFields } from "../../../src/events/content.js";
import { eventOf, userOf } from "../../events/fixtures.js";

/** What earlier versions remembered must be found again: otherwise everything that was imported is imported a second time. */
test("the hashes of what was imported are those of earlier versions", () => {
  const content = {
    attendees: undefined,
    label: undefined,
    title: "Training 0",
    category: "schedule",
    all_day: false,
    start_at: "2027-01-01T18:00:00.000Z",
    start_timezone: "UTC",
    end_at: "2027-01-01T20:00:00.000Z",
    end_timezone: "UTC",
    description: "Bring shoes and water",
    location: "Gym",
    url: undefined,
    recurrences: undefined,
  } as const;
  expect(hashContent(content)).toBe("g9Sg3bPZS_QaOkzMt3gpri");
  expect(hashContent({ ...content, location: "Hall" })).not.toBe(hashContent(content));
  const event = eventOf({ recurrences: ["RRULE:FREQ=WEEKLY"], attendees: [userOf("cal,2")] });
  expect(hashEvent(event)).toBe("qwZmGNVIPeM__8eEveFLig");
  expect(hashText("2027-01-01,Training")).toBe("tFuDrwzQpYeIePduFoJdYkzxr-c_1KZ5wxwW5NmVJj8");
});

test.each([undefined, null, "", []])("a new field that is %j changes no hash", (colour) => {
  expect(hashedFields({ title: "Review", colour })).toEqual(hashedFields({ title: "Review" }));
  const withColour = hashedFields({ title: "Review", colour: "red" });
  expect(withColour).not.toEqual(hashedFields({ title: "Review", color: "red" }));
  expect(withColour).not.toEqual(hashedFields({ title: "Review" }));
});
