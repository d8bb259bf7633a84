import { addToken } from "../admin/tokens.js";
import { ProblemError } from "../http/problem-error.js";
import type { Reply } from "../http/reply.js";
import { parseJsonBody } from "../http/request-body.js";
import { hashSecret, sameSecret } from "../secrets.js";
import { noteToken, revokeTokenOf, useCode } from "../store/authorization-codes.js";
import { findClient } from "../store/clients.js";
import type { Queries } from "../store/open.js";
import type { AuthorizationCodeRow, ClientRow } from "../store/schema.js";
import type { OAuthCall } from "./endpoint.js";
import { oauthErrorReply, tokenReply } from "./oauth-error.js";
import { answersChallenge, type CodeChallenge } from "./pkce.js";
import { readTokenRequest, type TokenRequest } from "./token-request.js";

/**
 * The token endpoint: a code for a token.
 * @throws ProblemError when the body is no JSON or too large, 405 for another method than POST
 * @see RFC 6749 §4.1.3, contract section 5
 */
export async function answerToken({ request, store, now }: OAuthCall): Promise<Reply> {
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
