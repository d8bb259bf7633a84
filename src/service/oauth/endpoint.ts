import { OAUTH_ROUTES } from "../../contract/oauth.js";
import type { PasswordCost } from "../passwords.js";
import type { Origin, ServiceRequest } from "../request.js";
import type { Store } from "../store/sqlite/open.js";

/** Where the authorization server lies below the service's base URL. */
export const OAUTH_PATH = "/oauth";

export type OAuthEndpoint = keyof typeof OAUTH_ROUTES;

/** One request to the authorization server. */
export interface OAuthCall {
  readonly request: ServiceRequest;
  readonly origin: Extract<Origin, { kind: "network" }>;
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly passwordCost?: PasswordCost | undefined;
}

/** The endpoint that the target of a request line names; null when it is none of the authorization server. */
export function matchOAuthEndpoint(target: string): OAuthEndpoint | null {
  const [path] = target.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  switch (path) {
    case `${OAUTH_PATH}${OAUTH_ROUTES.authorize.path}`:
      return "authorize";
    case `${OAUTH_PATH}${OAUTH_ROUTES.token.path}`:
      return "token";
    default:
      return null;
  }
}
