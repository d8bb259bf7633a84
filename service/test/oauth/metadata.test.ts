import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Service } from "../../service.js";
import { createOAuthStage, type OAuthStage } from "./support/stage.js";

const WELL_KNOWN = "/.well-known/oauth-authorization-server";

let stage: OAuthStage;
let closed: OAuthStage;
beforeAll(async () => {
  stage = await createOAuthStage();
  closed = await createOAuthStage({ publicClient: false });
});
afterAll(async () => {
  await stage.close();
  await closed.close();
});

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly baseUrl?: string;
  readonly host?: string;
  readonly isCertified?: (host: string) => boolean;
  readonly service?: Service;
}

async function send(sent: Sent = {}) {
  const { method = "GET", target = WELL_KNOWN, baseUrl = "http://127.0.0.1:8787", isCertified } = sent;
  const { service = stage.world.service, host = new URL(baseUrl).host } = sent;
  const response = await service.handle(
    { method, target, headers: { host }, body: new Uint8Array() },
    { kind: "network", address: "192.0.2.1", baseUrl, isCertified },
  );
  return { ...response, text: new TextDecoder().decode(response.body) };
}

const metadata = async (sent: Sent = {}) => JSON.parse((await send(sent)).text);

describe("the metadata", () => {
  test("names the endpoints below the base URL, what they take, and the public client", async () => {
    const { status, headers } = await send();
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: "application/json; charset=utf-8",
    });
    expect(await metadata()).toEqual({
      issuer: "http://127.0.0.1:8787",
      authorization_endpoint: "http://127.0.0.1:8787/oauth/authorize",
      token_endpoint: "http://127.0.0.1:8787/oauth/token",
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      code_challenge_methods_supported: ["S256", "plain"],
      calctl_client_id: "calctl",
    });
  });

  test("does not offer the public client where it is off", async () => {
    const { token_endpoint_auth_methods_supported: methods, ...rest } = await metadata({
      service: closed.world.service,
    });
    expect(methods).toEqual(["client_secret_basic", "client_secret_post"]);
    expect(rest).not.toHaveProperty("calctl_client_id");
  });

  test.each([
    ["the path of the issuer, as RFC 8414 has it", `${WELL_KNOWN}/calendar`],
    ["what a proxy leaves of the address below the public URL", WELL_KNOWN],
  ])("of a service under a path is at %s", async (_, target) => {
    expect(await metadata({ baseUrl: "https://example.org/calendar", target })).toMatchObject({
      issuer: "https://example.org/calendar",
      authorization_endpoint: "https://example.org/calendar/oauth/authorize",
      token_endpoint: "https://example.org/calendar/oauth/token",
    });
  });

  test.each([
    ["http://127.0.0.1:8787", `${WELL_KNOWN}/calendar`],
    ["https://example.org/calendar", `${WELL_KNOWN}/other`],
    ["https://example.org/calendar", `${WELL_KNOWN}/calendar/x`],
    ["https://example.org/calendar", `${WELL_KNOWN}x`],
  ])("of %s is not at %s", async (baseUrl, target) => {
    expect((await send({ baseUrl, target })).status).toBeGreaterThanOrEqual(401);
  });

  test("has the name that the client used as its issuer, if the service has that name", async () => {
    expect(await metadata({ host: "localhost:8787" })).toMatchObject({ issuer: "http://localhost:8787" });
    const tls = { baseUrl: "https://0.0.0.0:8787", isCertified: (host: string) => host === "cal.example" };
    expect(await metadata({ ...tls, host: "cal.example:8787" })).toMatchObject({
      issuer: "https://cal.example:8787",
    });
    expect(await send({ ...tls, host: "evil.example:8787" })).toMatchObject({
      status: 421,
      headers: { "content-type": "application/problem+json" },
    });
  });

  test("takes HEAD, and nothing that writes", async () => {
    expect(await send({ method: "HEAD" })).toMatchObject({ status: 200, text: "" });
    expect(await send({ method: "POST" })).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });
});

describe("the auth URL in a browser", () => {
  test.each(["/oauth", "/oauth/"])("%s is a page that says what it is", async (target) => {
    const { status, headers, text } = await send({ target });
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: "text/html; charset=utf-8",
    });
    expect(headers).toMatchObject({ "x-frame-options": "DENY", "cache-control": "no-store" });
    expect(text).toContain("<h1>Sign-in of a calendar service</h1>");
    expect(text).toContain("<code>calctl login --base-url http://127.0.0.1:8787</code>");
    expect(text).not.toContain("client id");
  });

  test("says what else calctl asks for where the public client is off", async () => {
    const { text } = await send({ target: "/oauth", service: closed.world.service });
    expect(text).toContain("client id and its secret");
  });

  test("takes only reads, at the address of the service", async () => {
    expect(await send({ target: "/oauth", method: "POST" })).toMatchObject({ status: 405 });
    const elsewhere = await send({ target: "/oauth", host: "evil.example" });
    expect(elsewhere).toMatchObject({
      status: 421,
      text: expect.stringContaining("This is not the address of the service"),
    });
  });
});
