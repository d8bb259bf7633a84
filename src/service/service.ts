import { DEFAULT_MEDIA_TYPE } from "../contract/media-type.js";
import { createAdmin, type ServiceAdmin } from "./admin.js";
import type { PasswordCost } from "./passwords.js";
import { createRateCounter } from "./rate-counter.js";
import type { RatePolicy } from "./rate-limit.js";
import { createRequestHandler } from "./request-handler.js";
import { openStore } from "./store/open.js";

/** One HTTP request as plain data. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One whole HTTP answer as plain data. */
export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Who sends: over a socket by address (then the Bearer token says who), in-process a user, which no header can claim. */
export type Origin =
  | {
      readonly kind: "network";
      readonly address: string;
      /** Where clients reach the service, as far as the listener knows. */
      readonly baseUrl?: string;
    }
  | { readonly kind: "local"; readonly userId: string };

export interface ServiceOptions {
  /** Path of the SQLite file, or `:memory:`. */
  readonly database: string;
  /** Whether a database that is not there is made; true by default. */
  readonly create?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Null: not limited, and no rate-limit headers. */
  readonly rateLimit: RatePolicy | null;
  /** The service's own media type, taken in `Accept` besides `application/json`. */
  readonly mediaType?: string;
  /** What putting a password through scrypt costs from now on; stored passwords keep theirs. */
  readonly passwordCost?: PasswordCost;
  /** Called with what a 500 or a 503 hides from the caller. */
  readonly onError?: (error: unknown) => void;
}

/** The contract's other half over a database of its own. */
export interface Service {
  /** Answers any request, with a problem where something is wrong; rejects only once the service is closed. */
  handle(request: ServiceRequest, origin: Origin): Promise<ServiceResponse>;
  readonly admin: ServiceAdmin;
  /** Path of the database when this opening has made it; null when it was there or is in memory. */
  readonly created: string | null;
  /** Lets requests under way finish, then closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the service over a database.
 * @throws CliError configuration when the database cannot be used, or is not there and not to be made
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { database, now, passwordCost } = options;
  const { rateLimit, mediaType = DEFAULT_MEDIA_TYPE, onError = () => undefined } = options;
  const store = await openStore(database, options);
  const counter = createRateCounter(store);
  const answer = createRequestHandler({
    store,
    counter,
    now,
    rateLimit,
    mediaType,
    onError,
    passwordCost,
  });
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  return {
    handle(request, origin) {
      if (closing !== undefined) return Promise.reject(new Error("the service is closed"));
      const response = answer(request, origin).finally(() => underWay.delete(response));
      underWay.add(response);
      return response;
    },
    admin: createAdmin({ store, now, passwordCost }),
    created: store.created,
    close() {
      closing ??= Promise.allSettled(underWay).then(() => store.close());
      return closing;
    },
  };
}
