import type { ServiceClient } from "../../../admin/credentials.js";
import type { Service } from "../../../service.js";
import { sendInProcess } from "../../support/send.js";
import { createWorld, type World, type WorldOptions } from "../../support/world.js";
import { type Browser, createBrowser, type Visited } from "./browser.js";

export const PASSWORD = "correct horse battery";
export const REDIRECT_URI = "http://127.0.0.1:8788/callback";

/** RFC 7636 appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export type Fields = Readonly<Record<string, string | undefined>>;

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A service, a client that is registered there, and `member`, who has a password. */
export interface OAuthStage {
  readonly world: World;
  readonly client: ServiceClient & { readonly client_secret: string };
  /** The target of an authorization request; undefined drops a parameter. */
  authorize(changes?: Fields): string;
  browser(address?: string): Browser;
  /** Opens the sign-in page, signs in as `member` and follows to the consent page. */
  signIn(browser: Browser, target?: string): Promise<Visited>;
  /** An authorization code that a signed-in user allowed. */
  code(browser: Browser, changes?: Fields): Promise<string>;
  /** Sends the contract's token request, optionally to another service on the database. */
  exchange(changes: Readonly<Record<string, unknown>>, service?: Service): Promise<TokenAnswer>;
  /** Sends a body to the token endpoint. */
  postToken(
    body: string,
    headers?: Readonly<Record<string, string>>,
    service?: Service,
  ): Promise<TokenAnswer>;
  /** The status of a request to the API with a token. */
  use(token: unknown): Promise<number>;
  close(): Promise<void>;
}

export async function createOAuthStage(options: WorldOptions = {}): Promise<OAuthStage> {
  const world = await createWorld(options);
  const { users, clients } = world.service.admin;
  await users.setPassword("member", PASSWORD);
  const client = await clients.add({ name: "Board", redirectUris: [REDIRECT_URI] });
  const send = sendInProcess(world.service);
  const stage: OAuthStage = {
    world,
    client,
    authorize: (changes = {}) =>
      target({
        client_id: client.client_id,
        redirect_uri: REDIRECT_URI,
        response_type: "code",
        state: "state-1",
        ...changes,
      }),
    browser: (address = "192.0.2.1") => createBrowser(sendInProcess(world.service, address)),
    async signIn(browser, page = stage.authorize()) {
      const credentials = { login: "member", password: PASSWORD };
      const signedIn = await browser.submit(await browser.open(page), "sign-in", credentials);
      return browser.follow(signedIn);
    },
    async code(browser, changes = {}) {
      const { sent } = await browser.submit(await browser.open(stage.authorize(changes)), "allow");
      return sent["code"] ?? "";
    },
    exchange: (changes, service) =>
      stage.postToken(
        JSON.stringify({
          client_id: client.client_id,
          client_secret: client.client_secret,
          redirect_uri: REDIRECT_URI,
          grant_type: "authorization_code",
          ...changes,
        }),
        undefined,
        service,
      ),
    async postToken(body, headers = { "content-type": "application/json" }, service = world.service) {
      const response = await sendInProcess(service)({
        method: "POST",
        target: "/oauth/token",
        headers,
        body: new TextEncoder().encode(body),
      });
      return { ...response, json: JSON.parse(new TextDecoder().decode(response.body)) };
    },
    async use(token) {
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await send({ method: "GET", target: "/user", headers, body: new Uint8Array() });
      return status;
    },
    close: () => world.close(),
  };
  return stage;
}

function target(parameters: Fields): string {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}
