import { ProblemError } from "../http/response.js";
import type { Query } from "../http/router.js";
import type { Access, CalendarAccess } from "../store/access.js";
import type { Transaction } from "../store/store.js";

/** A request that was authenticated and parsed. */
interface EndpointContext {
  readonly access: Access;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Value of a path parameter such as `calendar_id`. */
  readonly parameter: (name: string) => string;
}

/** A request that reads. */
export interface ReadContext extends EndpointContext {
  readonly query: Query;
  /** The query string as received, which links to other pages repeat. */
  readonly search: URLSearchParams;
}

/** A request that writes, with the transaction it runs in. */
export interface WriteContext extends EndpointContext {
  readonly db: Transaction;
  readonly query: Query;
  /** Parsed JSON; undefined if the route takes no body. */
  readonly body: unknown;
  /** The header `Idempotency-Key`, as received; undefined without one. */
  readonly key: string | undefined;
}

/** What a read responds with. It is rendered only if neither the client nor the cache has it. @see RFC 9110 §3.2 */
export interface Representation {
  /**
   * What it depends on besides route and `include`, as JSON: the same version gives the same representation. Null where only
   * the content itself tells, so that it is rendered each time.
   */
  readonly version: readonly unknown[] | null;
  /** Revision of the calendar whose events it has, since which a client can ask for changes. */
  readonly revision?: number;
  /** When it becomes another one even if nothing is written (ms since the epoch); absent for never. */
  readonly until?: number;
  /** @param db sees what `access` says. @throws ProblemError */
  render(db: Transaction): Promise<object>;
}

/** Handles one route of the contract that reads. @throws ProblemError */
export type ReadEndpoint = (context: ReadContext) => Representation | Promise<Representation>;

/** What a write responds with. */
export interface WriteResult {
  /** Null for a response without a body. */
  readonly body: object | null;
  /** Whether it wrote nothing, because its key had made this before. */
  readonly isReplay?: boolean;
}

/** Handles one route of the contract that writes. @throws ProblemError */
export type WriteEndpoint = (context: WriteContext) => Promise<WriteResult>;

/**
 * The calendar of the path.
 * @throws ProblemError 404 when it does not exist, 403 when the current user is not a member
 */
export function requireCalendar({ calendar }: Access): CalendarAccess & { readonly position: number } {
  if (calendar === null) throw new ProblemError(404);
  const { position } = calendar;
  if (position === null) throw new ProblemError(403);
  return { ...calendar, position };
}
