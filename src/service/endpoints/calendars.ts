import { calendarResource, labelResource, memberResource, userResource } from "../resources.js";
import { listCalendarsOf, listLabels, listMembers } from "../store/calendars.js";
import { type Call, type OwnCalendar, requireCalendar } from "./endpoint.js";

export async function getCurrentUser({ db, userId }: Call): Promise<object> {
  const user = await db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  return { data: userResource(user) };
}

export async function listCalendars(call: Call): Promise<object> {
  const { data, included } = await describe(call, await listCalendarsOf(call.db, call.userId));
  return { data, ...included };
}

export async function getCalendar(call: Call): Promise<object> {
  const { data, included } = await describe(call, [await requireCalendar(call)]);
  return { data: data[0], ...included };
}

export async function listCalendarLabels(call: Call): Promise<object> {
  const { id } = await requireCalendar(call);
  return { data: (await listLabels(call.db, [id])).map(labelResource) };
}

export async function listCalendarMembers(call: Call): Promise<object> {
  const { id } = await requireCalendar(call);
  return { data: (await listMembers(call.db, [id])).map((member) => memberResource(id, member)) };
}

async function describe({ db, query }: Call, calendars: readonly OwnCalendar[]) {
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
