import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHALLENGE, createOAuthStage, type OAuthStage, REDIRECT_URI, VERIFIER } from "./support/stage.js";

let stage: OAuthStage;
beforeAll(async () => {
  stage = await createOAuthStage();
});
afterAll(() => stage.close());

describe("a request with a wrong client or redirect URI", () => {
  const EVIL = "https://evil.example/";
  test.each([
    ["without a client", { client_id: undefined }, "no client_id"],
    ["with an empty client", { client_id: "" }, "no client_id"],
    ["of an unknown client", { client_id: "0123456789abcdef" }, "0123456789abcdef"],
    ["without a redirect URI", { redirect_uri: undefined }, "no redirect_uri"],
    ["to an unregistered URI", { redirect_uri: EVIL }, "is not registered for “Board”"],
  ])("%s shows a page with the reason and does not redirect", async (_, changes, message) => {
    // Whatever other errors the request has.
    for (const more of [{}, { response_type: "token" }, { response_type: undefined }]) {
      const page = await stage.browser().open(stage.authorize({ ...changes, ...more }));
      expect(page).toMatchObject({ status: 400, sent: {} });
      expect(page.headers).toMatchObject({ "content-type": "text/html; charset=utf-8" });
      expect(page.headers).not.toHaveProperty("location");
      expect(page.headers).not.toHaveProperty("set-cookie");
      expect(page.text).toContain(message);
      expect(page.text).not.toContain("<form");
    }
  });

  test.each(["client_id", "redirect_uri"])(
    "is rejected when it repeats %s, even with the same value",
    async (name) => {
      const target = stage.authorize();
      const value = new URL(target, "http://x").searchParams.get(name) ?? "";
      for (const second of [value, EVIL, ""]) {
        const page = await stage.browser().open(`${target}&${name}=${encodeURIComponent(second)}`);
        expect(page).toMatchObject({ status: 400, sent: {} });
        expect(page.text).toContain(`more than one ${name}`);
      }
    },
  );

  test.each(["%zz", "%", "%FF", "%C3%28"])(
    "is rejected when it contains %s, which is not percent-encoded UTF-8",
    async (text) => {
      const page = await stage.browser().open(`${stage.authorize({ state: undefined })}&state=${text}`);
      expect(page).toMatchObject({ status: 400, sent: {} });
    },
  );

  test("is shown as text", async () => {
    const redirect_uri = `https://evil.example/"><script>alert('1')</script>&amp;`;
    const { text } = await stage.browser().open(stage.authorize({ redirect_uri }));
    expect(text).toContain("&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;");
    expect(text).not.toContain("<script");
  });

  test("does not redirect to a client that was removed", async () => {
    const { clients } = stage.world.service.admin;
    const { id, client_id } = await clients.add({ name: "Brief", redirectUris: [REDIRECT_URI] });
    expect((await stage.browser().open(stage.authorize({ client_id }))).status).toBe(200);
    await clients.remove(id);
    expect((await stage.browser().open(stage.authorize({ client_id }))).status).toBe(400);
  });
});

describe("a request with another error", () => {
  test.each([
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["an empty response type", { response_type: "" }, "invalid_request"],
    ["an implicit one", { response_type: "token" }, "unsupported_response_type"],
    ["two", { response_type: "code token" }, "unsupported_response_type"],
    ["a method without a challenge", { code_challenge_method: "S256" }, "invalid_request"],
  ])("is reported to the client: %s", async (_, changes, error) => {
    for (const method of ["GET", "POST"]) {
      const answer = await stage.browser().request(method, stage.authorize(changes));
      expect(answer).toMatchObject({ status: 303, sent: { error, state: "state-1" } });
      expect(answer.headers["location"]).toMatch(
        /^http:\/\/127\.0\.0\.1:8788\/callback\?error=\w+&error_description=[^&]+&state=state-1$/,
      );
      expect(answer.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    }
  });

  test.each([
    ["response_type", "code"],
    ["code_challenge", CHALLENGE],
    ["code_challenge_method", "S256"],
  ])("is reported to the client: repeated %s", async (name, value) => {
    const target = stage.authorize({ code_challenge: CHALLENGE, code_challenge_method: "S256" });
    const { sent } = await stage.browser().open(`${target}&${name}=${value}`);
    expect(sent).toMatchObject({ error: "invalid_request", state: "state-1" });
    expect(sent["error_description"]).toContain(name);
  });

  test("is reported without a state when the state is repeated", async () => {
    const { sent } = await stage.browser().open(`${stage.authorize()}&state=state-2`);
    expect(Object.keys(sent).sort()).toEqual(["error", "error_description"]);
  });

  test("is reported at the port of the request", async () => {
    const redirect_uri = "http://127.0.0.1:49152/callback";
    const { headers } = await stage.browser().open(stage.authorize({ redirect_uri, response_type: "x" }));
    expect(headers["location"]).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?error=/);
  });
});

describe("a valid request", () => {
  test.each([
    ["as it is", {}],
    ["without a state", { state: undefined }],
    ["with S256", { code_challenge: CHALLENGE, code_challenge_method: "S256" }],
    ["with a plain challenge", { code_challenge: VERIFIER }],
    ["with unknown parameters", { scope: "calendars", prompt: "login", nonce: "1" }],
    ["at another port", { redirect_uri: "http://127.0.0.1:1/callback" }],
  ])("%s shows the sign-in page", async (_, changes) => {
    const page = await stage.browser().open(stage.authorize(changes));
    expect(page).toMatchObject({ status: 200 });
    expect(page.text).toContain('autocomplete="current-password"');
    expect(page.text).toContain("<bdi>Board</bdi>");
  });
});

describe("the endpoint", () => {
  test.each(["PUT", "DELETE", "OPTIONS", "HEAD"])("rejects %s", async (method) => {
    expect(await stage.browser().request(method, stage.authorize())).toMatchObject({
      status: 405,
      headers: { allow: "GET, POST" },
    });
  });

  test.each(["/oauth//", "/oauth/authorize/", "/oauth/Authorize", "//oauth/authorize", "/authorize"])(
    "%s does not belong to the authorization server",
    async (target) => {
      const { status, headers } = await stage.browser().open(target);
      expect(status).toBe(404);
      expect(headers["content-type"]).toBe("application/problem+json");
    },
  );

  test("is found by a target in absolute form", async () => {
    expect((await stage.browser().open(`http://127.0.0.1:8787${stage.authorize()}`)).status).toBe(200);
  });

  test.each(["/oauth/authorize", "/oauth/token"])("%s is unknown in-process", async (target) => {
    const { service, member } = stage.world;
    const { status } = await service.handle(
      { method: target.endsWith("token") ? "POST" : "GET", target, headers: {}, body: new Uint8Array() },
      { kind: "local", userId: member.id },
    );
    expect(status).toBe(404);
  });
});
