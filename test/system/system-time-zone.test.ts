import { expect, test } from "vitest";
import { resolveSystemTimeZone } from "../../src/system/system-time-zone.js";

/** A machine with these links and texts. */
function machine(files: {
  readonly links?: Record<string, string>;
  readonly texts?: Record<string, string>;
}) {
  const { links = {}, texts = {} } = files;
  return { realpath: (path: string) => links[path] ?? path, read: (path: string) => texts[path] };
}

test.each([
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["Asia/Calcutta", "Asia/Calcutta"],
  ["europe/berlin", "Europe/Berlin"],
  ["UTC", "UTC"],
  [":UTC", "UTC"],
  ["", "UTC"],
  [":", "UTC"],
  ["Etc/GMT", "Etc/GMT"],
  [":Europe/Kyiv", "Europe/Kyiv"],
  [":/usr/share/zoneinfo/Europe/Kyiv", "Europe/Kyiv"],
  ["/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"],
  [":/usr/share/zoneinfo/posix/Europe/Berlin", "Europe/Berlin"],
  ["right/Europe/Berlin", "Europe/Berlin"],
  // Names of the IANA database without an area.
  ["EST5EDT", "America/New_York"],
  ["CET", "Europe/Brussels"],
  ["Japan", "Asia/Tokyo"],
  ["GMT", "UTC"],
  // Every other program takes these for UTC, or for a rule without a name.
  ["JST", undefined],
  ["BST", undefined],
  ["JST-9", undefined],
  ["CET-1CEST", undefined],
  ["EST5EDT,M3.2.0,M11.1.0", undefined],
  ["<+0330>-3:30", undefined],
  ["+05:30", undefined],
  ["Nowhere/Land", undefined],
  [":/home/ana/zone", undefined],
])("TZ=%s gives %s", (variable, zone) => {
  expect(resolveSystemTimeZone(variable, machine({}))).toBe(zone);
});

const LINK = { links: { "/etc/localtime": "/usr/share/zoneinfo/Europe/Berlin" } };
const COPY = { texts: { "/etc/timezone": "Europe/Berlin\n" } };

test.each([
  [undefined, LINK],
  [":/etc/localtime", LINK],
  ["localtime", { links: { "/usr/share/zoneinfo/localtime": "/usr/share/zoneinfo/Europe/Berlin" } }],
  [undefined, { links: { "/etc/localtime": "/var/db/timezone/zoneinfo/Europe/Berlin" } }],
  [undefined, COPY],
  [":/etc/localtime", COPY],
])("TZ=%s gives the zone of the machine %o", (variable, files) => {
  expect(resolveSystemTimeZone(variable, machine(files))).toBe("Europe/Berlin");
});
