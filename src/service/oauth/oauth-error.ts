import { JSON_MEDIA_TYPE } from "../../contract/limits.js";
import type { ProblemError, Reply } from "../http/reply.js";

/** An answer of the token endpoint; it is kept nowhere. @see RFC 6749 §5.1 */
export function tokenReply(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: {
      "content-type": `${JSON_MEDIA_TYPE}; charset=utf-8`,
      "cache-control": "no-store",
      pragma: "no-cache",
      "x-content-type-options": "nosniff",
      ...headers,
    },
    body: new TextEncoder().encode(JSON.stringify(body)),
  };
}

export type TokenErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "server_error"
  | "temporarily_unavailable";

/** @see RFC 6749 §5.2; the description holds neither quotation marks nor backslashes, as it says */
export function oauthErrorReply(
  error: TokenErrorCode,
  description: string,
  { status = error === "invalid_client" ? 401 : 400, headers = {} }: OAuthErrorOptions = {},
): Reply {
  return tokenReply(status, { error, error_description: description }, headers);
}

export interface OAuthErrorOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A problem in the words of OAuth; where it has none for a status, those of the authorization endpoint do. */
export function problemAsOAuthError({ status, errors, headers }: ProblemError): Reply {
  const described = (fallback: string) => (typeof errors === "string" ? errors : fallback);
  switch (status) {
    case 429:
      return oauthErrorReply("temporarily_unavailable", "too many requests", { status, headers });
    case 503:
      return oauthErrorReply("temporarily_unavailable", "the service is busy", { status, headers });
    case 500:
      return oauthErrorReply("server_error", "the service has failed", { status, headers });
    case 405:
      return oauthErrorReply("invalid_request", "the method must be POST", { status, headers });
    default:
      return oauthErrorReply("invalid_request", described("the request is wrong"), { status, headers });
  }
}
