import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hashPassword, verifyPassword } from "../../src/service/secrets.js";
import { openService } from "../../src/service/service.js";
import { querySql } from "./support/database.js";
import { createFolder, NOW } from "./support/world.js";

test("a password is told from others", async () => {
  const stored = await hashPassword("correct horse");
  expect(await verifyPassword("correct horse", stored)).toBe(true);
  expect(await verifyPassword("Correct horse", stored)).toBe(false);
  expect(await verifyPassword("", stored)).toBe(false);
});

test("what is stored names its cost, holds no password and differs each time", async () => {
  const [first, second] = [await hashPassword("correct horse"), await hashPassword("correct horse")];
  expect(first).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/);
  expect(first).not.toContain("correct");
  expect(second).not.toBe(first);
});

test("a service that is not told a cost stores them at the full one, also when they change", async () => {
  const folder = createFolder();
  const database = join(folder.path, "calendar.db");
  const service = await openService({ database, now: () => NOW, rateLimit: null });
  onTestFinished(async () => {
    await service.close();
    folder.remove();
  });
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

test("a password stored at another cost is still read", async () => {
  // RFC 7914 §12: N = 1024, r = 8, p = 16, its first 32 bytes
  const key = Buffer.from("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162", "hex");
  const stored = `$scrypt$ln=10,r=8,p=16$${Buffer.from("NaCl").toString("base64")}$${key.toString("base64")}`;
  expect(await verifyPassword("password", stored)).toBe(true);
});

test("the same letters composed otherwise are the same password", async () => {
  const stored = await hashPassword("caf\u00e9");
  expect(await verifyPassword("cafe\u0301", stored)).toBe(true);
});

test.each(["", "plain", "$scrypt$ln=15,r=8,p=3$$", "$scrypt$ln=1,r=1,p=1$AAAA$AAAA"])(
  "nothing fits %j",
  async (stored) => {
    expect(await verifyPassword("plain", stored)).toBe(false);
  },
);
