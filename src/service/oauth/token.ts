import * as v from "valibot";
import { tokenRequestSchema } from "../../contract/oauth.js";
import { addToken } from "../admin/tokens.js";
import { parseJsonBody } from "../http/content.js";
import { ProblemError, type Reply } from "../http/reply.js";
import { hashSecret, sameSecret } from "../secrets.js";
import { findClient, noteToken, revokeTokenOf, useCode } from "../store/clients.js";
import type { AuthorizationCodeRow, ClientRow } from "../store/schema.js";
import type { Queries } from "../store/sqlite/open.js";
import type { OAuthContext, OAuthEndpoint } from "./endpoint.js";
import { oauthErrorReply, problemAsOAuthError, tokenReply } from "./oauth-error.js";
import { answersChallenge, type CodeChallenge } from "./pkce.js";

/** The token endpoint redeems an authorization code for an access token. @see RFC 6749 §4.1.3, contract section 5 */
export const tokenEndpoint: OAuthEndpoint = {
  respond: respondWithToken,
  respondWithProblem: problemAsOAuthError,
};

/** @throws ProblemError 400 or 413 when the body is not JSON or too large, 405 unless the method is POST */
async function respondWithToken({ request, store, now }: OAuthContext): Promise<Reply> {
  if (request.method !== "POST") throw new ProblemError(405, { headers: { allow: "POST" } });
  const reading = readTokenRequest(parseJsonBody(request.body, request.headers));
  if (reading.kind === "refused") return oauthErrorReply(reading.error, reading.problem);
  const { client_id, client_secret } = reading.request;
  const client = await store.read((db) => findClient(db, client_id));
  if (!isSecretOf(client, client_secret)) {
    return oauthErrorReply("invalid_client", "the client is not known or its secret is wrong");
  }
  if (reading.request.grant_type !== "authorization_code") {
    return oauthErrorReply("unsupported_grant_type", "grant_type must be authorization_code");
  }
  const token = await store.write((db) => exchange(db, { client, request: reading.request, now }));
  if (token === null) {
    return oauthErrorReply(
      "invalid_grant",
      "the code is unknown, over or used, or redirect_uri or code_verifier does not belong to it",
    );
  }
  return tokenReply(200, {
    access_token: token,
    created_at: Math.floor(now / 1000),
    token_type: "Bearer",
  });
}

/** What is compared has no relation to an unknown client either, and takes as long. */
function isSecretOf(client: ClientRow | undefined, secret: string): client is ClientRow {
  const fits = sameSecret(hashSecret(secret), client?.secret_hash ?? "");
  return client !== undefined && fits;
}

interface Exchange {
  readonly client: ClientRow;
  readonly request: TokenRequest;
  readonly now: number;
}

/** A token for a code; null when there is none to have. A code that is shown once is gone, right or wrong the rest. */
async function exchange(db: Queries, { client, request, now }: Exchange): Promise<string | null> {
  const { code, redirect_uri, code_verifier } = request;
  const row = await useCode(db, client.id, { code, now });
  if (row === undefined) {
    await revokeTokenOf(db, client.id, code);
    return null;
  }
  if (row.redirect_uri !== redirect_uri || !answersChallenge(code_verifier, challengeOf(row))) return null;
  const { id, token } = await addToken(db, { userId: row.user_id, readOnly: false, now, client: client.id });
  await noteToken(db, code, id);
  return token;
}

function challengeOf({ code_challenge, code_challenge_method }: AuthorizationCodeRow): CodeChallenge | null {
  if (code_challenge === null || code_challenge_method === null) return null;
  return { value: code_challenge, method: code_challenge_method };
}

/** The contract's request, of any grant type. */
const requestSchema = v.object({ ...tokenRequestSchema.entries, grant_type: v.string() });

export type TokenRequest = v.InferOutput<typeof requestSchema>;

export type TokenRequestReading =
  | { readonly kind: "request"; readonly request: TokenRequest }
  | {
      readonly kind: "refused";
      readonly error: "invalid_request" | "invalid_client";
      readonly problem: string;
    };

/** Reads the body of a token request. Without its secret a client is not authenticated. @see RFC 6749 §5.2 */
export function readTokenRequest(body: unknown): TokenRequestReading {
  const refuse = (problem: string, error: "invalid_request" | "invalid_client" = "invalid_request") =>
    ({ kind: "refused", error, problem }) as const;
  if (!isObject(body)) return refuse("the body must be a JSON object");
  for (const name of CREDENTIALS) {
    if (isMissing(body[name])) return refuse(`${name} is missing`, "invalid_client");
  }
  const missing = REQUIRED.find((name) => isMissing(body[name]));
  if (missing !== undefined) return refuse(`${missing} is missing`);
  const request = v.safeParse(requestSchema, dropMissing(body));
  if (request.success) return { kind: "request", request: request.output };
  return refuse(`${v.getDotPath(request.issues[0])} must be text`);
}

const CREDENTIALS = ["client_id", "client_secret"] as const;
const REQUIRED = ["grant_type", "code", "redirect_uri"] as const;

function isObject(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

/** What has no value counts as not sent. @see RFC 6749 §3.2 */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function dropMissing(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isMissing(value)));
}
