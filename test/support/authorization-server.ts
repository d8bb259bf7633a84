import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One token request as it came over the socket. */
interface TokenRequest {
  readonly contentType: string | undefined;
  readonly body: Readonly<Record<string, string>>;
}

/** A service with an authorization server as strict as RFC 6749, RFC 7636 and the contract, which can be made to misbehave. */
export interface AuthorizationServer {
  readonly origin: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Tokens that GET /user accepts. */
  readonly tokens: Set<string>;
  readonly tokenRequests: TokenRequest[];
  /** Requests to GET /user, by their token. */
  readonly userRequests: string[];
  /** Acts as the user in the browser and returns the URL of the redirect; a real browser is redirected. */
  consent(address: string): string;
  /** Responds to the token request itself. */
  onToken(answer: (response: ServerResponse) => void): void;
  /** Responds to GET /user itself, or lets the service respond. */
  onUser(answer: (response: ServerResponse, decide: () => void) => void): void;
}

/** The name of a profile after its service. */
export function hostName({ origin }: AuthorizationServer): string {
  return `127.0.0.1-${new URL(origin).port}`;
}

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
}

type Answer = (response: ServerResponse) => void;
type UserAnswer = (response: ServerResponse, decide: () => void) => void;

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const clientId = "client-1";
  const clientSecret = `secret-${randomBytes(8).toString("hex")}`;
  const grants = new Map<string, Grant>();
  const tokens = new Set<string>();
  const tokenRequests: TokenRequest[] = [];
  const userRequests: string[] = [];
  const answers: { token?: Answer; user?: UserAnswer } = {};

  const redeem = (body: Readonly<Record<string, string>>): Reply => {
    const grant = grants.get(body["code"] ?? "");
    grants.delete(body["code"] ?? "");
    if (body["client_id"] !== clientId || body["client_secret"] !== clientSecret) {
      return { status: 401, json: { error: "invalid_client" } };
    }
    const challenge = createHash("sha256")
      .update(body["code_verifier"] ?? "")
      .digest("base64url");
    const proven = grant !== undefined && grant.challenge === challenge;
    if (
      !proven ||
      grant.redirectUri !== body["redirect_uri"] ||
      body["grant_type"] !== "authorization_code"
    ) {
      return { status: 400, json: { error: "invalid_grant" } };
    }
    const token = `token-${randomBytes(16).toString("hex")}`;
    tokens.add(token);
    return { status: 200, json: { access_token: token, created_at: 1_795_270_000, token_type: "Bearer" } };
  };

  const takeTokenRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readText(request)) as Record<string, string>;
    tokenRequests.push({ contentType: request.headers["content-type"], body });
    if (answers.token === undefined) reply(response, redeem(body));
    else answers.token(response);
  };
  const takeUserRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    userRequests.push(token);
    const decide = () => reply(response, tokens.has(token) ? USER : REFUSED);
    if (answers.user === undefined) decide();
    else answers.user(response, decide);
  };
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const consent = (address: string): string => {
    const url = new URL(address);
    const redirectUri = url.searchParams.get("redirect_uri") ?? "";
    if (`${url.origin}${url.pathname}` !== `${origin()}/oauth/authorize`)
      throw new Error(`not here: ${address}`);
    if (url.searchParams.get("client_id") !== clientId) throw new Error("unknown client");
    if (url.searchParams.get("response_type") !== "code") throw new Error("no code is asked for");
    if (url.searchParams.get("code_challenge_method") !== "S256") throw new Error("no S256");
    const code = randomBytes(16).toString("hex");
    grants.set(code, { redirectUri, challenge: url.searchParams.get("code_challenge") ?? "" });
    const state = url.searchParams.get("state") ?? "";
    return `${redirectUri}?${new URLSearchParams({ code, state })}`;
  };
  const server = createServer(async (request, response) => {
    const asked = `${request.method} ${request.url}`;
    if (asked === "POST /oauth/token") await takeTokenRequest(request, response);
    else if (asked === "GET /api/user") takeUserRequest(request, response);
    else if (asked.startsWith("GET /oauth/authorize?")) {
      response.writeHead(302, { location: consent(`${origin()}${request.url}`) }).end();
    } else reply(response, { status: 404, json: {} });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    origin: origin(),
    baseUrl: `${origin()}/api`,
    authUrl: `${origin()}/oauth`,
    clientId,
    clientSecret,
    tokens,
    tokenRequests,
    userRequests,
    consent,
    onToken: (answer) => {
      answers.token = answer;
    },
    onUser: (answer) => {
      answers.user = answer;
    },
  };
}

interface Reply {
  readonly status: number;
  readonly json: unknown;
}

const USER: Reply = {
  status: 200,
  json: {
    data: {
      id: "1234",
      type: "user",
      attributes: { name: "Ana Maria", description: "", image_url: "https://images.example/1" },
    },
  },
};

const REFUSED: Reply = { status: 401, json: { type: "about:blank", title: "Unauthorized", status: 401 } };

function reply(response: ServerResponse, { status, json }: Reply): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(json));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
