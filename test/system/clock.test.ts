import { afterEach, expect, test, vi } from "vitest";
import { resolveSystemTimeZone } from "../../src/system/clock.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["Asia/Calcutta", "Asia/Calcutta"],
  ["Europe/Kyiv", "Europe/Kyiv"],
  ["UTC", "UTC"],
  ["JST", "Asia/Tokyo"],
  [":Asia/Tokyo", "Asia/Tokyo"],
  ["JST-9", undefined],
  ["IST-5:30", undefined],
  ["+05:30", undefined],
  [":UTC", "UTC"],
  ["Etc/GMT", "Etc/GMT"],
])("TZ=%s gives %s", (variable, zone) => {
  vi.stubEnv("TZ", variable);
  expect(resolveSystemTimeZone(variable)).toBe(zone);
});
