import { OAUTH_ROUTES } from "../../contract/oauth.js";
import type { ProblemError, ServiceResponse } from "../http/response.js";
import type { PasswordQueue } from "../password-queue.js";
import { type NetworkSource, type ServiceRequest, splitTarget } from "../request.js";
import type { PasswordCost } from "../secrets.js";
import type { Store } from "../store/store.js";

/** Path of the authorization server below the service's base URL. */
export const OAUTH_PATH = "/oauth";

/** One request to the authorization server. */
export interface OAuthContext {
  readonly request: ServiceRequest;
  readonly source: NetworkSource;
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly passwordCost?: PasswordCost | undefined;
  readonly passwordQueue: PasswordQueue;
}

/** An endpoint of the authorization server. @see contract section 5 */
export interface OAuthEndpoint {
  /** @throws ProblemError */
  respond(context: OAuthContext): Promise<ServiceResponse>;
  respondWithProblem(problem: ProblemError): ServiceResponse;
}

/**
 * The endpoint of the authorization server that a request target addresses; null for any other target. Programs may
 * write a slash after the token endpoint; the pages of the authorization endpoint have links relative to one path.
 */
export function matchOAuthEndpoint(target: string): keyof typeof OAUTH_ROUTES | null {
  const { path } = splitTarget(target);
  if (path === `${OAUTH_PATH}${OAUTH_ROUTES.authorize.path}`) return "authorize";
  return path.replace(/\/$/, "") === `${OAUTH_PATH}${OAUTH_ROUTES.token.path}` ? "token" : null;
}
