import { describe, expect, test } from "vitest";
import {
  DEFAULT_RETRY_POLICY,
  leavesDoubt,
  mayRepeat,
  pauseBefore,
  type Trouble,
} from "../../../src/api/sending/retry.js";
import type { Fault, Sent } from "../../../src/api/transport.js";

const noAnswer = (fault: Fault, sent: Sent): Trouble => ({ kind: "no_answer", fault, sent });
const status = (code: number): Trouble => ({ kind: "status", status: code });

describe("what may be repeated", () => {
  test.each([
    ["nobody listens", noAnswer("unreachable", "no"), true, true],
    ["no connection in time", noAnswer("timeout", "no"), true, true],
    ["closed before an answer", noAnswer("closed", "maybe"), true, false],
    ["no answer in time", noAnswer("timeout", "maybe"), true, false],
    ["a success that was cut short", noAnswer("cut_short", "answered"), true, false],
    ["an answer that is too large", noAnswer("too_large", "answered"), false, false],
    ["no HTTP", noAnswer("not_http", "maybe"), false, false],
    ["a certificate that is not trusted", noAnswer("tls", "no"), false, false],
    ["a proxy that refuses", noAnswer("proxy", "no"), false, false],
    ["408", status(408), true, false],
    ["500", status(500), true, false],
    ["502", status(502), true, false],
    ["503", status(503), true, false],
    ["504", status(504), true, false],
    ["501", status(501), false, false],
    ["400", status(400), false, false],
    ["401", status(401), false, false],
    ["403", status(403), false, false],
    ["404", status(404), false, false],
    ["409", status(409), false, false],
    ["412", status(412), false, false],
    ["302", status(302), false, false],
  ] as const)("%s", (_, trouble, idempotent, post) => {
    expect(mayRepeat("GET", trouble)).toBe(idempotent);
    expect(mayRepeat("PUT", trouble)).toBe(idempotent);
    expect(mayRepeat("DELETE", trouble)).toBe(idempotent);
    expect(mayRepeat("POST", trouble)).toBe(post);
  });

  test.each([
    [noAnswer("unreachable", "no"), false],
    [noAnswer("closed", "maybe"), true],
    [noAnswer("cut_short", "answered"), true],
    [status(500), true],
    [status(404), false],
    [status(408), false],
  ])("%j may have been done all the same: %s", (trouble, expected) => {
    expect(leavesDoubt(trouble)).toBe(expected);
  });
});

describe("the pause before a repeat", () => {
  const pause = (repeat: number, random: number, asked: number | null = null) =>
    pauseBefore(repeat, DEFAULT_RETRY_POLICY, { asked, random });

  test("is drawn from 0 up to a bound that doubles, to 20 seconds at most", () => {
    expect([0, 1, 2, 3].map((repeat) => pause(repeat, 0.999))).toEqual([499, 999, 1998, 3996]);
    expect(pause(0, 0)).toBe(0);
    expect(pause(90, 0.5)).toBe(10_000);
  });

  test("is as long as the service asks, and there is none when it asks for more than 20 seconds", () => {
    expect(pause(0, 0.5, 7000)).toBe(7000);
    expect(pause(5, 0.9, 1000)).toBe(14_400);
    expect(pause(0, 0.5, 20_001)).toBeNull();
  });
});
