import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Browser } from "./support/browser.js";
import { createOAuthStage, type OAuthStage, PASSWORD } from "./support/stage.js";

const HOUR = 3_600_000;

let stage: OAuthStage;
let browser: Browser;
beforeEach(async () => {
  stage = await createOAuthStage();
  browser = stage.browser();
  await stage.signIn(browser);
});
afterEach(() => stage.close());

async function logIn(): Promise<unknown> {
  return (await stage.exchange({ code: await stage.code(browser) })).json["access_token"];
}

describe("a token issued to a client", () => {
  test("is revoked when its client is removed, others are not", async () => {
    const token = await logIn();
    await stage.world.service.admin.clients.remove(stage.client.id);
    expect(await stage.use(token)).toBe(401);
    expect(await stage.use(stage.world.token)).toBe(200);
    expect(await stage.world.service.admin.tokens.list()).toHaveLength(2);
  });

  test("is revoked when its user is disabled, like sessions and codes", async () => {
    const token = await logIn();
    const code = await stage.code(browser);
    await stage.world.service.admin.users.disable("member");
    expect(await stage.use(token)).toBe(401);
    expect(await stage.exchange({ code })).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    expect((await browser.open(stage.authorize())).text).not.toContain('value="allow"');
  });

  test("survives a new password, unlike sessions and codes", async () => {
    const token = await logIn();
    const code = await stage.code(browser);
    await stage.world.service.admin.users.setPassword("member", "another one");
    expect(await stage.use(token)).toBe(200);
    expect(await stage.exchange({ code })).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    expect((await browser.open(stage.authorize())).text).not.toContain('value="allow"');
  });
});

describe("a client", () => {
  test("that is removed loses its codes", async () => {
    const code = await stage.code(browser);
    await stage.world.service.admin.clients.remove(stage.client.id);
    expect(await stage.exchange({ code })).toMatchObject({ status: 401, json: { error: "invalid_client" } });
    expect(await stage.world.tables.query("select * from authorization_codes")).toEqual([]);
  });
});

describe("the database", () => {
  test("contains no codes, cookies, tokens or passwords", async () => {
    const code = await stage.code(browser);
    const unused = await stage.code(browser);
    const { json } = await stage.exchange({ code });
    const contents = await stage.world.tables.contents();
    expect(contents).toContain(stage.client.client_id);
    const cookie = browser.cookie?.split("=")[1] ?? "";
    for (const secret of [code, unused, cookie, String(json["access_token"]), PASSWORD]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(contents).not.toContain(secret);
    }
  });

  test("deletes sessions and codes that expired long ago", async () => {
    const rows = async (table: string) => (await stage.world.tables.query(`select * from ${table}`)).length;
    await stage.code(browser);
    await stage.exchange({ code: await stage.code(browser) });
    expect([await rows("sessions"), await rows("authorization_codes")]).toEqual([1, 2]);
    stage.world.clock.now += 25 * HOUR;
    const next = stage.browser();
    await stage.signIn(next);
    await stage.code(next);
    expect([await rows("sessions"), await rows("authorization_codes")]).toEqual([1, 1]);
  });
});

describe("requests to the authorization server", () => {
  test("are rate-limited by address, whatever token they send", async () => {
    const limited = await createOAuthStage({ rateLimit: { limit: 3, windowSeconds: 600 } });
    const visitor = limited.browser("192.0.2.9");
    const headers = { authorization: `Bearer ${limited.world.token}` };
    const first = await visitor.request("GET", limited.authorize(), { headers });
    expect(first.headers).toMatchObject({ "x-ratelimit-limit": "3", "x-ratelimit-remaining": "2" });
    expect((await visitor.request("POST", "/oauth/token")).headers["x-ratelimit-remaining"]).toBe("1");
    expect((await visitor.open("/user")).headers["x-ratelimit-remaining"]).toBe("0");
    const page = await visitor.request("GET", limited.authorize(), { headers });
    expect(page).toMatchObject({ status: 429, headers: { "retry-after": "600" } });
    expect(page.text).toContain("<h1>Too many requests</h1>");
    const token = await visitor.request("POST", "/oauth/token");
    expect(token).toMatchObject({ status: 429, headers: { "retry-after": "600" } });
    expect(JSON.parse(token.text)).toMatchObject({ error: "temporarily_unavailable" });
    expect((await limited.browser("192.0.2.10").open(limited.authorize())).status).toBe(200);
    await limited.close();
  });

  test("are answered with a page or an OAuth error without details when the service fails", async () => {
    await stage.world.tables.change("alter table clients rename to clients_away");
    const page = await browser.open(stage.authorize());
    expect(page).toMatchObject({ status: 500, headers: { "x-frame-options": "DENY" } });
    expect(page.text).toContain("<h1>Something went wrong</h1>");
    expect(page.text).not.toMatch(/clients_away|no such table|does not exist/);
    const answer = await stage.exchange({ code: "x" });
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({ error: "server_error", error_description: "internal error" });
    expect(stage.world.errors).toHaveLength(2);
  });
});
