import { ProblemError } from "../http/problem-error.js";
import { findCalendar } from "../store/calendars.js";
import type { CalendarRow } from "../store/schema.js";
import type { Call } from "./endpoint.js";

/** A calendar and its place in the current user's list, from 0. */
export type OwnCalendar = CalendarRow & { readonly position: number };

/**
 * The calendar of the path.
 * @throws ProblemError 404 when there is none, 403 when the current user is no member of it
 */
export async function requireCalendar({ db, userId, parameter }: Call): Promise<OwnCalendar> {
  const calendar = await findCalendar(db, parameter("calendar_id"), userId);
  if (calendar === undefined) throw new ProblemError(404);
  const { position } = calendar;
  if (position === null) throw new ProblemError(403);
  return { ...calendar, position };
}
