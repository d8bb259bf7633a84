import { expect, test } from "vitest";
import { formatRateLimit, parseRateLimit, parseRateLimitReset } from "../../src/contract/rate-limit.js";

const RATE_LIMIT = { limit: 600, remaining: 0, reset: 1_795_272_000 };

test("the headers of an answer come back as they were", () => {
  expect(parseRateLimit(formatRateLimit(RATE_LIMIT))).toEqual(RATE_LIMIT);
});

test("the end of the window is read without the other headers", () => {
  const headers = { "x-ratelimit-reset": " 1795272000 " };
  expect(parseRateLimitReset(headers)).toBe(1_795_272_000);
  expect(parseRateLimit(headers)).toBeNull();
});

test.each(["", "soon", "-1", "1.5", "1e3", "60, 60", "1234567890123456"])(
  "a reset of %j is none",
  (reset) => {
    const headers = { ...formatRateLimit(RATE_LIMIT), "x-ratelimit-reset": reset };
    expect(parseRateLimitReset(headers)).toBeNull();
    expect(parseRateLimit(headers)).toBeNull();
  },
);
