import { type JsonBody, ProblemError } from "../http/response.js";
import type { Query } from "../http/router.js";
import { calendarResource, labelResource, memberResource, userResource } from "../resources.js";
import {
  type CalendarOfUser,
  type CalendarScope,
  findCalendar,
  groupByCalendar,
  listCalendarsOfUser,
  listLabels,
  listMembers,
} from "../store/calendars.js";
import type { Transaction } from "../store/store.js";
import { getUser } from "../store/users.js";

/** A request that was authenticated and parsed, with the transaction it runs in. */
export interface EndpointContext {
  readonly db: Transaction;
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Value of a path parameter such as `calendar_id`. */
  readonly parameter: (name: string) => string;
  readonly query: Query;
  /** The same as received. */
  readonly search: URLSearchParams;
  /** Parsed JSON; undefined if the route takes no body. */
  readonly body: unknown;
}

/** The answer to a read. What it is made of is loaded only if the client does not have it. */
export interface Answer {
  /**
   * What it depends on besides route and `include`, as JSON: the same version gives the same answer. Null if that takes as
   * long to find out as to answer.
   */
  readonly version: readonly unknown[] | null;
  /** Of the calendar whose events the answer has: since then a client can ask for changes. */
  readonly revision?: number;
  /** From then on it is another one even if nothing is written (ms since the epoch, exclusive); absent for never. */
  readonly until?: number;
  render(): Promise<JsonBody>;
}

/** Handles one route of the contract that reads. @throws ProblemError */
export type ReadEndpoint = (context: EndpointContext) => Promise<Answer>;

/**
 * Handles one route of the contract that writes. Resolves with the body of the response, null for a response without one.
 * @throws ProblemError
 */
export type WriteEndpoint = (context: EndpointContext) => Promise<JsonBody | null>;

export const calendarReads = {
  async getCurrentUser({ db, userId }) {
    const user = await getUser(db, userId);
    return { version: null, render: async () => ({ data: userResource(user) }) };
  },
  async listCalendars(context) {
    const calendars = await listCalendarsOfUser(context.db, context.userId);
    return {
      version: calendars.map(viewOf),
      render: () => describeCalendars(context, calendars, { memberId: context.userId }),
    };
  },
  async getCalendar(context) {
    const calendar = await requireCalendar(context);
    return {
      version: viewOf(calendar),
      async render() {
        const { data, ...rest } = await describeCalendars(context, [calendar], calendar);
        return { data: data[0], ...rest };
      },
    };
  },
  async listLabels(context) {
    const { id, revision } = await requireCalendar(context);
    return {
      version: [id, revision],
      render: async () => ({ data: (await listLabels(context.db, { id })).map(labelResource) }),
    };
  },
  async listMembers(context) {
    const { id, revision } = await requireCalendar(context);
    return {
      version: [id, revision],
      async render() {
        const members = await listMembers(context.db, { id });
        return { data: members.map((member) => memberResource(id, member)) };
      },
    };
  },
} as const satisfies Readonly<Record<string, ReadEndpoint>>;

/** What a calendar depends on. Its position is the user's, and moves without a revision. */
function viewOf({ id, revision, position }: CalendarOfUser) {
  return [id, revision, position];
}

/**
 * The calendar of the path.
 * @throws ProblemError 404 when it does not exist, 403 when the current user is not a member
 */
export async function requireCalendar({ db, userId, parameter }: EndpointContext): Promise<CalendarOfUser> {
  const calendar = await findCalendar(db, parameter("calendar_id"), userId);
  if (calendar === undefined) throw new ProblemError(404);
  const { position } = calendar;
  if (position === null) throw new ProblemError(403);
  return { ...calendar, position };
}

async function describeCalendars(
  { db, query }: EndpointContext,
  calendars: readonly CalendarOfUser[],
  scope: CalendarScope,
) {
  const labelRows = groupByCalendar(await listLabels(db, scope));
  const memberRows = groupByCalendar(await listMembers(db, scope));
  const described = calendars.map((calendar) => {
    const labels = labelRows(calendar.id).map(labelResource);
    const members = memberRows(calendar.id).map((member) => memberResource(calendar.id, member));
    return {
      resource: calendarResource(calendar, labels, members),
      included: [
        ...(query.include.has("labels") ? labels : []),
        ...(query.include.has("members") ? members : []),
      ],
    };
  });
  return {
    data: described.map(({ resource }) => resource),
    ...(query.include.size > 0 && { included: described.flatMap(({ included }) => included) }),
  };
}
