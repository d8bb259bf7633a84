import type { RouteName } from "../../contract/routes.js";
import {
  getCalendar,
  getCurrentUser,
  listCalendarLabels,
  listCalendarMembers,
  listCalendars,
} from "./calendars.js";
import type { Endpoint } from "./endpoint.js";
import {
  createActivity,
  createEvent,
  deleteEvent,
  getEvent,
  listUpcomingEvents,
  updateEvent,
} from "./events.js";

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
