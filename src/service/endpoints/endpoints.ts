import type { RouteName } from "../../contract/routes.js";
import { createActivity } from "./activities.js";
import { getCalendar, listCalendarLabels, listCalendarMembers, listCalendars } from "./calendars.js";
import type { Endpoint } from "./endpoint.js";
import { createEvent, deleteEvent, getEvent, listUpcomingEvents, updateEvent } from "./events.js";
import { getCurrentUser } from "./users.js";

/** Every route of the contract with what answers it. */
export const ENDPOINTS: Readonly<Record<RouteName, Endpoint>> = {
  getCurrentUser,
  listCalendars,
  getCalendar,
  listLabels: listCalendarLabels,
  listMembers: listCalendarMembers,
  getEvent,
  listUpcomingEvents,
  createEvent,
  updateEvent,
  deleteEvent,
  createActivity,
};
