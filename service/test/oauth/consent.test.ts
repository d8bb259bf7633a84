import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Visited } from "./support/browser.js";
import { createOAuthStage, type OAuthStage, PASSWORD, REDIRECT_URI } from "./support/stage.js";

let stage: OAuthStage;
let browser: Browser;
beforeAll(async () => {
  stage = await createOAuthStage();
  browser = stage.browser();
  await stage.signIn(browser);
});
afterAll(() => stage.close());

const decide = async (action: string, changes: Parameters<OAuthStage["authorize"]>[0] = {}) =>
  browser.submit(await browser.open(stage.authorize(changes)), action);

describe("allowing", () => {
  test("redirects the browser with a code and the state, by 303 and without caching", async () => {
    const { status, sent, headers, text } = await decide("allow");
    expect({ status, sent, text }).toEqual({
      status: 303,
      sent: { code: expect.stringMatching(/^[\w-]{43}$/), state: "state-1" },
      text: "",
    });
    expect(headers).toMatchObject({
      location: `${REDIRECT_URI}?code=${sent["code"]}&state=state-1`,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
  });

  test("issues a new code each time", async () => {
    const [first, second] = [await decide("allow"), await decide("allow")];
    expect(first.sent["code"]).not.toBe(second.sent["code"]);
  });

  test.each([
    "a b+c%20&d=e#f",
    "äöü 😀 \u202e",
    `"'<>\\`,
    "\r\nset-cookie: x=1",
    "x".repeat(4_000),
    "a=b&code=forged",
  ])("returns the state %j unchanged", async (state) => {
    const { sent, headers } = await decide("allow", { state });
    expect(sent["state"]).toBe(state);
    // Decoders that do not decode `+` get the same value.
    expect(decodeURIComponent(headers["location"]?.split("&state=")[1] ?? "")).toBe(state);
    expect((await decide("deny", { state })).sent["state"]).toBe(state);
  });

  test("returns no state if none was sent", async () => {
    expect(Object.keys((await decide("allow", { state: undefined })).sent)).toEqual(["code"]);
    expect(Object.keys((await decide("allow", { state: "" })).sent)).toEqual(["code"]);
  });

  test("redirects to the port of the request", async () => {
    const { headers } = await decide("allow", { redirect_uri: "http://127.0.0.1:49152/callback" });
    expect(headers["location"]).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?code=/);
  });

  test("keeps the query of the redirect URI", async () => {
    const redirect_uri = "https://board.example.org/callback?app=1";
    const client = await stage.world.service.admin.clients.add({ name: "Web", redirectUris: [redirect_uri] });
    const { headers } = await decide("allow", { client_id: client.client_id, redirect_uri });
    expect(headers["location"]).toMatch(/^https:\/\/board\.example\.org\/callback\?app=1&code=[\w-]+&state=/);
  });
});

test("denying redirects with access_denied and without a code", async () => {
  const { status, sent } = await decide("deny");
  expect(status).toBe(303);
  expect(sent).toEqual({
    error: "access_denied",
    error_description: "the user denied the request",
    state: "state-1",
  });
});

describe("the page", () => {
  const expectGuarded = ({ headers }: Visited) => {
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
    });
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self'[^;]*; frame-ancestors 'none'; base-uri 'none'$/,
    );
  };

  test("cannot be framed, cached or sniffed and sends no referrer", async () => {
    const fresh = stage.browser();
    expectGuarded(await fresh.open(stage.authorize()));
    expectGuarded(await fresh.submit(await fresh.open(stage.authorize()), "sign-in", { login: "x" }));
    expectGuarded(await browser.open(stage.authorize()));
    expectGuarded(await browser.open(stage.authorize({ client_id: "x" })));
    expectGuarded(await browser.request("PUT", stage.authorize()));
  });

  test("loads nothing", async () => {
    for (const page of [
      await stage.browser().open(stage.authorize()),
      await browser.open(stage.authorize()),
    ]) {
      expect(page.text).not.toMatch(/src=|href=|url\(|@import|<script/);
    }
  });

  test("lets the consent form lead only to the client's scheme, and the sign-in form nowhere else", async () => {
    const formAction = ({ headers }: Visited) =>
      /form-action ([^;]*);/.exec(headers["content-security-policy"] ?? "")?.[1];
    expect(formAction(await stage.browser().open(stage.authorize()))).toBe("'self'");
    expect(formAction(await browser.open(stage.authorize()))).toBe("'self' http:");
    for (const [uri, scheme] of [
      ["com.example.board:/callback", "com.example.board:"],
      ["https://board.example.org/callback", "https:"],
    ] as const) {
      const { client_id } = await stage.world.service.admin.clients.add({ name: "App", redirectUris: [uri] });
      const page = await browser.open(stage.authorize({ client_id, redirect_uri: uri }));
      expect(formAction(page)).toBe(`'self' ${scheme}`);
    }
  });

  test("shows client, user and destination as text", async () => {
    const name = `<img src=x onerror="alert('1')">`;
    const { users, clients } = stage.world.service.admin;
    await users.add({ name: `${name}&`, login: "hostile", password: PASSWORD });
    const redirect_uri = "https://board.example.org:8443/callback";
    const { client_id } = await clients.add({ name, redirectUris: [redirect_uri] });
    const other = stage.browser();
    const target = stage.authorize({ client_id, redirect_uri });
    const signIn = await other.open(target);
    const consent = await other.follow(
      await other.submit(signIn, "sign-in", { login: "hostile", password: PASSWORD }),
    );
    for (const page of [signIn, consent]) {
      expect(page.text).toContain("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;</bdi>");
      expect(page.text).not.toContain("<img");
    }
    expect(consent.text).toContain("&quot;&gt;&amp;</bdi>");
    expect(consent.text).toContain("(<bdi>hostile</bdi>)");
    expect(consent.text).toContain("<bdi>board.example.org:8443</bdi>");
  });
});
