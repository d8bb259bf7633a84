import type { ProblemStatus } from "../../contract/problem.js";
import { addToken } from "../admin/credentials.js";
import { jsonResponse, ProblemError, type ServiceResponse } from "../http/response.js";
import { hashSecret, sameSecret } from "../secrets.js";
import { redeemCode, revokeTokenOfCode, setTokenOfCode } from "../store/clients.js";
import type { AuthorizationCodeRow, ClientRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import type { OAuthContext, OAuthEndpoint } from "./endpoint.js";
import { type CodeChallenge, matchesChallenge } from "./pkce.js";
import { findClient, isPublic } from "./public-client.js";
import {
  parseTokenRequest,
  refusal,
  type TokenRefusal,
  type TokenRequest,
  usesBasic,
} from "./token-request.js";

/** The token endpoint redeems an authorization code for an access token. @see RFC 6749 §4.1.3, contract section 5 */
export const tokenEndpoint: OAuthEndpoint = {
  respond: respondWithToken,
  respondWithProblem: problemAsOAuthError,
};

/** @throws ProblemError 400 or 413 when the body cannot be read, 405 unless the method is POST */
async function respondWithToken(context: OAuthContext): Promise<ServiceResponse> {
  const { request, now } = context;
  if (request.method !== "POST") throw new ProblemError(405, { headers: { allow: "POST" } });
  const exchanged = await exchange(context);
  if (exchanged.kind === "token") {
    const created_at = Math.floor(now / 1000);
    return tokenResponse(200, { access_token: exchanged.token, created_at, token_type: "Bearer" });
  }
  const { error, description } = exchanged;
  const challenged = error === "invalid_client" && usesBasic(request.headers["authorization"]);
  return oauthErrorResponse(error, description, challenged ? { headers: BASIC_CHALLENGE } : {});
}

/** @see RFC 6749 §5.2 */
const BASIC_CHALLENGE = { "www-authenticate": 'Basic realm="calctl"' } as const;

async function exchange({
  request,
  store,
  now,
  publicClient,
}: OAuthContext): Promise<TokenRefusal | { readonly kind: "token"; readonly token: string }> {
  const parsed = parseTokenRequest(request);
  if (parsed.kind === "refusal") return parsed;
  const { client_id, client_secret, grant_type } = parsed.request;
  const client = await store.read((db) => findClient(db, client_id, { publicClient }));
  if (!isSecretOf(client, client_secret)) {
    return refusal("invalid_client", "the client is unknown or its secret is wrong");
  }
  if (grant_type !== "authorization_code") {
    return refusal("unsupported_grant_type", "grant_type must be authorization_code");
  }
  const token = await store.write((db) => redeem(db, { client, request: parsed.request, now }), {
    scope: ["tokens"],
  });
  if (token !== null) return { kind: "token", token };
  return refusal(
    "invalid_grant",
    "the code is unknown, expired or used, or redirect_uri or code_verifier does not match it",
  );
}

/** Takes the same time for an unknown client. @param secret undefined for none, which the public client alone may send */
function isSecretOf(client: ClientRow | undefined, secret: string | undefined): client is ClientRow {
  if (client !== undefined && isPublic(client)) return secret === undefined;
  const matches = sameSecret(hashSecret(secret ?? ""), client?.secret_hash ?? "");
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

type TokenErrorCode = TokenRefusal["error"] | "server_error" | "temporarily_unavailable";

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
