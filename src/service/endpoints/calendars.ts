import { calendarResource, labelResource, memberResource, userResource } from "../resources.js";
import { listCalendarsOf, listLabels, listMembers } from "../store/calendars.js";
import { type EndpointContext, type OwnCalendar, requireCalendar } from "./endpoint.js";

export async function getCurrentUser({ db, userId }: EndpointContext): Promise<object> {
  const user = await db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  return { data: userResource(user) };
}

export async function listCalendars(context: EndpointContext): Promise<object> {
  const { data, included } = await describe(context, await listCalendarsOf(context.db, context.userId));
  return { data, ...included };
}

export async function getCalendar(context: EndpointContext): Promise<object> {
  const { data, included } = await describe(context, [await requireCalendar(context)]);
  return { data: data[0], ...included };
}

export async function listCalendarLabels(context: EndpointContext): Promise<object> {
  const { id } = await requireCalendar(context);
  return { data: (await listLabels(context.db, [id])).map(labelResource) };
}

export async function listCalendarMembers(context: EndpointContext): Promise<object> {
  const { id } = await requireCalendar(context);
  return { data: (await listMembers(context.db, [id])).map((member) => memberResource(id, member)) };
}

async function describe({ db, query }: EndpointContext, calendars: readonly OwnCalendar[]) {
  const ids = calendars.map(({ id }) => id);
  const labelRows = await listLabels(db, ids);
  const memberRows = await listMembers(db, ids);
  const described = calendars.map((calendar) => {
    const labels = labelRows.filter((label) => label.calendar_id === calendar.id).map(labelResource);
    const members = memberRows
      .filter((member) => member.calendar_id === calendar.id)
      .map((member) => memberResource(calendar.id, member));
    return {
      resource: calendarResource(calendar, { order: calendar.position, labels, members }),
      included: [
        ...(query.include.has("labels") ? labels : []),
        ...(query.include.has("members") ? members : []),
      ],
    };
  });
  return {
    data: described.map(({ resource }) => resource),
    included: query.include.size === 0 ? {} : { included: described.flatMap(({ included }) => included) },
  };
}
