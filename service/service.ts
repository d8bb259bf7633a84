import type { AdminOptions, ServiceAdmin } from "./admin/admin.js";
import { createAdminLoadedLater } from "./admin/loaded-later.js";
import type { OnLookup } from "./endpoints/endpoints.js";
import type { Cors } from "./http/cors.js";
import { createInProgress } from "./in-progress.js";
import { createRateLimiter, type RateLimiter, type RateLimitPolicy } from "./rate-limit.js";
import type { RequestHandler } from "./request.js";
import { createRequestHandler, type HandledRequest } from "./request-handler.js";
import type { PasswordCost } from "./secrets.js";
import { findLocalUser } from "./store/local-user.js";
import { openStore } from "./store/open.js";
import { renewRevisions } from "./store/revisions.js";
import { forAdministration, type OpenStoreOptions, type Store } from "./store/store.js";

export interface ServiceOptions extends OpenStoreOptions {
  /** Path of the SQLite file, `:memory:`, or `postgres://…`. */
  readonly database: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that only grow, by which an answer of the database to `/readyz` holds; `performance.now()` by default. */
  readonly clock?: (() => number) | undefined;
  /** Null: requests are not limited, and responses have no rate-limit headers. */
  readonly rateLimit: RateLimitPolicy | null;
  /** Cost of hashing new passwords; stored ones keep theirs. */
  readonly passwordCost?: PasswordCost;
  /** Whether users may sign in with the public client; by default they may. */
  readonly publicClient?: boolean | undefined;
  /** Lets web pages of other origins read responses. */
  readonly cors?: Cors | undefined;
  /** Called after every request. */
  readonly onHandled?: (request: HandledRequest) => void;
  /** Measures what the service does. */
  readonly observer?: ServiceObserver | undefined;
}

/** Wraps the parts of a service, each in one that does the same and measures it. */
export interface ServiceObserver {
  requests(handle: RequestHandler): RequestHandler;
  store(store: Store): Store;
  rateLimiter(limiter: RateLimiter): RateLimiter;
  readonly countLookup: OnLookup;
}

/** An implementation of the contract over its own database. */
export interface Service {
  readonly handle: RequestHandler;
  readonly admin: ServiceAdmin;
  /** The database, as messages name it, if it was created just now; null if it existed or is in memory. */
  readonly created: string | null;
  /** From now on it is not ready; it serves as before. */
  drain(): void;
  /** Waits for requests in progress, then closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the service over a database.
 * @throws CliError configuration when the database cannot be used, is an unfinished copy, or does not exist and must not be
 * created
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { database, now, passwordCost, rateLimit, observer } = options;
  const opened = await openStore(database, options);
  const store = observer?.store(opened) ?? opened;
  const limiter = rateLimit === null ? null : createRateLimiter(store, rateLimit);
  const rateLimiter = limiter && (observer?.rateLimiter(limiter) ?? limiter);
  let isDraining = false;
  const handler = createRequestHandler({
    onHandled: () => undefined,
    ...options,
    store,
    rateLimiter,
    onLookup: observer?.countLookup,
    isDraining: () => isDraining,
  });
  const handleRequest = observer?.requests(handler) ?? handler;
  const inProgress = createInProgress();
  let closing: Promise<void> | undefined;
  return {
    async handle(request, source) {
      if (closing !== undefined) throw new Error("the service is closed");
      inProgress.begin();
      try {
        return await handleRequest(request, source);
      } finally {
        inProgress.end();
      }
    },
    admin: createAdmin({ store: forAdministration(store), now, passwordCost }),
    created: store.created,
    drain() {
      isDraining = true;
    },
    close() {
      closing ??= closeAfter(inProgress.none(), { store, rateLimiter });
      return closing;
    },
  };
}

async function closeAfter(
  requests: Promise<void>,
  { store, rateLimiter }: { readonly store: Store; readonly rateLimiter: RateLimiter | null },
): Promise<void> {
  await requests;
  await rateLimiter?.close();
  await store.close();
}

function createAdmin(options: AdminOptions): ServiceAdmin {
  const { store, now } = options;
  const admin = createAdminLoadedLater(options);
  return {
    ...admin,
    async ensureLocalUser(user) {
      const userId = await store.read(findLocalUser);
      return userId === undefined ? admin.ensureLocalUser(user) : { userId, created: null };
    },
    addSample: async () => {
      const { addSample } = await import("./admin/sample.js");
      return addSample(options);
    },
    async resync() {
      return { calendars: await store.write((db) => renewRevisions(db, now())) };
    },
  };
}
