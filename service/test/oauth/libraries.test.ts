import * as openid from "openid-client";
import { AuthorizationCode } from "simple-oauth2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen, type ServiceListener } from "../../listen.js";
import { sendOverSocket } from "../support/send.js";
import { createBrowser } from "./support/browser.js";
import { CHALLENGE, createOAuthStage, type OAuthStage, REDIRECT_URI, VERIFIER } from "./support/stage.js";

/** Sign-ins by OAuth libraries as they are shipped, over a socket. */

let stage: OAuthStage;
let listener: ServiceListener;
beforeAll(async () => {
  stage = await createOAuthStage();
  listener = await listen(stage.world.service, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await listener.close();
  await stage.close();
});

/** Does what the user does in the browser, and returns where the browser is sent. */
async function allowInBrowser(authorizationUrl: URL): Promise<URL> {
  const browser = createBrowser(sendOverSocket(listener.baseUrl));
  const consent = await stage.signIn(browser, `${authorizationUrl.pathname}${authorizationUrl.search}`);
  const { headers } = await browser.submit(consent, "allow");
  return new URL(headers["location"] ?? "");
}

async function expectMember(response: Response): Promise<void> {
  expect(await response.json()).toMatchObject({ data: { id: stage.world.member.id } });
}

function configure(authentication?: openid.ClientAuth): openid.Configuration {
  const server = {
    issuer: listener.baseUrl,
    authorization_endpoint: `${listener.authUrl}/authorize`,
    token_endpoint: `${listener.authUrl}/token`,
  };
  const { client_id, client_secret } = stage.client;
  const config = new openid.Configuration(server, client_id, client_secret, authentication);
  openid.allowInsecureRequests(config);
  return config;
}

describe("openid-client signs in", () => {
  test.each([
    ["with the secret in the form, as it does by default", undefined],
    ["with HTTP Basic", openid.ClientSecretBasic],
  ])("%s", async (_, authentication) => {
    const config = configure(authentication?.(stage.client.client_secret));
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const authorizationUrl = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    });
    const callback = await allowInBrowser(authorizationUrl);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const { access_token } = await openid.authorizationCodeGrant(config, callback, checks);
    const url = new URL(`${listener.baseUrl}/user`);
    await expectMember(await openid.fetchProtectedResource(config, access_token, url, "GET"));
  });
});

test("openid-client understands why a client is refused", async () => {
  const callback = new URL(`${REDIRECT_URI}?code=x&state=s`);
  const grant = openid.authorizationCodeGrant(configure(openid.ClientSecretBasic("wrong")), callback, {
    expectedState: "s",
  });
  await expect(grant).rejects.toMatchObject({
    name: "WWWAuthenticateChallengeError",
    cause: [{ scheme: "basic" }],
  });
});

describe("simple-oauth2 signs in", () => {
  test.each([
    ["with HTTP Basic, as it does by default", {}],
    ["with the secret in JSON", { authorizationMethod: "body", bodyFormat: "json" }],
  ] as const)("%s", async (_, options) => {
    const client = new AuthorizationCode({
      client: { id: stage.client.client_id, secret: stage.client.client_secret },
      auth: { tokenHost: listener.baseUrl },
      options,
    });
    const authorizationUrl = client.authorizeURL({
      redirect_uri: REDIRECT_URI,
      state: "state-2",
      ...{ code_challenge: CHALLENGE, code_challenge_method: "S256" },
    });
    const { searchParams } = await allowInBrowser(new URL(authorizationUrl));
    expect(searchParams.get("state")).toBe("state-2");
    const { token } = await client.getToken({
      code: searchParams.get("code") ?? "",
      redirect_uri: REDIRECT_URI,
      ...{ code_verifier: VERIFIER },
    });
    const headers = { authorization: `Bearer ${token["access_token"]}` };
    await expectMember(await fetch(`${listener.baseUrl}/user`, { headers }));
  });
});
