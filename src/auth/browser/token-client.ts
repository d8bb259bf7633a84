import * as v from "valibot";
import { parseJson } from "../../../contract/json.js";
import { oauthErrorSchema } from "../../../contract/oauth.js";
import type { HttpResponse, Transport, TransportError } from "../../api/transport.js";
import { CliError, configurationError } from "../../errors.js";
import { isToken } from "../../secrets/environment-secret.js";

/** The parameters of a token request. @see RFC 6749 §4.1.3, RFC 7636 §4.5 */
export interface CodeRedemption {
  /** The address of the token endpoint. */
  readonly tokenEndpoint: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** Byte for byte as sent to the authorization endpoint. */
  readonly redirectUri: string;
  readonly code: string;
  readonly codeVerifier: string;
}

/** Larger responses are refused (bytes). */
const MAX_RESPONSE = 1024 * 1024;

/** Any token that a header can carry, which is more than RFC 6750 §2.1 allows. */
const tokenSchema = v.object({
  access_token: v.pipe(v.string(), v.check(isToken)),
  token_type: v.pipe(
    v.string(),
    v.check((type) => type.toLowerCase() === "bearer"),
  ),
});

/** Statuses of an OAuth error; some services send it with 200. @see RFC 6749 §5.2 */
const ERROR_STATUSES: ReadonlySet<number> = new Set([200, 400, 401, 403]);

/** An error code has only these characters. @see RFC 6749 §5.2 */
const errorSchema = v.object({
  ...oauthErrorSchema.entries,
  error: v.pipe(v.string(), v.regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)),
});

/**
 * Redeems an authorization code. Never repeated: a code works once, and a second use may revoke the token.
 * @throws CliError not_signed_in when the code is refused, unavailable without a response, rejected when it is not
 * a valid OAuth response
 */
export async function redeemCode(
  redemption: CodeRedemption,
  transport: Transport,
  signal: AbortSignal,
): Promise<string> {
  const url = redemption.tokenEndpoint;
  let response: HttpResponse;
  try {
    response = await transport({
      method: "POST",
      url,
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({
        client_id: redemption.clientId,
        client_secret: redemption.clientSecret,
        redirect_uri: redemption.redirectUri,
        code: redemption.code,
        grant_type: "authorization_code",
        code_verifier: redemption.codeVerifier,
      }),
      signal,
    });
  } catch (error) {
    // Not the transport's error, which warns that the write may have succeeded: an unused token is harmless.
    if (signal.aborted) throw signal.reason;
    throw isTransportError(error) ? transportFailure(error) : error;
  }
  return readToken(response);
}

function readToken(response: HttpResponse): string {
  const { status, body } = response;
  if (status >= 300 && status < 400) throw notOAuth(status, "it is a redirect");
  if (body.length > MAX_RESPONSE) throw notOAuth(status, "it is larger than 1 MiB");
  // Gateways also put an `error` in their bodies, so the status is checked first.
  if (status >= 500) throw unavailable(`the token endpoint returned ${status}`, { status });
  if (status === 429) {
    throw new CliError("rate_limited", "the authorization server's rate limit is used up", {
      status,
      hint: "try again later",
    });
  }
  // What is not JSON is often a gateway's error page, for which the status says more.
  const json = parseJson(new TextDecoder().decode(body));
  const oauthError = v.safeParse(errorSchema, json);
  if (ERROR_STATUSES.has(status) && oauthError.success)
    throw authorizationError(oauthError.output.error, oauthError.output.error_description, status);
  if (status > 299) throw notOAuth(status, "it has no OAuth error");
  if (json === undefined) throw notOAuth(status, body.length === 0 ? "it is empty" : "it is not JSON");
  const token = v.safeParse(tokenSchema, json);
  if (token.success) return token.output.access_token;
  const field = v.getDotPath(token.issues[0]) ?? "access_token";
  throw notOAuth(status, `${field} is missing or wrong`);
}

/** Temporary errors. @see RFC 6749 §4.1.2.1 */
const TEMPORARY: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

const HINTS: Readonly<Record<string, string>> = {
  invalid_client: "check the client id and the client secret",
  unauthorized_client: "check the client id: it is not allowed to sign users in",
  invalid_grant: "sign in again: the code was already used, has expired, or belongs to another redirect URI",
  redirect_uri_mismatch: "register the redirect URI, or name the registered one with --redirect-uri",
};

/** An error of the authorization server, from the redirect or from the token endpoint. */
export function authorizationError(
  error: string,
  description: string | null | undefined,
  status?: number,
): CliError {
  const text = shorten((description ?? "") === "" ? "" : `: ${description}`);
  if (TEMPORARY.has(error)) {
    return unavailable(`the authorization server cannot sign you in now (${error})${text}`, { status });
  }
  if (error === "access_denied") {
    return new CliError("not_signed_in", `the sign-in was declined${text}`, {
      status,
      hint: "run calctl login again and allow the access",
    });
  }
  const message = `the authorization server refused the sign-in (${shorten(error)})${text}`;
  const hint = HINTS[error] ?? "check the client id, the redirect URI and the addresses";
  return new CliError("not_signed_in", message, { status, hint });
}

/** Limits the length of text from the server. */
function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function unavailable(
  message: string,
  options: { readonly status?: number | undefined; readonly cause?: unknown },
): CliError {
  return new CliError("unavailable", message, { ...options, hint: "try again later: calctl login" });
}

function transportFailure(cause: TransportError): CliError {
  if (cause.kind === "too_large") return notOAuth(undefined, "it is larger than 1 MiB");
  if (cause.kind === "not_http") return notOAuth(undefined, "it is not HTTP");
  const message = `the code could not be redeemed: ${cause.message}`;
  return cause.kind === "tls" || cause.kind === "proxy"
    ? configurationError(message, { hint: cause.hint, cause })
    : unavailable(message, { cause });
}

function notOAuth(status: number | undefined, what: string): CliError {
  const code = status === undefined ? "" : ` (${status})`;
  const message = `the token endpoint did not return a valid OAuth response${code}: ${what}`;
  const hint = "is --auth-url the address of the authorization server?";
  return new CliError("rejected", message, { status, hint });
}

/** By its name, since auth imports only types of api. */
export function isTransportError(error: unknown): error is TransportError {
  return error instanceof Error && error.name === "TransportError";
}
