import { expect, test } from "vitest";
import { formatRateLimit, parseRateLimit } from "../../src/contract/rate-limit.js";

const RATE_LIMIT = { limit: 600, remaining: 0, reset: 1_795_272_000 };

test("the headers of an answer come back as they were", () => {
  const blanks = { ...formatRateLimit(RATE_LIMIT), "x-ratelimit-reset": " 1795272000 " };
  expect(parseRateLimit(blanks)).toEqual(RATE_LIMIT);
  expect(parseRateLimit(formatRateLimit(RATE_LIMIT))).toEqual(RATE_LIMIT);
});

test("one that is missing leaves nothing to tell", () => {
  expect(parseRateLimit({ "x-ratelimit-reset": "1795272000" })).toBeNull();
});

test.each(["", "soon", "-1", "1.5", "1e3", "60, 60", "1234567890123456"])(
  "a reset of %j is none",
  (reset) => {
    const headers = { ...formatRateLimit(RATE_LIMIT), "x-ratelimit-reset": reset };
    expect(parseRateLimit(headers)).toBeNull();
  },
);
