import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../../src/service/store/sqlite/open.js";
import type { Store } from "../../../src/service/store/store.js";
import { countAttempt, refundAttempt, unlockLogin } from "../../../src/service/store/users.js";

const MINUTE = 60_000;
const NOW = Date.parse("2026-11-21T10:00:00.000Z");

let store: Store;
beforeEach(async () => {
  store = await openStore(":memory:");
});
afterEach(() => store.close());

/** Seconds to wait, null if the attempt is allowed. */
const attempt = (login: string, address: string, now = NOW) =>
  store.write((db) => countAttempt(db, { login, address, now }));

async function fail(times: number, login: string, address: string): Promise<number> {
  let allowed = 0;
  for (let count = 0; count < times; count += 1) {
    if ((await attempt(login, address)) === null) allowed += 1;
  }
  return allowed;
}

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

test("a login may be tried a hundred times from all addresses", async () => {
  for (let host = 0; host < 100; host += 1) expect(await attempt("ana", `192.0.2.${host}`)).toBeNull();
  expect(await attempt("ana", "192.0.2.200")).toBe(900);
  expect(await attempt("ben", "192.0.2.200")).toBeNull();
});

test("one address does not exhaust the limit of a login", async () => {
  expect(await fail(200, "ana", "192.0.2.1")).toBe(5);
  expect(await attempt("ana", "192.0.2.2")).toBeNull();
});

test("an attempt that succeeds does not count and resets the earlier ones", async () => {
  for (let round = 0; round < 50; round += 1) {
    expect(await attempt("ana", "192.0.2.1")).toBeNull();
    await store.write((db) => refundAttempt(db, { login: "Ana", address: "192.0.2.1", now: NOW }));
  }
  await fail(4, "ana", "192.0.2.1");
  await store.write((db) => refundAttempt(db, { login: "ana", address: "192.0.2.1", now: NOW }));
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
  for (let host = 0; host < 100; host += 1) await attempt("ben", `192.0.2.${host}`);
  expect(await attempt("ben", "192.0.2.200")).toBe(900);
  expect(await unlock("ben")).toBe(true);
  expect(await attempt("ben", "192.0.2.200")).toBeNull();
  await fail(5, "cleo", "192.0.2.201");
  expect(await unlock("cleo", NOW + 15 * MINUTE)).toBe(false);
});

test("what was typed is not stored, and counters are deleted when their window ends", async () => {
  const rows = () => store.read((db) => db.selectFrom("sign_in_attempts").selectAll().execute());
  await attempt("my-password-by-mistake", "192.0.2.1");
  expect(await rows()).toHaveLength(3);
  expect(JSON.stringify(await rows())).not.toMatch(/my-password|192\.0/);
  await attempt("ana", "192.0.2.2", NOW + 15 * MINUTE);
  expect(await rows()).toHaveLength(3);
});
