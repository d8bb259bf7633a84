import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import {
  createCalendarId,
  createHexId,
  createSecret,
  createShortId,
  createToken,
  createUserId,
  hashPassword,
  verifyPassword,
} from "../secrets.js";
import { openService } from "../service.js";
import { querySql } from "./support/database.js";
import { createWorld, NOW } from "./support/world.js";

describe("random values", () => {
  test.each([
    ["tokens", createToken, /^cal_[\w-]{43}$/],
    ["client secrets, authorization codes and session secrets", createSecret, /^[\w-]{43}$/],
    ["ids of events and activities", createHexId, /^[0-9a-f]{32}$/],
    ["ids of calendars", createCalendarId, /^[\w-]{12}$/],
    ["ids of users", createUserId, /^[1-9]\d{17}$/],
    ["ids of tokens and clients", createShortId, /^[0-9a-f]{16}$/],
  ])("%s have their format and differ", (_, create, form) => {
    const values = Array.from({ length: 1_000 }, create);
    for (const value of values) expect(value).toMatch(form);
    expect(new Set(values).size).toBe(values.length);
  });

  test("ids of users exceed the safe integers", () => {
    const ids = Array.from({ length: 100 }, createUserId);
    for (const id of ids) expect(BigInt(id)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  });
});

describe("the database", () => {
  test("contains no secret, while open and when closed", async () => {
    const world = await createWorld();
    const { users, clients, tokens } = world.service.admin;
    await users.add({ name: "signing in", password: "correct horse battery" });
    const client = await clients.add({ name: "Board", redirectUris: ["https://board.example.org/callback"] });
    const { token } = await tokens.create({ user: "member", readOnly: false });
    const secrets = ["correct horse battery", client.client_secret, token, world.token, world.readOnlyToken];
    const folder = dirname(world.database);
    const contents = () =>
      readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), "latin1"))
        .join("");
    expect(contents()).toContain("https://board.example.org/callback");
    for (const secret of secrets) expect(contents()).not.toContain(secret);
    expect(querySql(world.database, "select count(distinct hash) as tokens from tokens")).toEqual([
      { tokens: 3 },
    ]);
    await world.service.close();
    for (const secret of secrets) expect(contents()).not.toContain(secret);
    await world.close();
  });
});

const CHEAP = { ln: 4, r: 1, p: 1 };

test("a password matches only its own hash, however Unicode composes it", async () => {
  const stored = await hashPassword("correct horse", CHEAP);
  expect(await verifyPassword("correct horse", stored)).toBe(true);
  expect(await verifyPassword("Correct horse", stored)).toBe(false);
  expect(await verifyPassword("", stored)).toBe(false);
  expect(await verifyPassword("cafe\u0301", await hashPassword("caf\u00e9", CHEAP))).toBe(true);
});

test("a hash includes its cost, not the password, and is different each time", async () => {
  const [first, second] = [
    await hashPassword("correct horse", CHEAP),
    await hashPassword("correct horse", CHEAP),
  ];
  expect(first).toMatch(/^\$scrypt\$ln=4,r=1,p=1\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/);
  expect(first).not.toContain("correct");
  expect(second).not.toBe(first);
});

test("without a given cost, new and changed passwords are hashed at the full one", async () => {
  const database = join(temporaryFolder(), "calendar.db");
  const service = await openService({ database, now: () => NOW, rateLimit: null });
  onTestFinished(() => service.close());
  const { users } = service.admin;
  await users.add({ name: "new", password: "correct horse" });
  await users.add({ name: "changed" });
  await users.setPassword("changed", "correct horse");
  const stored = querySql(database, "select password_hash from users");
  expect(stored.map(({ password_hash }) => String(password_hash).split("$")[2])).toEqual([
    "ln=15,r=8,p=3",
    "ln=15,r=8,p=3",
  ]);
});

test("a password that was hashed at another cost still matches", async () => {
  // RFC 7914 §12: N = 1024, r = 8, p = 16, its first 32 bytes
  const key = Buffer.from("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162", "hex");
  const stored = `$scrypt$ln=10,r=8,p=16$${Buffer.from("NaCl").toString("base64")}$${key.toString("base64")}`;
  expect(await verifyPassword("password", stored)).toBe(true);
});

test.each(["", "plain", "$scrypt$ln=15,r=8,p=3$$", "$scrypt$ln=1,r=1,p=1$AAAA$AAAA"])(
  "no password matches %j",
  async (stored) => {
    expect(await verifyPassword("plain", stored)).toBe(false);
  },
);
