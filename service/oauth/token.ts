import * as v from "valibot";
import { isJsonObject } from "../../contract/json.js";
import { FORM_MEDIA_TYPE, JSON_MEDIA_TYPE } from "../../contract/media-types.js";
import { PUBLIC_CLIENT_ID, tokenRequestSchema } from "../../contract/oauth.js";
import type { ProblemStatus } from "../../contract/problem.js";
import { addToken } from "../admin/credentials.js";
import { decodeBody, parseJson } from "../http/content.js";
import { jsonResponse, ProblemError, type ServiceResponse } from "../http/response.js";
import type { ServiceRequest } from "../request.js";
import { hashSecret, sameSecret } from "../secrets.js";
import { type RedeemedCode, redeemCode, revokeTokenOfCode, setTokenOfCode } from "../store/clients.js";
import type { ClientRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import { decodeFormText, parseParameters } from "./authorization-request.js";
import type { OAuthContext } from "./context.js";
import { type CodeChallenge, matchesChallenge } from "./pkce.js";
import { findClient, isPublic } from "./public-client.js";

/** The contract's request, but with any grant type: another one gets its own error. The public client has no secret. */
const requestSchema = v.object({
  ...tokenRequestSchema.entries,
  client_secret: v.optional(v.string()),
  grant_type: v.string(),
});

type TokenRequest = v.InferOutput<typeof requestSchema>;

type TokenErrorCode = "invalid_request" | "invalid_client" | "invalid_grant" | "unsupported_grant_type";

/** Thrown for a request that gets no token. @see RFC 6749 §5.2 */
class TokenError extends ProblemError {
  readonly code: TokenErrorCode;

  /** @param description without quotation marks and backslashes */
  constructor(code: TokenErrorCode, description: string, headers: Readonly<Record<string, string>> = {}) {
    super(code === "invalid_client" ? 401 : 400, { errors: description, headers });
    this.code = code;
  }
}

/** The error for a client that is not authenticated. @see RFC 6749 §5.2 */
function invalidClient({ headers }: ServiceRequest, description: string): TokenError {
  const challenge = { "www-authenticate": 'Basic realm="calctl"' };
  return new TokenError("invalid_client", description, usesBasic(headers["authorization"]) ? challenge : {});
}

/**
 * Parses a token request: a form or JSON, with the client's credentials in it or by HTTP Basic. Unknown parameters are
 * ignored, and missing credentials are `invalid_client`.
 * @throws TokenError
 * @throws ProblemError 413, 400 when the body is neither a form nor JSON
 * @see RFC 6749 §2.3.1, §4.1.3, contract section 5
 */
function parseTokenRequest(request: ServiceRequest): TokenRequest {
  const { mediaType, text } = decodeBody(request.body, request.headers, [JSON_MEDIA_TYPE, FORM_MEDIA_TYPE]);
  const sent = mediaType === FORM_MEDIA_TYPE ? parseForm(text) : parseJson(text);
  if (!isJsonObject(sent)) throw new TokenError("invalid_request", "the body must be a JSON object");
  const parameters: Readonly<Record<string, unknown>> = { ...sent, ...basicCredentials(request, sent) };
  const { client_id, client_secret } = parameters;
  if (isMissing(client_id)) throw invalidClient(request, "client_id is missing");
  if (isMissing(client_secret) && client_id !== PUBLIC_CLIENT_ID) {
    throw invalidClient(request, "client_secret is missing");
  }
  const missing = REQUIRED.find((name) => isMissing(parameters[name]));
  if (missing !== undefined) throw new TokenError("invalid_request", `${missing} is missing`);
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => !isMissing(value)));
  const parsed = v.safeParse(requestSchema, given);
  if (parsed.success) return parsed.output;
  throw new TokenError("invalid_request", `${v.getDotPath(parsed.issues[0])} must be text`);
}

const REQUIRED = ["grant_type", "code", "redirect_uri"] as const;

/** A parameter without a value is treated as omitted. @see RFC 6749 §3.2 */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function parseForm(text: string): object {
  const { values, repeated } = parseParameters(text);
  const duplicate = Object.keys(requestSchema.entries).find((name) => repeated.has(name));
  if (duplicate !== undefined)
    throw new TokenError("invalid_request", `${duplicate} was sent more than once`);
  return Object.fromEntries(values);
}

/** Whether the client authenticates by HTTP Basic. Other schemes are ignored. */
function usesBasic(authorization: string | undefined): authorization is string {
  return /^basic(?: |$)/i.test(authorization ?? "");
}

/** A client authenticates in one way only, but may name itself in the body as well. @see RFC 6749 §2.3, §3.2.1 */
function basicCredentials(request: ServiceRequest, sent: Readonly<Record<string, unknown>>) {
  const { authorization } = request.headers;
  if (!usesBasic(authorization)) return {};
  if (!isMissing(sent["client_secret"])) {
    throw new TokenError(
      "invalid_request",
      "client_secret must be sent in the body or by HTTP Basic, not both",
    );
  }
  const credentials = parseBasic(authorization);
  if (credentials === null) {
    throw invalidClient(request, "the credentials are not the Base64 of client_id:client_secret");
  }
  if (!isMissing(sent["client_id"]) && sent["client_id"] !== credentials.client_id) {
    throw new TokenError("invalid_request", "client_id is another one than that of HTTP Basic");
  }
  return credentials;
}

/** Both parts are form-urlencoded before they are joined; null when malformed. @see RFC 6749 §2.3.1, RFC 7617 §2 */
function parseBasic(authorization: string) {
  const bytes = Buffer.from(authorization.slice("basic ".length), "base64");
  try {
    const [id, ...secret] = new TextDecoder("utf-8", { fatal: true }).decode(bytes).split(":");
    if (id === undefined || secret.length === 0) return null;
    return { client_id: decodeFormText(id), client_secret: decodeFormText(secret.join(":")) };
  } catch {
    return null;
  }
}

/**
 * The token endpoint redeems an authorization code for an access token.
 * @throws TokenError
 * @throws ProblemError 400 or 413 when the body cannot be read
 * @see RFC 6749 §4.1.3, contract section 5
 */
export async function issueToken({
  request,
  store,
  now,
  publicClient,
}: OAuthContext): Promise<ServiceResponse> {
  const parsed = parseTokenRequest(request);
  const client = await store.read((db) => findClient(db, parsed.client_id, { publicClient }));
  if (!isSecretOf(client, parsed.client_secret)) {
    throw invalidClient(request, "the client is unknown or its secret is wrong");
  }
  if (parsed.grant_type !== "authorization_code") {
    throw new TokenError("unsupported_grant_type", "grant_type must be authorization_code");
  }
  const token = await store.write((db) => redeem(db, { ...parsed, client, now }), {
    scope: ["tokens"],
  });
  if (token === null) {
    throw new TokenError(
      "invalid_grant",
      "the code is unknown, expired or used, or redirect_uri or code_verifier does not match it",
    );
  }
  const created_at = Math.floor(now / 1000);
  return tokenResponse(200, { access_token: token, created_at, token_type: "Bearer" });
}

/** Takes the same time for an unknown client. @param secret undefined for none, which the public client alone may send */
function isSecretOf(client: ClientRow | undefined, secret: string | undefined): client is ClientRow {
  if (client !== undefined && isPublic(client)) return secret === undefined;
  const matches = sameSecret(hashSecret(secret ?? ""), client?.secret_hash ?? "");
  return client !== undefined && matches;
}

type Redemption = TokenRequest & Pick<OAuthContext, "now"> & { readonly client: ClientRow };

/** Redeems a code for a token; null if it is invalid. Every attempt uses the code up, even one with a wrong verifier. */
async function redeem(db: Transaction, { client, now, code, ...sent }: Redemption): Promise<string | null> {
  const row = await redeemCode(db, client.id, { code, now });
  if (row === undefined) {
    await revokeTokenOfCode(db, client.id, code);
    return null;
  }
  if (row.redirect_uri !== sent.redirect_uri || !matchesChallenge(sent.code_verifier, challengeOf(row)))
    return null;
  const { id, token } = await addToken(db, { userId: row.user_id, readOnly: false, now, client: client.id });
  await setTokenOfCode(db, code, id);
  return token;
}

function challengeOf({ code_challenge, code_challenge_method }: RedeemedCode): CodeChallenge | null {
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
  return { ...response, headers: { ...response.headers, pragma: "no-cache", ...headers } };
}

/** Errors that have no code of their own here: some have the one of the authorization endpoint. */
const PROBLEM_ERRORS: Partial<Record<ProblemStatus, readonly [string, string]>> = {
  405: ["invalid_request", "the method must be POST"],
  429: ["temporarily_unavailable", "too many requests"],
  500: ["server_error", "internal error"],
  503: ["temporarily_unavailable", "the service is busy"],
};

/** A problem as the token endpoint reports it. @see RFC 6749 §5.2 */
export function oauthErrorResponse(problem: ProblemError): ServiceResponse {
  const { status, errors, headers } = problem;
  const sent = typeof errors === "string" ? errors : "the request is invalid";
  const code = problem instanceof TokenError ? problem.code : "invalid_request";
  const [error, error_description] = PROBLEM_ERRORS[status] ?? [code, sent];
  return tokenResponse(status, { error, error_description }, headers);
}
