import { expect, test } from "vitest";
import { formatRateLimit, parseRateLimit } from "../../contract/rate-limit.js";

const RATE_LIMIT = { limit: 600, remaining: 0, reset: 1_795_272_000 };

test("formatted headers are parsed unchanged", () => {
  const blanks = { ...formatRateLimit(RATE_LIMIT), "x-ratelimit-reset": " 1795272000 " };
  expect(parseRateLimit(blanks)).toEqual(RATE_LIMIT);
  expect(parseRateLimit(formatRateLimit(RATE_LIMIT))).toEqual(RATE_LIMIT);
});

test("null if a header is missing", () => {
  expect(parseRateLimit({ "x-ratelimit-reset": "1795272000" })).toBeNull();
});

test.each(["", "soon", "-1", "1.5", "1e3", "60, 60", "1234567890123456"])("null if reset is %j", (reset) => {
  const headers = { ...formatRateLimit(RATE_LIMIT), "x-ratelimit-reset": reset };
  expect(parseRateLimit(headers)).toBeNull();
});
