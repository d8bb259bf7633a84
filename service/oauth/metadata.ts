import { METADATA_PATH, PUBLIC_CLIENT_ID } from "../../contract/oauth.js";
import { jsonResponse, ProblemError, problemResponse, type ServiceResponse } from "../http/response.js";
import { OAUTH_PATHS } from "../http/router.js";
import { splitTarget } from "../request.js";
import type { OAuthContext, OAuthEndpoint } from "./endpoint.js";
import { requestedBaseUrl } from "./origin.js";
import { findClient, isPublic } from "./public-client.js";

/** The metadata of the authorization server, whose issuer is the base URL of the service. @see RFC 8414 */
export const metadataEndpoint: OAuthEndpoint = {
  respond: respondWithMetadata,
  respondWithProblem: problemResponse,
};

/** @throws ProblemError 404 at the path of another issuer, 405 unless it is read, 421 */
async function respondWithMetadata(context: OAuthContext): Promise<ServiceResponse> {
  const { method, target } = context.request;
  if (method !== "GET" && method !== "HEAD") throw new ProblemError(405, { headers: { allow: "GET, HEAD" } });
  const issuer = requestedBaseUrl(context);
  if (issuer === null) throw new ProblemError(404);
  // A proxy that removes the path of the public URL asks without it, also for the address below that URL.
  const issuerPath = splitTarget(target).path.slice(METADATA_PATH.length);
  if (issuerPath !== "" && issuerPath !== new URL(issuer).pathname) throw new ProblemError(404);
  const client = await context.store.read((db) => findClient(db, PUBLIC_CLIENT_ID, context));
  const response = jsonResponse(200, describe(issuer, client !== undefined && isPublic(client)));
  return { ...response, headers: { ...response.headers, "cache-control": "no-store" } };
}

/** @param isOpen whether a program can use the public client @see RFC 8414 §2 */
function describe(issuer: string, isOpen: boolean): object {
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    issuer,
    authorization_endpoint: `${issuer}${OAUTH_PATHS.authorize}`,
    token_endpoint: `${issuer}${OAUTH_PATHS.token}`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: isOpen ? [...methods, "none"] : methods,
    code_challenge_methods_supported: ["S256", "plain"],
    ...(isOpen && { calctl_client_id: PUBLIC_CLIENT_ID }),
  };
}
