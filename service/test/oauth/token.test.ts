import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openService } from "../../service.js";
import { sendInProcess } from "../support/send.js";
import { NOW } from "../support/world.js";
import { type Browser, createBrowser } from "./support/browser.js";
import {
  CHALLENGE,
  createOAuthStage,
  type Fields,
  type OAuthStage,
  REDIRECT_URI,
  type TokenAnswer,
  VERIFIER,
} from "./support/stage.js";

const MINUTE = 60_000;
const S256 = { code_challenge: CHALLENGE, code_challenge_method: "S256" } as const;

let stage: OAuthStage;
let browser: Browser;
beforeAll(async () => {
  stage = await createOAuthStage();
  browser = stage.browser();
  await stage.signIn(browser);
});
afterAll(() => stage.close());

const FORM = { "content-type": "application/x-www-form-urlencoded" } as const;

const failure = (error: string, status = 400) => ({
  status,
  json: { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
});

function expectUnstored({ headers }: TokenAnswer) {
  expect(headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    pragma: "no-cache",
  });
}

describe("a code", () => {
  test("is redeemed for a token of the user, exactly as in the contract", async () => {
    const answer = await stage.exchange({ code: await stage.code(browser) });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^cal_[\w-]{43}$/),
      created_at: NOW / 1000,
      token_type: "Bearer",
    });
    expectUnstored(answer);
    expect(await stage.use(answer.json["access_token"])).toBe(200);
  });

  test("returns a creation time in whole seconds", async () => {
    stage.world.clock.now = NOW + 1_999;
    const { json } = await stage.exchange({ code: await stage.code(browser) });
    expect(json["created_at"]).toBe(NOW / 1000 + 1);
  });

  test("expires after ten minutes", async () => {
    const [early, late] = [await stage.code(browser), await stage.code(browser)];
    stage.world.clock.now += 10 * MINUTE - 1;
    expect((await stage.exchange({ code: early })).status).toBe(200);
    stage.world.clock.now += 1;
    expect(await stage.exchange({ code: late })).toMatchObject(failure("invalid_grant"));
  });

  test("can be redeemed once, and redeeming it again revokes its token", async () => {
    const code = await stage.code(browser);
    const other = await stage.exchange({ code: await stage.code(browser) });
    const { json } = await stage.exchange({ code });
    expect(await stage.exchange({ code })).toMatchObject(failure("invalid_grant"));
    expect(await stage.use(json["access_token"])).toBe(401);
    expect(await stage.use(other.json["access_token"])).toBe(200);
  });

  test("revokes its token also when it is redeemed again after it expired", async () => {
    const code = await stage.code(browser);
    const { json } = await stage.exchange({ code });
    stage.world.clock.now += 60 * MINUTE;
    await stage.code(browser);
    expect(await stage.exchange({ code })).toMatchObject(failure("invalid_grant"));
    expect(await stage.use(json["access_token"])).toBe(401);
  });

  test("of another client is invalid, and remains valid for its own", async () => {
    const code = await stage.code(browser);
    const other = await stage.world.service.admin.clients.add({
      name: "Other",
      redirectUris: [REDIRECT_URI],
    });
    const stolen = { code, client_id: other.client_id, client_secret: other.client_secret };
    expect(await stage.exchange(stolen)).toMatchObject(failure("invalid_grant"));
    const { json } = await stage.exchange({ code });
    expect(await stage.exchange(stolen)).toMatchObject(failure("invalid_grant"));
    expect(await stage.use(json["access_token"])).toBe(200);
  });

  test("is not used up by a client with a wrong secret", async () => {
    const code = await stage.code(browser);
    expect(await stage.exchange({ code, client_secret: "wrong" })).toMatchObject(
      failure("invalid_client", 401),
    );
    expect((await stage.exchange({ code })).status).toBe(200);
  });

  test.each([
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:8789/callback" }],
    ["another port", { redirect_uri: "http://127.0.0.1/callback" }],
  ])("is rejected with %s and used up", async (_, changes) => {
    const code = await stage.code(browser);
    expect(await stage.exchange({ code, ...changes })).toMatchObject(failure("invalid_grant"));
    expect(await stage.exchange({ code })).toMatchObject(failure("invalid_grant"));
  });

  test("is bound to the port of the authorization request", async () => {
    const redirect_uri = "http://127.0.0.1:49152/callback";
    const code = await stage.code(browser, { redirect_uri });
    expect((await stage.exchange({ code, redirect_uri })).status).toBe(200);
  });
});

describe("PKCE", () => {
  test.each([
    ["S256", S256, VERIFIER],
    ["plain", { code_challenge: VERIFIER, code_challenge_method: "plain" }, VERIFIER],
  ])("%s is verified", async (_, challenge, code_verifier) => {
    const code = await stage.code(browser, challenge);
    expect((await stage.exchange({ code, code_verifier })).status).toBe(200);
  });

  test("rejects another verifier, and the code is used up", async () => {
    const code = await stage.code(browser, S256);
    for (const code_verifier of ["a".repeat(43), VERIFIER]) {
      expect(await stage.exchange({ code, code_verifier })).toMatchObject(failure("invalid_grant"));
    }
  });
});

/** Changes to a token request, its error and status. */
const REJECTED: readonly [string, Fields, string, number][] = [
  ["of an unknown client", { client_id: "0123456789abcdef" }, "invalid_client", 401],
  ["with another secret", { client_secret: "x".repeat(43) }, "invalid_client", 401],
  ["with a longer secret", { client_secret: "x".repeat(1_000) }, "invalid_client", 401],
  ["without a client", { client_id: undefined }, "invalid_client", 401],
  ["without a secret", { client_secret: undefined }, "invalid_client", 401],
  ["with an empty secret", { client_secret: "" }, "invalid_client", 401],
  ["without a grant type", { grant_type: undefined }, "invalid_request", 400],
  ["without a code", { code: undefined }, "invalid_request", 400],
  ["with an empty code", { code: "" }, "invalid_request", 400],
  ["without a redirect URI", { redirect_uri: undefined }, "invalid_request", 400],
  ["for a refresh token", { grant_type: "refresh_token" }, "unsupported_grant_type", 400],
  ["with a code that is none", { code: "no code" }, "invalid_grant", 400],
];

describe("a token request", () => {
  test.each(REJECTED)("%s is rejected", async (_, changes, error, status) => {
    const answer = await stage.exchange({ code: "x".repeat(43), ...changes });
    expect(answer).toMatchObject(failure(error, status));
    expectUnstored(answer);
  });

  test.each(["client_id", "client_secret", "redirect_uri", "code", "grant_type", "code_verifier"])(
    "must have text as its %s",
    async (name) => {
      const answer = await stage.exchange({ code: "x", code_verifier: VERIFIER, [name]: 1 });
      expect(answer).toMatchObject(failure("invalid_request"));
      expect(answer.json["error_description"]).toBe(`${name} must be text`);
    },
  );

  test.each([
    ["a form in another charset", "code=x", { "content-type": `${FORM["content-type"]}; charset=latin1` }],
    ["a compressed form", "code=x", { ...FORM, "content-encoding": "gzip" }],
    ["a form of parts", "code=x", { "content-type": "multipart/form-data; boundary=x" }],
    ["a form with half an escape", "client_id=%zz", FORM],
    ["a form with an escape that is not UTF-8", "client_id=%ff", FORM],
    ["no type", "{}", {}],
    ["text", "{}", { "content-type": "text/plain" }],
    ["another charset", "{}", { "content-type": "application/json; charset=latin1" }],
    ["broken JSON", "{", { "content-type": "application/json" }],
    ["nothing", "", { "content-type": "application/json" }],
    ["an array", "[]", { "content-type": "application/json" }],
    ["null", "null", { "content-type": "application/json" }],
    ["a string", '"code"', { "content-type": "application/json" }],
  ])("that is %s is invalid", async (_, body, headers) => {
    const answer = await stage.postToken(body, headers);
    expect(answer).toMatchObject(failure("invalid_request"));
    expectUnstored(answer);
  });

  test("may have unknown members and a charset", async () => {
    const { client_id, client_secret } = stage.client;
    const members = { client_id, client_secret, code: await stage.code(browser), scope: ["calendars"] };
    const body = JSON.stringify({ ...members, redirect_uri: REDIRECT_URI, grant_type: "authorization_code" });
    const type = { "content-type": "application/json; charset=utf-8" };
    expect((await stage.postToken(body, type)).status).toBe(200);
  });

  test.each([
    ["JSON", `"${"x".repeat(1024 * 1024)}"`, { "content-type": "application/json" }],
    ["a form", `code=${"x".repeat(1024 * 1024)}`, FORM],
  ])("that is too large is rejected as %s", async (_, body, headers) => {
    expect(await stage.postToken(body, headers)).toMatchObject(failure("invalid_request", 413));
  });

  test.each(["GET", "PUT", "OPTIONS"])("cannot be a %s", async (method) => {
    const { status, headers, text } = await stage.browser().request(method, "/oauth/token");
    expect({ status, allow: headers["allow"] }).toEqual({ status: 405, allow: "POST" });
    expect(JSON.parse(text)).toMatchObject({ error: "invalid_request" });
  });
});

/** The contract's request as a form; undefined drops a parameter. */
function form(changes: Fields, extra = ""): string {
  const { client_id, client_secret } = stage.client;
  const fields = { client_id, client_secret, redirect_uri: REDIRECT_URI, ...changes };
  const given = Object.entries({ grant_type: "authorization_code", ...fields });
  const sent = given.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${new URLSearchParams(sent)}${extra}`;
}

const WITHOUT_CREDENTIALS = { client_id: undefined, client_secret: undefined } as const;

function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` };
}

const ownBasic = () => basic(stage.client.client_id, stage.client.client_secret);

describe("a token request as a form", () => {
  test.each([
    ["", FORM],
    ["with a charset", { "content-type": 'Application/X-WWW-Form-Urlencoded; charset="UTF-8"' }],
  ])("%s is answered like JSON", async (_, headers) => {
    const answer = await stage.postToken(form({ code: await stage.code(browser) }), headers);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^cal_[\w-]{43}$/),
      created_at: Math.floor(stage.world.clock.now / 1000),
      token_type: "Bearer",
    });
    expectUnstored(answer);
    expect(await stage.use(answer.json["access_token"])).toBe(200);
  });

  test.each(REJECTED)("%s is rejected", async (_, changes, error, status) => {
    const answer = await stage.postToken(form({ code: "x".repeat(43), ...changes }), FORM);
    expect(answer).toMatchObject(failure(error, status));
    expect(answer.headers).not.toHaveProperty("www-authenticate");
    expectUnstored(answer);
  });

  test.each(["client_id", "client_secret", "redirect_uri", "code", "grant_type", "code_verifier"])(
    "must not repeat %s, which does not use the code up",
    async (name) => {
      const code = await stage.code(browser);
      for (const value of ["", "x"]) {
        const answer = await stage.postToken(form({ code, [name]: "x" }, `&${name}=${value}`), FORM);
        expect(answer).toMatchObject(failure("invalid_request"));
        expect(answer.json["error_description"]).toBe(`${name} was sent more than once`);
      }
      expect((await stage.postToken(form({ code }), FORM)).status).toBe(200);
    },
  );

  test("may have unknown parameters, even twice, and empty ones", async () => {
    const code = await stage.code(browser);
    const extra = "&scope=calendars&resource=a&resource=b&code_verifier=&&=&x";
    expect((await stage.postToken(form({ code }, extra), FORM)).status).toBe(200);
  });

  test("is found with a slash at the end of the path", async () => {
    const body = new TextEncoder().encode(form({ code: await stage.code(browser) }));
    const request = { method: "POST", headers: FORM, body };
    const send = sendInProcess(stage.world.service);
    expect((await send({ ...request, target: "/oauth/token//" })).status).toBe(404);
    expect((await send({ ...request, target: "/oauth/token/" })).status).toBe(200);
  });
});

describe("HTTP Basic", () => {
  const JSON_TYPE = { "content-type": "application/json" } as const;
  const jsonBody = (fields: Fields) =>
    JSON.stringify({ grant_type: "authorization_code", redirect_uri: REDIRECT_URI, ...fields });
  const encodeAll = (text: string) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

  test.each<[string, () => Record<string, string>]>([
    ["client id and secret", ownBasic],
    [
      "a scheme in another case",
      () => ({ authorization: ownBasic()["authorization"]?.replace("B", "b") ?? "" }),
    ],
    [
      "a form-urlencoded id and secret",
      () => basic(encodeAll(stage.client.client_id), encodeAll(stage.client.client_secret)),
    ],
  ])("authenticates the client by %s, in a form and in JSON", async (_, authorization) => {
    for (const client_id of [undefined, stage.client.client_id]) {
      const code = await stage.code(browser);
      const body = form({ ...WITHOUT_CREDENTIALS, client_id, code });
      const answer = await stage.postToken(body, { ...FORM, ...authorization() });
      expect(answer).toMatchObject({ status: 200 });
      const second = jsonBody({ client_id, code: await stage.code(browser) });
      expect((await stage.postToken(second, { ...JSON_TYPE, ...authorization() })).status).toBe(200);
    }
  });

  test.each<[string, () => Record<string, string>]>([
    ["another secret", () => basic(stage.client.client_id, "x".repeat(43))],
    ["an unknown client", () => basic("0123456789abcdef", stage.client.client_secret)],
    ["no secret", () => basic(stage.client.client_id, "")],
    ["no client", () => basic("", stage.client.client_secret)],
    ["no colon", () => ({ authorization: `Basic ${btoa(stage.client.client_id)}` })],
    ["half an escape", () => basic(stage.client.client_id, "%zz")],
    [
      "what is not UTF-8",
      () => ({ authorization: `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString("base64")}` }),
    ],
    ["what is not Base64", () => ({ authorization: "Basic !!!" })],
    ["nothing", () => ({ authorization: "Basic" })],
  ])("with %s is 401 with a challenge, and the code remains", async (_, authorization) => {
    const code = await stage.code(browser);
    const body = form({ ...WITHOUT_CREDENTIALS, code });
    const answer = await stage.postToken(body, { ...FORM, ...authorization() });
    expect(answer).toMatchObject(failure("invalid_client", 401));
    expect(answer.headers["www-authenticate"]).toBe('Basic realm="calctl"');
    expectUnstored(answer);
    expect((await stage.postToken(body, { ...FORM, ...ownBasic() })).status).toBe(200);
  });

  test("and a secret in the body are one too many, also if they are the same", async () => {
    const code = await stage.code(browser);
    for (const client_secret of [stage.client.client_secret, "other"]) {
      for (const [body, type] of [
        [form({ code, client_secret }), FORM],
        [jsonBody({ code, client_secret }), JSON_TYPE],
      ] as const) {
        const answer = await stage.postToken(body, { ...type, ...ownBasic() });
        expect(answer).toMatchObject(failure("invalid_request"));
        expect(answer.json["error_description"]).toContain("client_secret");
      }
    }
    expect((await stage.exchange({ code })).status).toBe(200);
  });

  test("of one client with the client_id of another is invalid", async () => {
    const code = await stage.code(browser);
    const body = form({ code, client_id: "0123456789abcdef", client_secret: undefined });
    expect(await stage.postToken(body, { ...FORM, ...ownBasic() })).toMatchObject(failure("invalid_request"));
    expect((await stage.exchange({ code })).status).toBe(200);
  });

  test("is the only scheme that counts: a Bearer token is ignored", async () => {
    const headers = { ...FORM, authorization: `Bearer ${stage.world.token}` };
    expect((await stage.postToken(form({ code: await stage.code(browser) }), headers)).status).toBe(200);
  });
});

describe("a code that is redeemed several times at once", () => {
  test("issues a single token, also when several services share a database", async () => {
    const shared = await createOAuthStage();
    const { service, database, clock } = shared.world;
    const second = await openService({ database, now: () => clock.now, rateLimit: null });
    const visitor = shared.browser();
    await shared.signIn(visitor);
    // Signed in at one service, requested from the other.
    const elsewhere = createBrowser(sendInProcess(second));
    elsewhere.cookie = visitor.cookie;
    const { sent } = await elsewhere.submit(await elsewhere.open(shared.authorize(S256)), "allow");
    const request = { code: sent["code"], code_verifier: VERIFIER };
    const answers = await Promise.all(Array.from({ length: 4 }, () => shared.exchange(request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    const again = await shared.exchange(request, second);
    expect(again).toMatchObject(failure("invalid_grant"));
    const token = answers.find(({ status }) => status === 200)?.json["access_token"];
    expect(await shared.use(token)).toBe(401);
    expect(await service.admin.tokens.list()).toHaveLength(2);
    await second.close();
    await shared.close();
  });
});
