import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.js";
import { openService } from "../../service.js";
import { checkStore } from "../../store/check.js";
import { copyStore } from "../../store/copy.js";
import { openStore } from "../../store/open.js";
import { request } from "../support/send.js";
import { NOW } from "../support/world.js";
import { type Browser, createBrowser } from "./support/browser.js";
import { CHALLENGE, createOAuthStage, type Fields, type OAuthStage, VERIFIER } from "./support/stage.js";

const REDIRECT = "http://127.0.0.1:49152/callback";
const REQUEST: Fields = {
  client_id: "calctl",
  redirect_uri: REDIRECT,
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
};
const EXCHANGE = {
  client_id: "calctl",
  client_secret: undefined,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
};

let stage: OAuthStage;
let browser: Browser;
beforeAll(async () => {
  // Another service opens it.
  stage = await createOAuthStage();
  browser = stage.browser();
  await stage.signIn(browser);
});
afterAll(() => stage.close());

const redeem = async (changes: Fields = {}) =>
  stage.exchange({ ...EXCHANGE, code: await stage.code(browser, REQUEST), ...changes });

describe("the public client", () => {
  test("gets a token with PKCE and no secret, also a second one, in JSON and by a form", async () => {
    const { status, json } = await redeem();
    expect(status).toBe(200);
    expect(await stage.use(json["access_token"])).toBe(200);
    const { client_secret: _, ...sent } = { ...EXCHANGE, grant_type: "authorization_code" };
    const form = new URLSearchParams({ ...sent, code: await stage.code(browser, REQUEST) });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expect(await stage.postToken(form.toString(), type)).toMatchObject({ status: 200 });
  });

  test.each([
    ["no verifier", { code_verifier: undefined }, 400, "invalid_grant"],
    ["another verifier", { code_verifier: "x".repeat(43) }, 400, "invalid_grant"],
    ["a secret", { client_secret: "any" }, 401, "invalid_client"],
    ["another port", { redirect_uri: "http://127.0.0.1:49153/callback" }, 400, "invalid_grant"],
  ])("gets no token with %s", async (_, changes, status, error) => {
    expect(await redeem(changes)).toMatchObject({ status, json: { error } });
  });

  test("leaves other clients their secret", async () => {
    const code = await stage.code(browser);
    expect(await stage.exchange({ code, client_secret: undefined })).toMatchObject({
      status: 401,
      json: { error: "invalid_client", error_description: "client_secret is missing" },
    });
    const foreign = await stage.code(browser, REQUEST);
    expect(await stage.exchange({ ...EXCHANGE, ...registered(), code: foreign })).toMatchObject({
      status: 400,
      json: { error: "invalid_grant" },
    });
  });

  test.each([
    ["no challenge", { code_challenge: undefined, code_challenge_method: undefined }],
    ["plain", { code_challenge: VERIFIER, code_challenge_method: "plain" }],
    ["plain by default", { code_challenge: VERIFIER, code_challenge_method: undefined }],
  ])("is refused with %s", async (_, changes) => {
    const { status, sent } = await browser.open(stage.authorize({ ...REQUEST, ...changes }));
    expect({ status, sent }).toEqual({
      status: 303,
      sent: {
        error: "invalid_request",
        error_description: "this client needs a code_challenge with the method S256",
        state: "state-1",
      },
    });
  });

  test.each(["http://127.0.0.1:1/callback", "http://[::1]:8788/callback"])(
    "returns to %s, and the page says that it is a program on this computer",
    async (redirect_uri) => {
      const page = await browser.open(stage.authorize({ ...REQUEST, redirect_uri }));
      expect(page.status).toBe(200);
      expect(page.text).toContain("<bdi>calctl</bdi></strong>, a program on this computer, wants to act");
    },
  );

  test.each(["http://localhost:8788/callback", "http://127.0.0.1:8788/", "https://app.example/callback"])(
    "does not return to %s",
    async (redirect_uri) => {
      const { status, sent } = await browser.open(stage.authorize({ ...REQUEST, redirect_uri }));
      expect({ status, sent }).toEqual({ status: 400, sent: {} });
    },
  );

  test("the sign-in page names it", async () => {
    const page = await stage.browser().open(stage.authorize(REQUEST));
    expect(page.text).toContain("to <strong><bdi>calctl</bdi></strong>, a program on this computer.");
  });

  test("is none of those that an operator lists and removes, and its tokens are", async () => {
    const { clients, tokens } = stage.world.service.admin;
    const before = await tokens.list();
    const { json } = await redeem();
    expect((await clients.list()).map(({ name }) => name)).toEqual(["Board"]);
    await expect(clients.remove("calctl")).rejects.toMatchObject({ code: "not_found" });
    const made = (await tokens.list()).filter(({ id }) => !before.some((token) => token.id === id));
    expect(made).toMatchObject([{ user_id: stage.world.member.id, read_only: false }]);
    await tokens.revoke(made[0]?.id ?? "");
    expect(await stage.use(json["access_token"])).toBe(401);
  });

  test("is no fault of a database, and its tokens work in a copy", async () => {
    const { json } = await redeem();
    const folder = temporaryFolder();
    const database = join(folder, "copy.db");
    const quiet = { onProgress: () => undefined, signal: new AbortController().signal };
    const source = await openStore(stage.world.database, { readOnly: true });
    const target = await openStore(database, { migrate: false });
    try {
      expect((await checkStore(source, quiet)).filter(({ ok }) => !ok)).toEqual([]);
      await copyStore({ source, target }, quiet);
    } finally {
      await target.close();
      await source.close();
    }
    const copied = await openService({ database, now: () => NOW, rateLimit: null });
    const token = String(json["access_token"]);
    expect((await request({ service: copied, token }, "GET /user")).status).toBe(200);
    await copied.close();
  });

  test("a registered client that is called calctl is another one", async () => {
    const { clients } = stage.world.service.admin;
    const client = await clients.add({ name: "calctl", redirectUris: ["http://127.0.0.1/callback"] });
    const page = await browser.open(
      stage.authorize({ ...REQUEST, client_id: client.client_id, redirect_uri: "http://127.0.0.1/callback" }),
    );
    expect(page.text).not.toContain("a program on this computer,");
    expect(await redeem()).toMatchObject({ status: 200 });
    await clients.remove(client.id);
    expect(await redeem()).toMatchObject({ status: 200 });
  });

  test("is off where the operator turned it off, also for a code from before", async () => {
    const code = await stage.code(browser, REQUEST);
    const service = await openService({
      database: stage.world.database,
      now: () => NOW,
      rateLimit: null,
      publicClient: false,
    });
    try {
      expect(await stage.exchange({ ...EXCHANGE, code }, service)).toMatchObject({
        status: 401,
        json: { error: "invalid_client" },
      });
      const other = createBrowser((request) =>
        service.handle(request, { kind: "network", address: "192.0.2.1" }),
      );
      const page = await other.open(stage.authorize(REQUEST));
      expect(page).toMatchObject({ status: 400, text: expect.stringContaining("is registered") });
    } finally {
      await service.close();
    }
  });
});

test("a registered client with the client id calctl keeps it", async () => {
  const own = await createOAuthStage();
  try {
    await own.world.tables.change(`update clients set client_id = 'calctl' where id = '${own.client.id}'`);
    const ownBrowser = own.browser();
    const request = { client_id: "calctl" };
    const page = await own.signIn(ownBrowser, own.authorize(request));
    expect(page.text).toContain("<strong><bdi>Board</bdi></strong> wants to act");
    const code = await own.code(ownBrowser, request);
    expect(await own.exchange({ ...request, client_secret: undefined, code })).toMatchObject({ status: 401 });
    expect(await own.exchange({ ...request, code })).toMatchObject({ status: 200 });
  } finally {
    await own.close();
  }
});

function registered(): Fields {
  return { client_id: stage.client.client_id, client_secret: stage.client.client_secret };
}
