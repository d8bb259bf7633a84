import { expect, test } from "vitest";
import { IANA_ALIAS_MAP } from "windows-iana";
import { isTimeZone } from "../../contract/date-time.js";
import { readTimeZoneName, timeZoneHint } from "../../contract/time-zone-names.js";

test("every IANA name with an area is read in any case, and stays the same name", () => {
  const names = IANA_ALIAS_MAP.flatMap(({ alias }) => alias).filter((name) => /^(?!SystemV).+\//.test(name));
  const known = [...names, ...Intl.supportedValuesOf("timeZone")].filter(isTimeZone);
  expect(known.length).toBeGreaterThan(500);
  expect(known.map((name) => readTimeZoneName(name.toLowerCase()))).toEqual(known);
  expect(known.map((name) => readTimeZoneName(name.toUpperCase()))).toEqual(known);
});

test.each([
  ["utc", "UTC"],
  ["Etc/GMT+5", "Etc/GMT+5"],
  ["asia/calcutta", "Asia/Calcutta"],
  ["asia/kolkata", "Asia/Kolkata"],
])("%s is %s", (text, zone) => {
  expect(readTimeZoneName(text)).toBe(zone);
});

test.each([
  ["BST", "write Europe/London"],
  ["ist", "write Asia/Kolkata, Europe/Dublin, or Asia/Jerusalem"],
  ["EST", "write America/New_York or America/Panama"],
  ["EST5EDT", "write America/New_York"],
  ["CET", "write Europe/Berlin or Europe/Paris"],
  ["GMT", "write UTC or Europe/London"],
  ["Z", "write UTC"],
  ["Japan", "write Asia/Tokyo"],
  ["berlin", "write Europe/Berlin"],
  ["New York", "write America/New_York"],
  ["Mars", "write a name such as Asia/Tokyo, Europe/Berlin or UTC"],
  ["Mars/Phobos", "write a name such as Asia/Tokyo, Europe/Berlin or UTC"],
  ["+05:30", "write a name such as Asia/Tokyo, Europe/Berlin or UTC"],
])("%s is not the name of a zone: %s", (text, hint) => {
  expect(readTimeZoneName(text)).toBeNull();
  expect(timeZoneHint(text)).toBe(hint);
});
