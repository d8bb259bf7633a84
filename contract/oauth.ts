import * as v from "valibot";

/** The two endpoints of the authorization server. @see contract section 5, RFC 6749, RFC 7636 */

export const authorizeQuerySchema = v.object({
  client_id: v.string(),
  redirect_uri: v.string(),
  response_type: v.literal("code"),
  state: v.optional(v.string()),
  code_challenge: v.optional(v.string()),
  code_challenge_method: v.optional(v.picklist(["S256", "plain"])),
});

/** The client that a service has without a registration, if it offers it. It has no secret. @see RFC 8252 §8.5 */
export const PUBLIC_CLIENT_ID = "calctl";

export const tokenRequestSchema = v.object({
  client_id: v.string(),
  client_secret: v.string(),
  redirect_uri: v.string(),
  code: v.string(),
  grant_type: v.literal("authorization_code"),
  code_verifier: v.optional(v.string()),
});

/** The token request of a client that authenticates by HTTP Basic. @see RFC 6749 §2.3.1 */
export const basicTokenRequestSchema = v.partial(v.omit(tokenRequestSchema, ["client_secret"]), [
  "client_id",
]);

export const tokenResponseSchema = v.object({
  access_token: v.pipe(v.string(), v.minLength(1)),
  /** Unix time in seconds. */
  created_at: v.pipe(v.number(), v.integer()),
  token_type: v.literal("Bearer"),
});

/** @see RFC 6749 §5.2 */
export const oauthErrorSchema = v.object({
  error: v.string(),
  error_description: v.optional(v.string()),
});

/**
 * Metadata of the authorization server, as far as it is used here. A service that offers its public client to those who
 * have not registered one names it in `calctl_client_id`. @see RFC 8414 §2
 */
export const metadataSchema = v.object({
  issuer: v.string(),
  authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  calctl_client_id: v.optional(v.string()),
});

/** Path of the metadata. The path of an issuer follows it. @see RFC 8414 §3.1 */
export const METADATA_PATH = "/.well-known/oauth-authorization-server";

/** Paths relative to {auth_url}. */
export const OAUTH_ROUTES = {
  authorize: { method: "GET", path: "/authorize", summary: "Ask the user to authorize a client" },
  token: { method: "POST", path: "/token", summary: "Exchange an authorization code for an access token" },
} as const;
