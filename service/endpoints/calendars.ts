import { calendarResource, labelResource, memberResource, userResource } from "../resources.js";
import {
  type CalendarOfUser,
  groupByCalendar,
  listCalendarsOfUser,
  listLabels,
  listMembers,
} from "../store/calendars.js";
import type { Transaction } from "../store/store.js";
import { type ReadEndpoint, requireCalendar } from "./endpoint.js";

export const calendarReads = {
  getCurrentUser({ access }) {
    const data = userResource(access.user);
    return { version: [data], render: async () => ({ data }) };
  },
  listCalendars({ access: { user, calendars }, query }) {
    return {
      version: [calendars],
      async render(db) {
        return describeCalendars(db, await listCalendarsOfUser(db, user.id), query);
      },
    };
  },
  getCalendar({ access, query }) {
    // The position is the user's, and moves without a revision.
    const { id, revision, position } = requireCalendar(access);
    return {
      version: [id, revision, position],
      async render(db) {
        const calendars = await listCalendarsOfUser(db, access.user.id, id);
        const { data, ...rest } = await describeCalendars(db, calendars, query);
        return { data: data[0], ...rest };
      },
    };
  },
  listLabels({ access }) {
    const { id, revision } = requireCalendar(access);
    return {
      version: [id, revision],
      render: async (db) => ({ data: (await listLabels(db, [id])).map(labelResource) }),
    };
  },
  listMembers({ access }) {
    const { id, revision } = requireCalendar(access);
    return {
      version: [id, revision],
      async render(db) {
        return { data: (await listMembers(db, [id])).map((member) => memberResource(id, member)) };
      },
    };
  },
} as const satisfies Readonly<Record<string, ReadEndpoint>>;

async function describeCalendars(
  db: Transaction,
  calendars: readonly CalendarOfUser[],
  { include }: { readonly include: ReadonlySet<string> },
) {
  const ids = calendars.map(({ id }) => id);
  const labelRows = groupByCalendar(await listLabels(db, ids));
  const memberRows = groupByCalendar(await listMembers(db, ids));
  const described = calendars.map((calendar) => {
    const labels = labelRows(calendar.id).map(labelResource);
    const members = memberRows(calendar.id).map((member) => memberResource(calendar.id, member));
    return {
      resource: calendarResource(calendar, labels, members),
      included: [...(include.has("labels") ? labels : []), ...(include.has("members") ? members : [])],
    };
  });
  return {
    data: described.map(({ resource }) => resource),
    ...(include.size > 0 && { included: described.flatMap(({ included }) => included) }),
  };
}
