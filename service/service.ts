import { createAdmin, type ServiceAdmin } from "./admin/admin.js";
import { ProblemError } from "./http/response.js";
import type { RateLimitPolicy } from "./rate-limit.js";
import type { RequestHandler } from "./request.js";
import { createRequestHandler, type RequestHandlerOptions } from "./request-handler.js";
import { openStore } from "./store/open.js";
import { forAdministration, type OpenStoreOptions, type Store, type Transaction } from "./store/store.js";

export interface ServiceOptions
  extends OpenStoreOptions,
    Pick<RequestHandlerOptions, "now" | "clock" | "publicClient" | "passwordCost">,
    Partial<Pick<RequestHandlerOptions, "onHandled">> {
  /** Path of the SQLite file, `:memory:`, or `postgres://…`. */
  readonly database: string;
  /** Null: requests are not limited, and responses have no rate-limit headers. */
  readonly rateLimit: RateLimitPolicy | null;
  /** Measures what the service does. */
  readonly observer?: ServiceObserver | undefined;
}

/** Wraps the parts of a service, each in one that does the same and measures it. */
export interface ServiceObserver {
  requests(handle: RequestHandler): RequestHandler;
  store(store: Store): Store;
}

/** An implementation of the contract over its own database. */
export interface Service {
  readonly handle: RequestHandler;
  readonly admin: ServiceAdmin;
  /** The database, as messages name it, if it was created just now; null if it existed or is in memory. */
  readonly created: string | null;
  /** Makes the occurrences of series that have come within two years. To be called once a day; writes do the same. The signal ends it. */
  continueSeries(signal?: AbortSignal): Promise<void>;
  /** Requests in progress that wait for the database fail from now on; those that use it end. For when nobody waits for answers. */
  abandonWaiting(): void;
  /** Waits for requests in progress, then closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the service over a database.
 * @throws CliError configuration when the database cannot be used, or does not exist and must not be created
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { database, now, passwordCost, rateLimit, observer } = options;
  const opened = await openStore(database, options);
  const observed = observer?.store(opened) ?? opened;
  const rateLimiter =
    rateLimit === null ? null : (await import("./rate-limit.js")).createRateLimiter(rateLimit);
  let isAbandoned = false;
  const store = refuseWhen(observed, () => isAbandoned);
  const handler = createRequestHandler({
    onHandled: () => undefined,
    ...options,
    store,
    rateLimiter,
  });
  const handleRequest = observer?.requests(handler) ?? handler;
  let inProgress = 0;
  let closing: Promise<void> | undefined;
  let onIdle: () => void = () => undefined;
  const close = async () => {
    if (inProgress > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await store.close();
  };
  return {
    async handle(request, source) {
      if (closing !== undefined) throw new Error("the service is closed");
      inProgress += 1;
      try {
        return await handleRequest(request, source);
      } finally {
        inProgress -= 1;
        if (inProgress === 0) onIdle();
      }
    },
    admin: createAdmin({ store: forAdministration(store), now, passwordCost }),
    created: store.created,
    async continueSeries(signal) {
      const { continueAllSeries } = await import("./endpoints/due-series.js");
      await continueAllSeries(store, now(), signal);
    },
    abandonWaiting() {
      isAbandoned = true;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** A store whose transactions do nothing but fail with 503 when they begin after a time. */
function refuseWhen(store: Store, isRefused: () => boolean): Store {
  const begin =
    <T>(work: (db: Transaction) => Promise<T>) =>
    (db: Transaction) => {
      if (isRefused()) throw new ProblemError(503);
      return work(db);
    };
  return {
    ...store,
    read: (work, options) => store.read(begin(work), options),
    write: (work, options) => store.write(begin(work), options),
  };
}
