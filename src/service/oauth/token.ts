import * as v from "valibot";
import { isJsonObject } from "../../contract/json.js";
import { tokenRequestSchema } from "../../contract/oauth.js";
import type { ProblemStatus } from "../../contract/problem.js";
import { addToken } from "../admin/credentials.js";
import { parseJsonBody } from "../http/content.js";
import { jsonResponse, ProblemError, type ServiceResponse } from "../http/response.js";
import { hashSecret, sameSecret } from "../secrets.js";
import { findClient, redeemCode, revokeTokenOfCode, setTokenOfCode } from "../store/clients.js";
import type { AuthorizationCodeRow, ClientRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import type { OAuthContext, OAuthEndpoint } from "./endpoint.js";
import { type CodeChallenge, matchesChallenge } from "./pkce.js";

/** The token endpoint redeems an authorization code for an access token. @see RFC 6749 §4.1.3, contract section 5 */
export const tokenEndpoint: OAuthEndpoint = {
  respond: respondWithToken,
  respondWithProblem: problemAsOAuthError,
};

/** @throws ProblemError 400 or 413 when the body is not JSON or too large, 405 unless the method is POST */
async function respondWithToken({ request, store, now }: OAuthContext): Promise<ServiceResponse> {
  if (request.method !== "POST") throw new ProblemError(405, { headers: { allow: "POST" } });
  const parsed = parseTokenRequest(parseJsonBody(request.body, request.headers));
  if (parsed.kind === "invalid") return oauthErrorResponse(parsed.error, parsed.problem);
  const { client_id, client_secret } = parsed.request;
  const client = await store.read((db) => findClient(db, client_id));
  if (!isSecretOf(client, client_secret)) {
    return oauthErrorResponse("invalid_client", "the client is unknown or its secret is wrong");
  }
  if (parsed.request.grant_type !== "authorization_code") {
    return oauthErrorResponse("unsupported_grant_type", "grant_type must be authorization_code");
  }
  const token = await store.write((db) => redeem(db, { client, request: parsed.request, now }));
  if (token === null) {
    return oauthErrorResponse(
      "invalid_grant",
      "the code is unknown, expired or used, or redirect_uri or code_verifier does not match it",
    );
  }
  return tokenResponse(200, {
    access_token: token,
    created_at: Math.floor(now / 1000),
    token_type: "Bearer",
  });
}

/** Takes the same time for an unknown client. */
function isSecretOf(client: ClientRow | undefined, secret: string): client is ClientRow {
  const matches = sameSecret(hashSecret(secret), client?.secret_hash ?? "");
  return client !== undefined && matches;
}

interface Redemption {
  readonly client: ClientRow;
  readonly request: TokenRequest;
  readonly now: number;
}

/** Redeems a code for a token; null if it is invalid. Every attempt uses the code up, even one with a wrong verifier. */
async function redeem(db: Transaction, { client, request, now }: Redemption): Promise<string | null> {
  const { code, redirect_uri, code_verifier } = request;
  const row = await redeemCode(db, client.id, { code, now });
  if (row === undefined) {
    await revokeTokenOfCode(db, client.id, code);
    return null;
  }
  if (row.redirect_uri !== redirect_uri || !matchesChallenge(code_verifier, challengeOf(row))) return null;
  const { id, token } = await addToken(db, { userId: row.user_id, readOnly: false, now, client: client.id });
  await setTokenOfCode(db, code, id);
  return token;
}

function challengeOf({ code_challenge, code_challenge_method }: AuthorizationCodeRow): CodeChallenge | null {
  if (code_challenge === null || code_challenge_method === null) return null;
  return { value: code_challenge, method: code_challenge_method };
}

/** The contract's request, but with any grant type: another one gets its own error. */
const requestSchema = v.object({ ...tokenRequestSchema.entries, grant_type: v.string() });

type TokenRequest = v.InferOutput<typeof requestSchema>;

type ParsedTokenRequest =
  | { readonly kind: "request"; readonly request: TokenRequest }
  | {
      readonly kind: "invalid";
      readonly error: "invalid_request" | "invalid_client";
      readonly problem: string;
    };

/** Parses the body of a token request. Missing client credentials are `invalid_client`. @see RFC 6749 §5.2 */
function parseTokenRequest(body: unknown): ParsedTokenRequest {
  const invalid = (problem: string, error: "invalid_request" | "invalid_client" = "invalid_request") =>
    ({ kind: "invalid", error, problem }) as const;
  if (!isJsonObject(body)) return invalid("the body must be a JSON object");
  for (const name of CREDENTIALS) {
    if (isMissing(body[name])) return invalid(`${name} is missing`, "invalid_client");
  }
  const missing = REQUIRED.find((name) => isMissing(body[name]));
  if (missing !== undefined) return invalid(`${missing} is missing`);
  const request = v.safeParse(requestSchema, dropMissing(body));
  if (request.success) return { kind: "request", request: request.output };
  return invalid(`${v.getDotPath(request.issues[0])} must be text`);
}

const CREDENTIALS = ["client_id", "client_secret"] as const;
const REQUIRED = ["grant_type", "code", "redirect_uri"] as const;

/** A parameter without a value is treated as omitted. @see RFC 6749 §3.2 */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function dropMissing(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isMissing(value)));
}

/** A response of the token endpoint, which must not be cached. @see RFC 6749 §5.1 */
function tokenResponse(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  const response = jsonResponse(status, body);
  const privacy = { "cache-control": "no-store", pragma: "no-cache", "x-content-type-options": "nosniff" };
  return { ...response, headers: { ...response.headers, ...privacy, ...headers } };
}

type TokenErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "server_error"
  | "temporarily_unavailable";

/** @param description must not contain quotation marks or backslashes @see RFC 6749 §5.2 */
function oauthErrorResponse(
  error: TokenErrorCode,
  description: string,
  { status = error === "invalid_client" ? 401 : 400, headers }: Partial<Omit<ServiceResponse, "body">> = {},
): ServiceResponse {
  return tokenResponse(status, { error, error_description: description }, headers);
}

/** The token endpoint has no codes of its own for these: some are those of the authorization endpoint. */
const PROBLEM_ERRORS: Partial<Record<ProblemStatus, readonly [TokenErrorCode, string]>> = {
  405: ["invalid_request", "the method must be POST"],
  429: ["temporarily_unavailable", "too many requests"],
  500: ["server_error", "internal error"],
  503: ["temporarily_unavailable", "the service is busy"],
};

function problemAsOAuthError({ status, errors, headers }: ProblemError): ServiceResponse {
  const description = typeof errors === "string" ? errors : "the request is invalid";
  const [error, text] = PROBLEM_ERRORS[status] ?? (["invalid_request", description] as const);
  return oauthErrorResponse(error, text, { status, headers });
}
