import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBrowser } from "./support/browser.js";
import { createOAuthStage, type OAuthStage, PASSWORD } from "./support/stage.js";

const MINUTE = 60_000;
const PUBLIC = "https://calendars.example.org";
const LOOPBACK = "http://127.0.0.1:8787";

let stage: OAuthStage;
beforeAll(async () => {
  stage = await createOAuthStage();
});
afterAll(() => stage.close());
beforeEach(() => {
  // Attempts of another test no longer count.
  stage.world.clock.now += 15 * MINUTE;
});

/** A browser that sends these headers to a service at a URL. */
const browserWith = (baseUrl: string, headers: Readonly<Record<string, string>>) =>
  createBrowser((request) =>
    stage.world.service.handle(
      { ...request, headers: { ...request.headers, ...headers } },
      { kind: "network", address: "192.0.2.1", baseUrl },
    ),
  );

describe("the sign-in pages", () => {
  test.each([
    [PUBLIC, "calendars.example.org"],
    [PUBLIC, "Calendars.Example.ORG"],
    [PUBLIC, "calendars.example.org:443"],
    ["https://example.org:8443/calendars", "example.org:8443"],
    [LOOPBACK, "127.0.0.1:8787"],
    [LOOPBACK, "localhost:8787"],
    [LOOPBACK, "[::1]:8787"],
    ["http://[::1]:8787", "127.0.0.1:8787"],
    ["http://localhost:80", "localhost"],
  ])("of %s are shown at the host %j", async (baseUrl, host) => {
    const page = await browserWith(baseUrl, { host }).open(stage.authorize());
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("current-password") });
  });

  test.each([
    [PUBLIC, { host: "evil.example" }],
    [PUBLIC, { host: "calendars.example.org:8443" }],
    [PUBLIC, { host: "calendars.example.org:80" }],
    [PUBLIC, { host: "calendars.example.org." }],
    [PUBLIC, { host: "sub.calendars.example.org" }],
    [PUBLIC, { host: "evil@calendars.example.org" }],
    [PUBLIC, { host: "calendars.example.org/x" }],
    [PUBLIC, { host: "calendars.example.org\\evil" }],
    [PUBLIC, { host: "127.0.0.1:8787" }],
    [PUBLIC, { host: "evil.example", "x-forwarded-host": "calendars.example.org" }],
    [PUBLIC, { host: "" }],
    [PUBLIC, {}],
    [LOOPBACK, { host: "127.0.0.1" }],
    [LOOPBACK, { host: "127.0.0.1:8788" }],
    [LOOPBACK, { host: "evil.example:8787" }],
    [LOOPBACK, { host: "127.0.0.1.evil.example:8787" }],
    ["https://[2001:db8::1]:8787", { host: "127.0.0.1:8787" }],
  ])("of %s are 421 with %j", async (baseUrl, headers) => {
    const page = await browserWith(baseUrl, headers).open(stage.authorize());
    expect(page).toMatchObject({
      status: 421,
      sent: {},
      headers: { "content-type": "text/html; charset=utf-8" },
    });
    expect(page.headers).not.toHaveProperty("set-cookie");
    expect(page.text).not.toContain("<form");
    expect(page.text).not.toContain("evil");
  });

  test("and every other are 400 with two hosts", async () => {
    const browser = browserWith(PUBLIC, { host: "calendars.example.org, calendars.example.org" });
    expect((await browser.open(stage.authorize())).status).toBe(400);
    expect((await browser.open("/user")).status).toBe(400);
  });

  test("believe an absolute target rather than the Host header", async () => {
    const open = (origin: string, host: string) =>
      browserWith(PUBLIC, { host }).request("GET", `${origin}${stage.authorize()}`);
    expect((await open("http://evil.example", "calendars.example.org")).status).toBe(421);
    expect((await open(PUBLIC, "evil.example")).status).toBe(200);
  });

  test("accept no form at another host", async () => {
    const browser = browserWith(PUBLIC, { host: "calendars.example.org" });
    const page = await browser.open(stage.authorize());
    const evil = browserWith(PUBLIC, { host: "evil.example" });
    evil.cookie = browser.cookie;
    const answer = await evil.submit(page, "sign-in", { login: "member", password: PASSWORD });
    expect(answer).toMatchObject({ status: 421, sent: {} });
  });

  test("are the only ones with a host: the API and the token endpoint have any", async () => {
    const any = browserWith(PUBLIC, { host: "127.0.0.1:8787", authorization: `Bearer ${stage.world.token}` });
    expect((await any.open("/user")).status).toBe(200);
    expect((await any.request("POST", "/oauth/token")).status).toBe(401);
  });
});

describe("a form", () => {
  const host = "calendars.example.org";
  const submit = async (headers: Readonly<Record<string, string>>) => {
    const browser = browserWith(PUBLIC, { host });
    const page = await browser.open(stage.authorize());
    const sender = browserWith(PUBLIC, { host, ...headers });
    sender.cookie = browser.cookie;
    return sender.submit(page, "sign-in", { login: "member", password: PASSWORD });
  };

  test.each([
    [{}],
    [{ origin: PUBLIC }],
    [{ origin: PUBLIC, "sec-fetch-site": "same-origin" }],
    [{ "sec-fetch-site": "same-origin" }],
    [{ "sec-fetch-site": "none" }],
  ])("that comes with %j is accepted", async (headers) => {
    expect((await submit(headers)).status).toBe(303);
  });

  test.each([
    [{ origin: "null" }],
    [{ origin: "" }],
    [{ origin: "https://evil.example" }],
    [{ origin: "http://calendars.example.org" }],
    [{ origin: `${PUBLIC}:8443` }],
    [{ origin: `${PUBLIC}.evil.example` }],
    [{ origin: `${PUBLIC}, https://evil.example` }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
    [{ origin: PUBLIC, "sec-fetch-site": "cross-site" }],
    [{ origin: "https://evil.example", "sec-fetch-site": "same-origin" }],
  ])("that comes with %j is not, whatever its token", async (headers) => {
    const answer = await submit(headers);
    expect(answer).toMatchObject({ status: 403, sent: {} });
    expect(answer.text).toContain("was not sent by this page");
    expect(answer.text).not.toContain('value="allow"');
  });

  test.each(["allow", "deny", "switch"])("of another site does not %s in the user's name", async (action) => {
    const browser = browserWith(PUBLIC, { host });
    const page = await stage.signIn(browser);
    const evil = browserWith(PUBLIC, { host, origin: "https://evil.example" });
    evil.cookie = browser.cookie;
    expect(await evil.submit(page, action)).toMatchObject({ status: 403, sent: {} });
    expect((await browser.submit(page, "allow")).sent).toHaveProperty("code");
  });

  test("may come from any spelling of loopback, but from the one that the page has", async () => {
    const browser = browserWith(LOOPBACK, { host: "localhost:8787" });
    const page = await browser.open(stage.authorize());
    const post = (origin: string) => {
      const sender = browserWith(LOOPBACK, { host: "localhost:8787", origin });
      sender.cookie = browser.cookie;
      return sender.submit(page, "sign-in", { login: "member", password: PASSWORD });
    };
    expect((await post(LOOPBACK)).status).toBe(403);
    expect((await post("http://localhost:8787")).status).toBe(303);
  });
});

describe("a new sign-in", () => {
  test("ends the session that the browser had", async () => {
    const browser = stage.browser();
    const page = await stage.signIn(browser);
    const before = browser.cookie;
    const again = await browser.submit(page, "sign-in", { login: "member", password: PASSWORD });
    expect(again.status).toBe(303);
    expect(browser.cookie).not.toBe(before);
    expect((await browser.open(stage.authorize())).text).toContain('value="allow"');
    const old = stage.browser();
    old.cookie = before;
    expect((await old.open(stage.authorize())).text).not.toContain('value="allow"');
  });

  test("that fails does not, nor does that of another browser", async () => {
    const [browser, other] = [stage.browser(), stage.browser("192.0.2.2")];
    const page = await stage.signIn(browser);
    await browser.submit(page, "sign-in", { login: "member", password: "wrong" });
    await stage.signIn(other);
    expect((await browser.open(stage.authorize())).text).toContain('value="allow"');
  });
});
