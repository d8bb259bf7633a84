import { DAY_MS } from "../../contract/date-time.js";
import { badRequest } from "../http/response.js";
import { isLong, sumEventSizes } from "../store/event-windows.js";
import type { EventContent } from "../store/schema.js";
import type { Transaction } from "../store/store.js";

const MEBIBYTE = 1024 * 1024;

/**
 * How large the events of any seven days may become, of one creator and of all. Clients stop reading at some size, the
 * one here at 32 MiB; whoever could exceed it would keep the others from their calendar. Long events have limits of their
 * own, since they overlap many windows.
 */
const WINDOW_LIMITS = {
  usual: { own: 6 * MEBIBYTE, all: 18 * MEBIBYTE },
  long: { own: 2 * MEBIBYTE, all: 6 * MEBIBYTE },
} as const;

/** No two events of a window of seven days are further apart (ms): zones differ by up to 26 hours. */
const WINDOW_LENGTH = 9 * DAY_MS;

/**
 * Checks the windows that an event overlaps, after it was written: the error undoes that.
 * @throws ProblemError 400 when one may have become too large
 */
export async function checkWindowSizes(db: Transaction, event: EventContent): Promise<void> {
  const { calendar_id: calendarId, creator_id: creatorId, start_at: start, end_at: end } = event;
  if (start === null || end === null) return;
  const long = isLong({ start, end });
  const span = { start: start - WINDOW_LENGTH, end: end + WINDOW_LENGTH };
  const { own, all } = await sumEventSizes(db, { calendarId, creatorId, ...span }, long);
  const limits = WINDOW_LIMITS[long ? "long" : "usual"];
  if (own <= limits.own && all <= limits.all) return;
  throw badRequest({
    start_at: ["the events of these days would become too large; choose others or shorten it"],
  });
}
