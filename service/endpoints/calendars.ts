import { calendarResource, labelResource, memberResource, userResource } from "../resources.js";
import {
  type CalendarOfUser,
  type CalendarScope,
  groupByCalendar,
  listCalendarsOfUser,
  listLabels,
  listMembers,
} from "../store/calendars.js";
import { getUser } from "../store/users.js";
import { type EndpointContext, type ReadEndpoint, requireCalendar } from "./endpoint.js";

export const calendarReads = {
  async getCurrentUser({ db, userId }) {
    const data = userResource(await getUser(db, userId));
    return { version: [data], render: async () => ({ data }) };
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
