import { METADATA_PATH, PUBLIC_CLIENT_ID } from "../../contract/oauth.js";
import { jsonResponse, ProblemError, problemResponse, type ServiceResponse } from "../http/response.js";
import { OAUTH_PATHS, type OAuthPath } from "../http/router.js";
import { splitTarget } from "../request.js";
import { authorize } from "./authorize.js";
import { type OAuthContext, requestedBaseUrl } from "./context.js";
import { errorPage, startPage } from "./pages/page.js";
import { createPasswordQueue } from "./password-queue.js";
import { findClient, isPublic } from "./public-client.js";
import { issueToken, oauthErrorResponse } from "./token.js";

/** An endpoint of the authorization server. @see contract section 5 */
interface OAuthEndpoint {
  readonly methods: readonly string[];
  /** @throws ProblemError */
  respond(context: OAuthContext): Promise<ServiceResponse>;
  respondWithProblem(problem: ProblemError): ServiceResponse;
}

const READ = ["GET", "HEAD"];

const ENDPOINTS: Readonly<Record<OAuthPath, OAuthEndpoint>> = {
  start: { methods: READ, respond: start, respondWithProblem: errorPage },
  authorize: { methods: ["GET", "POST"], respond: authorize, respondWithProblem: errorPage },
  token: { methods: ["POST"], respond: issueToken, respondWithProblem: oauthErrorResponse },
  metadata: { methods: READ, respond: metadata, respondWithProblem: problemResponse },
};

/** What answers requests to the authorization server. */
export function createAuthorizationServer(
  options: Pick<OAuthContext, "store" | "publicClient" | "passwordCost">,
) {
  const passwordQueue = createPasswordQueue();
  return (path: OAuthPath) => {
    const { methods, respond, respondWithProblem } = ENDPOINTS[path];
    return {
      /** @throws ProblemError, also 405 */
      async respond(asked: Pick<OAuthContext, "request" | "source" | "now">): Promise<ServiceResponse> {
        if (methods.includes(asked.request.method)) return respond({ ...options, ...asked, passwordQueue });
        throw new ProblemError(405, { headers: { allow: methods.join(", ") } });
      },
      respondWithProblem,
    };
  };
}

/** The address of the authorization server itself, which a user may open in a browser. @throws ProblemError 404, 421 */
async function start(context: OAuthContext): Promise<ServiceResponse> {
  return startPage(requestedBaseUrl(context), context.publicClient);
}

/**
 * The metadata of the authorization server, whose issuer is the base URL of the service.
 * @throws ProblemError 404 at the path of another issuer, 421
 * @see RFC 8414
 */
async function metadata(context: OAuthContext): Promise<ServiceResponse> {
  const { target } = context.request;
  const issuer = requestedBaseUrl(context);
  // A proxy that removes the path of the public URL asks without it, also for the address below that URL.
  const issuerPath = splitTarget(target).path.slice(METADATA_PATH.length);
  if (issuerPath !== "" && issuerPath !== new URL(issuer).pathname) throw new ProblemError(404);
  const client = await context.store.read((db) => findClient(db, PUBLIC_CLIENT_ID, context));
  return jsonResponse(200, describe(issuer, client !== undefined && isPublic(client)));
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
