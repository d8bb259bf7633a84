import type { Feed } from "../../../contract/shapes.js";
import { CREATED, INSTANT } from "../../events/views/calendar.js";
import type { View } from "../../output/view.js";

/** A calendar of a feed. */
const feedCalendarView: View<Feed["calendars"][number]> = {
  noun: "calendar",
  shape: "feed_calendar",
  keys: {
    id: { type: "string" },
    name: { type: "string?", about: "null for one that can no longer be seen" },
  },
  tsv: ["id", "name"],
};

/** The feeds of the user. */
export const feedView: View<Feed> = {
  noun: "feed",
  shape: "feed",
  keys: {
    id: { type: "string" },
    name: { type: "string?", minWidth: 8 },
    calendars: {
      type: { list: feedCalendarView },
      text: ({ calendars }) => calendars.map(({ id, name }) => name || id).join(", "),
      minWidth: 8,
    },
    busy_only: { type: "boolean?", about: "whether it shows times alone" },
    ...CREATED,
    last_used_at: {
      type: "string?",
      about: `the day of the last use; ${INSTANT}`,
      header: "Last used",
      cell: ({ last_used_at: day }) => ({ text: day?.slice(0, 10) ?? "never" }),
    },
    address: { type: "string", about: "only when it was just made", optional: true },
  },
  tsv: ["id", "name", "calendars", "busy_only", "created_at", "last_used_at", "address"],
  table: ["name", "calendars", "busy_only", "last_used_at", "id", "address"],
};
