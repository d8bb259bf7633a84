import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createCalendarId,
  createHexId,
  createSecret,
  createShortId,
  createToken,
  createUserId,
} from "../../src/service/secrets.js";
import { querySql } from "./support/database.js";
import { createWorld } from "./support/world.js";

describe("random values", () => {
  test.each([
    ["tokens", createToken, /^cal_[\w-]{43}$/],
    ["client secrets, authorization codes and session secrets", createSecret, /^[\w-]{43}$/],
    ["ids of events and activities", createHexId, /^[0-9a-f]{32}$/],
    ["ids of calendars", createCalendarId, /^[\w-]{12}$/],
    ["ids of users", createUserId, /^[1-9]\d{17}$/],
    ["ids of tokens and clients", createShortId, /^[0-9a-f]{16}$/],
  ])("%s have their form and differ", (_, create, form) => {
    const values = Array.from({ length: 1_000 }, create);
    for (const value of values) expect(value).toMatch(form);
    expect(new Set(values).size).toBe(values.length);
  });

  test("ids of users are beyond what a number holds", () => {
    const ids = Array.from({ length: 100 }, createUserId);
    for (const id of ids) expect(BigInt(id)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  });
});

describe("the database", () => {
  test("holds no secret that it was told, while in use and when closed", async () => {
    const world = await createWorld({ stored: true });
    const { users, clients, tokens } = world.service.admin;
    await users.add({ name: "signing in", password: "correct horse battery" });
    const client = await clients.add({ name: "Board", redirectUris: ["https://board.example.org/callback"] });
    const { token } = await tokens.create({ user: "member", readOnly: false });
    const secrets = ["correct horse battery", client.client_secret, token, world.token, world.readOnlyToken];
    const folder = dirname(world.database);
    const holdings = () =>
      readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), "latin1"))
        .join("");
    expect(holdings()).toContain("https://board.example.org/callback");
    for (const secret of secrets) expect(holdings()).not.toContain(secret);
    expect(querySql(world.database, "select count(distinct hash) as tokens from tokens")).toEqual([
      { tokens: 3 },
    ]);
    await world.service.close();
    for (const secret of secrets) expect(holdings()).not.toContain(secret);
    await world.close();
  });
});
