import { DEFAULT_MEDIA_TYPE } from "../contract/limits.js";
import { createCalendarAdmin, createLabelAdmin, createMemberAdmin } from "./admin/calendars.js";
import { createClientAdmin } from "./admin/clients.js";
import { createTokenAdmin } from "./admin/tokens.js";
import { createUserAdmin, ensureLocalUser } from "./admin/users.js";
import type { AdminOptions, ServiceAdmin } from "./admin.js";
import type { PasswordCost } from "./passwords.js";
import type { RatePolicy } from "./rate-limit.js";
import { createRateCounter } from "./rate-limit.js";
import type { Handle } from "./request.js";
import { createRequestHandler } from "./request-handler.js";
import { openStore } from "./store/sqlite/open.js";

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
  readonly handle: Handle;
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

function createAdmin(options: AdminOptions): ServiceAdmin {
  return {
    users: createUserAdmin(options),
    calendars: createCalendarAdmin(options),
    members: createMemberAdmin(options),
    labels: createLabelAdmin(options),
    clients: createClientAdmin(options),
    tokens: createTokenAdmin(options),
    ensureLocalUser: ({ name }) => ensureLocalUser(options, name),
    addSample: async () => {
      const { addSample } = await import("./sample.js");
      return addSample(options);
    },
  };
}
