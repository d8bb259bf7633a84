import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countAttempt, recordSignIn, unlockLogin } from "../../store/sign-in-attempts.js";
import { openStore } from "../../store/sqlite/open.js";
import type { Store } from "../../store/store.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The start of a window. */
const NOW = Date.parse("2026-11-21T10:00:00.000Z");

let store: Store;
beforeEach(async () => {
  store = await openStore(":memory:");
});
afterEach(() => store.close());

/** Seconds to wait, null if the attempt is allowed. */
const attempt = (login: string, address: string, now = NOW) =>
  store.write((db) => countAttempt(db, { login, address, now }));

/** How many of several attempts from each address are allowed. */
const failFrom = (addresses: readonly string[], times: number, login: string, now = NOW) =>
  store.write(async (db) => {
    let allowed = 0;
    for (const address of addresses) {
      for (let count = 0; count < times; count += 1) {
        if ((await countAttempt(db, { login, address, now })) === null) allowed += 1;
      }
    }
    return allowed;
  });

const fail = (times: number, login: string, address: string, now = NOW) =>
  failFrom([address], times, login, now);

const addresses = (network: string, count: number) =>
  Array.from({ length: count }, (_, host) => `${network}.${host}`);

/** Uses up the limit of a login, from 20 addresses that none of the tests uses otherwise. */
const exhaust = (login: string, now = NOW) => failFrom(addresses("198.51.100", 20), 5, login, now);

const succeed = (login: string, address: string, now = NOW) =>
  store.write((db) => recordSignIn(db, { login, address, now }));

test("one address may try a login five times in 15 minutes", async () => {
  expect(await fail(5, "ana", "192.0.2.1")).toBe(5);
  expect(await attempt("ana", "192.0.2.1")).toBe(900);
  expect(await attempt("ANA", "192.0.2.1", NOW + 5 * MINUTE)).toBe(600);
  expect(await attempt("ana", "192.0.2.2")).toBeNull();
  expect(await attempt("ben", "192.0.2.1")).toBeNull();
  expect(await attempt("ana", "192.0.2.1", NOW + 15 * MINUTE - 1)).toBe(1);
  expect(await attempt("ana", "192.0.2.1", NOW + 15 * MINUTE)).toBeNull();
});

test("one address may try twenty times, whatever the logins", async () => {
  for (let number = 0; number < 20; number += 1)
    expect(await attempt(`login-${number}`, "192.0.2.1")).toBeNull();
  expect(await attempt("ana", "192.0.2.1")).toBe(900);
  expect(await attempt("ana", "192.0.2.2")).toBeNull();
});

test("one address does not exhaust the limit of a login", async () => {
  expect(await fail(120, "ana", "192.0.2.1")).toBe(5);
  expect(await attempt("ana", "192.0.2.2")).toBeNull();
});

test("an attempt that succeeds does not count and resets the earlier ones", async () => {
  for (let round = 0; round < 6; round += 1) {
    expect(await attempt("ana", "192.0.2.1")).toBeNull();
    await succeed("Ana", "192.0.2.1");
  }
  await fail(4, "ana", "192.0.2.1");
  await succeed("ana", "192.0.2.1");
  expect(await fail(6, "ana", "192.0.2.1")).toBe(5);
});

test("a login is unlocked for every address, and only that login", async () => {
  const unlock = (login: string, now = NOW) => store.write((db) => unlockLogin(db, { login, now }));
  await fail(4, "ana", "192.0.2.1");
  expect(await unlock("ana")).toBe(false);
  await fail(5, "ana", "192.0.2.1");
  await fail(5, "an", "192.0.2.1");
  expect(await attempt("ana", "192.0.2.1")).toBe(900);
  expect(await unlock("ANA")).toBe(true);
  expect(await unlock("ana")).toBe(false);
  expect(await attempt("ana", "192.0.2.1")).toBeNull();
  expect(await attempt("an", "192.0.2.1")).toBe(900);
  await attempt("ben", "192.0.2.200");
  await exhaust("ben");
  expect(await attempt("ben", "192.0.2.200")).toBe(900);
  expect(await unlock("ben")).toBe(true);
  expect(await attempt("ben", "192.0.2.200")).toBeNull();
  await fail(5, "cleo", "192.0.2.201");
  expect(await unlock("cleo", NOW + 15 * MINUTE)).toBe(false);
});

test("what was typed is not stored, and counters are deleted after a day", async () => {
  const rows = () => store.read((db) => db.all("select key, window_start, attempts from sign_in_attempts"));
  await attempt("my-password-by-mistake", "192.0.2.1");
  await succeed("my-password-by-mistake", "192.0.2.1");
  await attempt("my-password-by-mistake", "192.0.2.1");
  expect(await rows()).toHaveLength(4);
  expect(JSON.stringify(await rows())).not.toMatch(/my-password|192\.0/);
  await attempt("ana", "192.0.2.2", NOW + DAY);
  expect(await rows()).toHaveLength(4);
  await attempt("ana", "192.0.2.2", NOW + 30 * DAY);
  await succeed("ana", "192.0.2.2", NOW + 30 * DAY);
  expect(await rows()).toHaveLength(3);
});

describe("while others attack a login", () => {
  test("an address without failures there may try it once", async () => {
    await exhaust("ana");
    expect(await attempt("ana", "192.0.2.1")).toBeNull();
    expect(await attempt("ana", "192.0.2.1")).toBe(900);
    expect(await attempt("ana", "192.0.2.2", NOW + MINUTE)).toBeNull();
    await succeed("ana", "192.0.2.2", NOW + MINUTE);
    expect(await attempt("ana", "192.0.2.2", NOW + MINUTE)).toBeNull();
    // Failures at other logins do not matter.
    await fail(5, "ben", "192.0.2.3");
    expect(await attempt("ana", "192.0.2.3")).toBeNull();
  });

  test("an address that has signed in keeps its own limit, for 30 days", async () => {
    await succeed("ana", "192.0.2.1", NOW - 30 * DAY);
    await succeed("ana", "192.0.2.2", NOW - 30 * DAY + 1);
    await succeed("ben", "192.0.2.3");
    await exhaust("ana");
    expect(await fail(10, "ana", "192.0.2.1")).toBe(1);
    expect(await fail(10, "Ana", "192.0.2.2")).toBe(5);
    expect(await fail(10, "ana", "192.0.2.3")).toBe(1);
  });

  test("N addresses have at most 100 + N guesses in a window", async () => {
    const attackers = addresses("192.0.2", 23);
    const first = await failFrom(attackers, 7, "ana");
    const later = await failFrom(attackers, 3, "ana", NOW + 14 * MINUTE);
    // 20 addresses use up the limit, the others have one guess each.
    expect([first, later]).toEqual([100 + 3, 0]);
  });

  test("unlocking forgets the failures, not who has signed in", async () => {
    await succeed("ana", "192.0.2.2");
    await exhaust("ana");
    await store.write((db) => unlockLogin(db, { login: "ana", now: NOW }));
    await exhaust("ana");
    expect(await fail(10, "ana", "192.0.2.2")).toBe(5);
  });
});

describe("a clock that jumps", () => {
  test.each([-3 * HOUR, 10 * 365 * DAY])("by %i ms locks no longer than 15 minutes", async (jump) => {
    await fail(5, "ana", "192.0.2.1");
    await exhaust("ana");
    await exhaust("ana", NOW + jump);
    await fail(5, "ana", "192.0.2.1", NOW + jump);
    expect(await attempt("ana", "192.0.2.1", NOW + jump)).toBe(900);
    expect(await attempt("ana", "192.0.2.1", NOW + jump + 15 * MINUTE)).toBeNull();
  });

  test.each([-15 * MINUTE, 15 * MINUTE, 23 * HOUR])(
    "by %i ms and back again and again gives one more window of attempts, not one each time",
    async (jump) => {
      let allowed = 0;
      for (let round = 0; round < 3; round += 1) {
        allowed += await fail(6, "ana", "192.0.2.1", NOW);
        allowed += await fail(6, "ana", "192.0.2.1", NOW + jump);
      }
      expect(allowed).toBe(10);
    },
  );

  test("ahead for one attempt of somebody else resets no count", async () => {
    await fail(5, "ana", "192.0.2.1");
    await exhaust("ana");
    await attempt("ben", "192.0.2.9", NOW + 23 * HOUR);
    expect(await attempt("ana", "192.0.2.1")).toBe(900);
  });

  test("an address that signed in while the clock was ahead is known", async () => {
    await succeed("ana", "192.0.2.1", NOW + 365 * DAY);
    await exhaust("ana");
    expect(await fail(10, "ana", "192.0.2.1")).toBe(5);
  });
});
