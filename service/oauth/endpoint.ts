import type { ProblemError, ServiceResponse } from "../http/response.js";
import type { PasswordQueue } from "../password-queue.js";
import type { NetworkSource, ServiceRequest } from "../request.js";
import type { PasswordCost } from "../secrets.js";
import type { Store } from "../store/store.js";

/** One request to the authorization server. */
export interface OAuthContext {
  readonly request: ServiceRequest;
  readonly source: NetworkSource;
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the public client may sign users in. */
  readonly publicClient: boolean;
  readonly passwordCost?: PasswordCost | undefined;
  readonly passwordQueue: PasswordQueue;
}

/** An endpoint of the authorization server. @see contract section 5 */
export interface OAuthEndpoint {
  /** @throws ProblemError */
  respond(context: OAuthContext): Promise<ServiceResponse>;
  respondWithProblem(problem: ProblemError): ServiceResponse;
}
