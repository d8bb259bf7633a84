import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { ServiceResponse } from "../../service/http/response.js";
import { listen } from "../../service/listen.js";
import type { ServiceRequest } from "../../service/request.js";
import type { Service } from "../../service/service.js";
import { createBrowser } from "../../service/test/oauth/support/browser.js";
import { createOAuthStage, type OAuthStage, PASSWORD } from "../../service/test/oauth/support/stage.js";
import { type Certificate, createCertificate } from "../../service/test/support/certificate.js";
import { eventBody, feedBody, SCHEDULE } from "../../service/test/support/event-bodies.js";
import { readPage } from "../support/docs-pages.js";
import { describeWithSystem } from "../support/system.js";
import { startExample } from "./support/nginx.js";

/** The service behind nginx, as examples/nginx.conf and examples/calctl.service set them up. */

const MIB = 1024 * 1024;

/** A client of the proxy. */
interface Client {
  send(request: ServiceRequest): Promise<ServiceResponse>;
  /** Resolves when the head of the response has arrived. Nothing of its body is read until then. */
  open(request: ServiceRequest): Promise<IncomingMessage>;
}

/** The flags with which the unit starts the service. */
function proxyFlags() {
  const unit = readPage("examples/calctl.service");
  const [, publicUrl = "", trustProxy = ""] = /--public-url (\S+) --trust-proxy (\S+)/.exec(unit) ?? [];
  return { publicUrl, trustProxy, host: "127.0.0.1" };
}

async function startProxied(service: Service): Promise<Client> {
  const { host, publicUrl, trustProxy } = proxyFlags();
  const listener = await listen(service, { host, port: 0, publicUrl, trustProxy });
  onTestFinished(() => listener.close());
  const certificate = createCertificate({ subject: new URL(publicUrl).hostname });
  const port = await startNginx(listener.address, certificate);
  const open = ({ method, target, headers, body }: ServiceRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = httpsRequest({
        host,
        port,
        method,
        path: target,
        agent: false,
        ca: certificate.cert,
        servername: certificate.subject,
        // As browsers send them.
        headers: { host: certificate.subject, origin: publicUrl, ...headers },
      });
      request.on("error", reject);
      request.on("response", resolve);
      request.end(body);
    });
  return { open, send: async (request) => read(await open(request)) };
}

async function read(response: IncomingMessage): Promise<ServiceResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
}

/** Starts nginx with the file of the examples. @returns its port */
function startNginx(upstream: string, certificate: Certificate): Promise<number> {
  return startExample("examples/nginx.conf", { certificate, places: { "127.0.0.1:8787": upstream } });
}

async function createStage(limit = 1000): Promise<OAuthStage> {
  const stage = await createOAuthStage({ rateLimit: { limit, windowSeconds: 600 } });
  onTestFinished(() => stage.close());
  return stage;
}

function get(target: string, headers: Readonly<Record<string, string>> = {}): ServiceRequest {
  return { method: "GET", target, headers, body: new Uint8Array() };
}

function textOf({ body }: ServiceResponse): string {
  return new TextDecoder().decode(body);
}

describeWithSystem("nginx", "behind nginx,", () => {
  test("a client signs in, gets a token and writes an event with it", async () => {
    const { world, authorize, client } = await createStage();
    const { send } = await startProxied(world.service);
    const browser = createBrowser(send);
    const signInPage = await browser.open(authorize());
    const credentials = { login: "member", password: PASSWORD };
    const signedIn = await browser.submit(signInPage, "sign-in", credentials);
    expect(signedIn.headers["set-cookie"]).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
    const consentPage = await browser.follow(signedIn);
    const { sent } = await browser.submit(consentPage, "allow");
    const { client_id, client_secret, redirect_uris } = client;
    const exchange = await send({
      method: "POST",
      target: "/oauth/token",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new TextEncoder().encode(
        String(
          new URLSearchParams({
            grant_type: "authorization_code",
            code: sent["code"] ?? "",
            redirect_uri: redirect_uris[0] ?? "",
            client_id,
            client_secret,
          }),
        ),
      ),
    });
    const authorization = `Bearer ${JSON.parse(textOf(exchange)).access_token}`;
    const events = `/calendars/${world.calendarId}/events`;
    const created = await send({
      method: "POST",
      target: events,
      headers: { authorization, "content-type": "application/json" },
      body: new TextEncoder().encode(JSON.stringify(eventBody(SCHEDULE))),
    });
    expect(created).toMatchObject({ status: 201, headers: { "x-request-id": expect.any(String) } });
    const { id } = JSON.parse(textOf(created)).data;
    const event = await send(get(`${events}/${id}`, { authorization }));
    expect(JSON.parse(textOf(event)).data.attributes).toMatchObject({ title: SCHEDULE.title });
  });

  test("a feed is compressed for who asks, and its guesses are counted by the client's address", async () => {
    const { world } = await createStage();
    const { send } = await startProxied(world.service);
    const made = await send({
      method: "POST",
      target: "/feeds",
      headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
      body: new TextEncoder().encode(JSON.stringify(feedBody([world.calendarId]))),
    });
    const path = `/feeds/${JSON.parse(textOf(made)).data.attributes.secret}`;
    const file = await send(get(`${path}.ics`, { "accept-encoding": "gzip" }));
    expect(file).toMatchObject({ status: 200, headers: { "content-encoding": "gzip" } });
    expect(gunzipSync(file.body).toString()).toContain("X-WR-CALNAME:Family");
    const known = { "if-none-match": file.headers["etag"] ?? "" };
    expect((await send(get(`${path}.ics`, known))).status).toBe(304);
    expect(textOf(await send(get(path)))).toContain("<h1>Family</h1>");
    for (let count = 0; count < 20; count += 1) expect((await send(get(`${path}x`))).status).toBe(404);
    expect((await send(get(path))).status).toBe(429);
    const elsewhere = { kind: "network", address: "192.0.2.1" } as const;
    expect((await world.service.handle(get(path), elsewhere)).status).toBe(200);
  });

  test("requests keep their target and host, get the client's address, and do not close the connection", async () => {
    const { world } = await createStage();
    const received: unknown[] = [];
    const { send } = await startProxied({
      ...world.service,
      handle: async ({ method, target, headers }, source) => {
        received.push({ method, target, headers, address: source.kind === "network" && source.address });
        return { status: 204, headers: {}, body: new Uint8Array() };
      },
    });
    const target = "//calendars/a%2Fb/../?days=7&include=%20";
    await send(get(target, { "x-forwarded-for": "198.51.100.1" }));
    const headers = {
      host: "calendar.example",
      origin: "https://calendar.example",
      "x-forwarded-for": "127.0.0.1",
    };
    expect(received).toEqual([{ method: "GET", target, headers, address: "127.0.0.1" }]);
  });

  test("forged addresses do not evade the rate limit", async () => {
    const { world } = await createStage(2);
    const { send } = await startProxied(world.service);
    const statuses: number[] = [];
    for (const address of ["198.51.100.1", "198.51.100.2", "198.51.100.3, 203.0.113.9"]) {
      const { status } = await send(get("/user", { "x-forwarded-for": address }));
      statuses.push(status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });

  test("responses of 12 KB and 5 MiB arrive whole", async () => {
    const { world } = await createStage();
    const bodyOf = (target: string) => Buffer.alloc(Number(target.slice(1)), "0123456789");
    const { send } = await startProxied({
      ...world.service,
      handle: async ({ target }) => ({ status: 200, headers: {}, body: bodyOf(target) }),
    });
    for (const size of [12_000, 5 * MIB]) {
      const { body } = await send(get(`/${size}`));
      expect(bodyOf(`/${size}`).equals(body)).toBe(true);
    }
  });

  test("what clients do not read counts against them, and arrives whole", async () => {
    const { world } = await createStage();
    const body = Buffer.alloc(30 * MIB);
    const { open, send } = await startProxied({
      ...world.service,
      handle: async (request, source) => {
        const response = await world.service.handle(request, source);
        return response.status === 429 ? response : { status: 200, headers: {}, body };
      },
    });
    const unread = [await open(get("/")), await open(get("/"))];
    expect(await send(get("/"))).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    for (const response of unread) expect((await read(response)).body.byteLength).toBe(body.byteLength);
  });

  test("the service itself says that a body is too large", async () => {
    const { world } = await createStage();
    const { send } = await startProxied(world.service);
    const refused = await send({
      method: "POST",
      target: `/calendars/${world.calendarId}/events`,
      headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
      body: new Uint8Array(1.5 * MIB),
    });
    expect(refused.status).toBe(413);
    expect(JSON.parse(textOf(refused)).errors).toContain("1048576 bytes");
  });
});
