import { expect, test } from "vitest";
import { findIana, findWindows } from "windows-iana";
import { isTimeZone } from "../../contract/date-time.js";
import { WINDOWS_ZONES } from "../../src/import/windows-zones.js";

test("the names of Windows are those of CLDR, each with a zone that Node knows", () => {
  const known = Intl.supportedValuesOf("timeZone").flatMap((zone) => findWindows(zone) ?? []);
  expect(known.length).toBeGreaterThan(100);
  for (const name of new Set([...known, ...WINDOWS_ZONES.keys()]))
    expect([name, WINDOWS_ZONES.get(name)]).toEqual([name, findIana(name)[0]]);
  expect([...WINDOWS_ZONES.values()].filter((zone) => !isTimeZone(zone))).toEqual([]);
});
