import { ProblemError, type ServiceResponse } from "../http/response.js";
import type { OAuthContext, OAuthEndpoint } from "./endpoint.js";
import { requestedBaseUrl } from "./origin.js";
import { errorPage } from "./pages/error-page.js";
import { startPage } from "./pages/start-page.js";

/** The address of the authorization server itself, which a user may open in a browser. */
export const startEndpoint: OAuthEndpoint = { respond: showStart, respondWithProblem: errorPage };

/** @throws ProblemError 404 without a host, 405 unless it is read, 421 */
async function showStart(context: OAuthContext): Promise<ServiceResponse> {
  const { method } = context.request;
  if (method !== "GET" && method !== "HEAD") throw new ProblemError(405, { headers: { allow: "GET, HEAD" } });
  const baseUrl = requestedBaseUrl(context);
  if (baseUrl === null) throw new ProblemError(404);
  return startPage({ baseUrl, publicClient: context.publicClient });
}
