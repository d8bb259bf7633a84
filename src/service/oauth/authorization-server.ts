import { asProblemError, type Reply } from "../http/reply.js";
import { answerAuthorize } from "./authorize.js";
import type { OAuthCall, OAuthEndpoint } from "./endpoint.js";
import { problemAsOAuthError } from "./oauth-error.js";
import { errorPage } from "./pages/error-page.js";
import { answerToken } from "./token.js";

/** Answers a request to an endpoint of the authorization server. @see contract section 5 */
export function answerOAuth(endpoint: OAuthEndpoint, call: OAuthCall): Promise<Reply> {
  return endpoint === "authorize" ? answerAuthorize(call) : answerToken(call);
}

/** The answer to what went wrong: a page for the user's browser, an OAuth error for the client. */
export function oauthFailure(
  endpoint: OAuthEndpoint,
  error: unknown,
  onError: (error: unknown) => void,
): Reply {
  const problem = asProblemError(error, onError);
  return endpoint === "authorize" ? errorPage(problem) : problemAsOAuthError(problem);
}
