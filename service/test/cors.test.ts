import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ROUTES, type Route } from "../../contract/routes.js";
import { describeWithSystem } from "../../test/support/system.js";
import type { ServiceResponse } from "../http/response.js";
import { listen, type ServiceListener } from "../listen.js";
import { type Chromium, launchChromium } from "./oauth/support/chromium.js";
import { createOAuthStage, type OAuthStage, REDIRECT_URI } from "./oauth/support/stage.js";
import { runSql } from "./support/database.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { sendOverSocket } from "./support/send.js";
import type { WorldOptions } from "./support/world.js";

const ORIGIN = "https://app.example";
const DEV = "http://localhost:5173";

let stage: OAuthStage;
let listener: ServiceListener;
async function start(options: WorldOptions): Promise<void> {
  stage = await createOAuthStage(options);
  listener = await listen(stage.world.service, { host: "127.0.0.1", port: 0 });
}
afterEach(async () => {
  await listener.close();
  await stage.close();
});

function send(method: string, target: string, headers: Readonly<Record<string, string>>, body = "") {
  return sendOverSocket(listener.baseUrl)({ method, target, headers, body: new TextEncoder().encode(body) });
}

const preflight = (target: string, method: string, origin: string) =>
  send("OPTIONS", target, {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization",
  });

/** The headers of a page's request with its token. */
const withToken = () => ({ origin: ORIGIN, authorization: `Bearer ${stage.world.token}` });

/** The headers of cross-origin resource sharing. */
function corsHeaders({ headers }: ServiceResponse): Record<string, string> {
  const names = Object.keys(headers).filter((name) => /^access-control-|^vary$/.test(name));
  return Object.fromEntries(names.map((name) => [name, headers[name] ?? ""]));
}

const ALLOWED = {
  "access-control-allow-origin": ORIGIN,
  "access-control-expose-headers":
    "x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id, etag, calendar-revision, calendar-extensions, idempotent-replayed",
  vary: "origin",
} as const;

describe("a preflight request of an allowed origin", () => {
  test.each<[string, string, string]>([
    ...Object.values<Route>(ROUTES).map(({ method, path }): [string, string, string] => [
      method,
      path.replaceAll(/\{\w+\}/g, "x"),
      Object.values<Route>(ROUTES)
        .filter((route) => route.path === path)
        .flatMap((route) => (route.method === "GET" ? ["GET", "HEAD"] : route.method))
        .join(", "),
    ]),
    ["GET", "/calendars/", "GET, HEAD"],
    ["POST", "/oauth/token", "POST"],
    ["GET", "/.well-known/oauth-authorization-server", "GET, HEAD"],
    ["POST", "/oauth/token/", "POST"],
    // So that the page can read the 404 or 400.
    ["GET", "/nowhere", "GET, HEAD, POST, PUT, DELETE"],
    ["GET", "/calendars/%zz", "GET, HEAD, POST, PUT, DELETE"],
  ])("%s %s is answered with 204 and %s", async (method, path, methods) => {
    await start({ cors: [DEV, ORIGIN] });
    const response = await preflight(path, method, ORIGIN);
    expect(response).toMatchObject({ status: 204, body: Buffer.alloc(0) });
    expect(corsHeaders(response)).toEqual({
      ...ALLOWED,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "authorization, content-type, accept, if-none-match, idempotency-key",
      "access-control-max-age": "600",
    });
    expect(response.headers["x-request-id"]).toBeDefined();
  });

  test("needs no token and is not counted", async () => {
    await start({ cors: [ORIGIN], rateLimit: { limit: 1, windowSeconds: 600 } });
    for (let count = 0; count < 5; count += 1) {
      const { status, headers } = await preflight("/user", "GET", ORIGIN);
      expect(status).toBe(204);
      expect(headers).not.toHaveProperty("x-ratelimit-limit");
    }
    const first = await send("GET", "/user", withToken());
    expect(first).toMatchObject({ status: 200, headers: { "x-ratelimit-remaining": "0" } });
  });
});

describe("a response to an allowed origin can be read there", () => {
  test("with 200, 201, 204, 400, 401, 404, 405, 406 and HEAD", async () => {
    await start({ cors: [ORIGIN] });
    const events = `/calendars/${stage.world.calendarId}/events`;
    const post = { "content-type": "application/json", ...withToken() };
    const body = JSON.stringify(eventBody(KEEP));
    const created = await send("POST", events, post, body);
    const { id } = JSON.parse(new TextDecoder().decode(created.body)).data;
    const responses = [
      created,
      await send("GET", "/user", withToken()),
      await send("HEAD", "/user", withToken()),
      await send("DELETE", `${events}/${id}`, withToken()),
      await send("POST", events, post, "{}"),
      await send("GET", "/user", { origin: ORIGIN }),
      await send("GET", "/nowhere", { origin: ORIGIN }),
      await send("OPTIONS", "/user", { origin: ORIGIN }),
      await send("GET", "/user", { ...withToken(), accept: "text/html" }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 204, 400, 401, 404, 405, 406]);
    for (const response of responses) expect(corsHeaders(response)).toEqual(ALLOWED);
  });

  test("with 429", async () => {
    await start({ cors: [ORIGIN], rateLimit: { limit: 1, windowSeconds: 600 } });
    await send("GET", "/user", withToken());
    const response = await send("GET", "/user", withToken());
    expect(response).toMatchObject({ status: 429, headers: { "retry-after": "600" } });
    expect(corsHeaders(response)).toEqual(ALLOWED);
  });

  test("with 500", async () => {
    await start({ cors: [ORIGIN], stored: true });
    runSql(stage.world.database, "drop table labels");
    const target = `/calendars/${stage.world.calendarId}/labels`;
    const response = await send("GET", target, withToken());
    expect(response.status).toBe(500);
    expect(corsHeaders(response)).toEqual(ALLOWED);
  });

  test("with a body that is too large", async () => {
    await start({ cors: [ORIGIN] });
    const headers = { "content-type": "application/json", ...withToken() };
    const target = `/calendars/${stage.world.calendarId}/events`;
    const response = await send("POST", target, headers, " ".repeat(1024 * 1024 + 1));
    expect(response.status).toBe(413);
    expect(corsHeaders(response)).toEqual(ALLOWED);
  });

  test("from the token endpoint, with a token and without", async () => {
    await start({ cors: [ORIGIN] });
    const browser = stage.browser();
    await stage.signIn(browser);
    const { client_id, client_secret } = stage.client;
    const headers = { origin: ORIGIN, "content-type": "application/x-www-form-urlencoded" };
    for (const [code, status] of [
      [await stage.code(browser), 200],
      ["x", 400],
    ] as const) {
      const grant = { grant_type: "authorization_code", redirect_uri: REDIRECT_URI, code };
      const body = new URLSearchParams({ client_id, client_secret, ...grant }).toString();
      const response = await send("POST", "/oauth/token", headers, body);
      expect(response.status).toBe(status);
      expect(corsHeaders(response)).toEqual(ALLOWED);
    }
  });
});

describe("no other origin reads anything", () => {
  test.each([
    ["another origin", "https://evil.example"],
    ["one that begins the same", "https://app.example.evil.example"],
    ["another port", "https://app.example:8443"],
    ["another scheme", "http://app.example"],
    ["another case", "https://APP.example"],
    ["null", "null"],
    ["*", "*"],
    ["two", `${ORIGIN}, https://evil.example`],
    ["none", undefined],
  ])("%s", async (_, origin) => {
    await start({ cors: [ORIGIN] });
    const { authorization } = withToken();
    const response = await send("GET", "/user", { authorization, ...(origin && { origin }) });
    expect(response.status).toBe(200);
    expect(corsHeaders(response)).toEqual({ vary: "origin" });
    if (origin === undefined) return;
    const refused = await preflight("/user", "GET", origin);
    expect(refused).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
    expect(corsHeaders(refused)).toEqual({ vary: "origin" });
  });

  test("the sign-in pages are for no origin", async () => {
    await start({ cors: [ORIGIN] });
    for (const [method, target] of [
      ["GET", stage.authorize()],
      ["GET", "/oauth/authorize"],
      ["GET", "/oauth"],
      ["POST", stage.authorize()],
      ["OPTIONS", stage.authorize()],
    ] as const) {
      const headers = { origin: ORIGIN, "access-control-request-method": "GET" };
      const response = await send(method, target, headers);
      expect(response.status).not.toBe(204);
      expect(corsHeaders(response)).toEqual({});
    }
  });

  test("without --cors nothing changes", async () => {
    await start({});
    expect(corsHeaders(await send("GET", "/user", withToken()))).toEqual({});
    const response = await preflight("/user", "GET", ORIGIN);
    expect(response).toMatchObject({ status: 405, headers: { "x-ratelimit-limit": "1000" } });
    expect(corsHeaders(response)).toEqual({});
  });
});

describeWithSystem("chromium", "a page in Chromium", () => {
  let chromium: Chromium;
  let pages: Server;
  let page: Page;
  beforeAll(async () => {
    pages = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>App</title>");
    }).listen(0, "127.0.0.1");
    await once(pages, "listening");
    chromium = await launchChromium();
    page = await chromium.context.newPage();
  });
  afterAll(async () => {
    await chromium.close();
    pages.close();
  });

  /** Calls the service from a page of an origin. Null: the browser did not let the page read the response. */
  async function fetchFrom(origin: string, path: string, init: object) {
    await page.goto(origin);
    const url = JSON.stringify(`${listener.baseUrl}${path}`);
    return page.evaluate<{ status: number; remaining: string | null; text: string } | null>(
      `fetch(${url}, ${JSON.stringify(init)}).then(
        async (response) => ({
          status: response.status,
          remaining: response.headers.get("x-ratelimit-remaining"),
          text: await response.text(),
        }),
        () => null,
      )`,
    );
  }

  test("reads and writes with its token where its origin is allowed, and nothing elsewhere", async () => {
    const { port } = pages.address() as AddressInfo;
    const [allowed, other] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    await start({ cors: [allowed] });
    const { authorization } = withToken();
    const headers = { authorization, "content-type": "application/json", accept: "application/json" };
    const read = { headers };
    expect(await fetchFrom(allowed, "/user", read)).toMatchObject({ status: 200, remaining: "999" });
    const body = JSON.stringify(eventBody(KEEP));
    const events = `/calendars/${stage.world.calendarId}/events`;
    const created = await fetchFrom(allowed, events, { method: "POST", headers, body });
    expect(created).toMatchObject({ status: 201, remaining: "998" });
    const event = `${events}/${JSON.parse(created?.text ?? "").data.id}`;
    expect(await fetchFrom(allowed, event, { method: "PUT", headers, body })).toMatchObject({ status: 200 });
    expect(await fetchFrom(allowed, event, { method: "DELETE", headers })).toMatchObject({ status: 204 });
    expect(await fetchFrom(allowed, event, read)).toMatchObject({ status: 404, remaining: "995" });
    expect(await fetchFrom(other, "/user", read)).toBeNull();
    expect(await fetchFrom(allowed, "/oauth/authorize", {})).toBeNull();
  });
});
