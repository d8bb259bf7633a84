import type { CommandEntry } from "../../cli/command.js";

/** Each is loaded on its own, since lists are what scripts call most. */
export const EVENT_COMMANDS: readonly CommandEntry[] = [
  ["list", "list events by day", async () => (await import("../../events/find/list.js")).registerEventsList],
  [
    "changes",
    "list what changed since the last run",
    async () => (await import("../changes/changes.js")).registerEventsChanges,
  ],
  [
    "watch",
    "print each change as it happens, or run a program for it",
    async () => (await import("../changes/watch.js")).registerEventsWatch,
  ],
  ["get", "show events", async () => (await import("./get.js")).registerEventsGet],
  [
    "create",
    "create an event",
    async () => (await import("../../events/create/create.js")).registerEventsCreate,
  ],
  [
    "update",
    "update events; other fields are not changed, but --start also moves the end",
    async () => (await import("./update.js")).registerEventsUpdate,
  ],
  [
    "copy",
    "create events again, at another time or in another calendar",
    async () => (await import("./copy.js")).registerEventsCopy,
  ],
  ["move", "move events to another calendar", async () => (await import("./copy.js")).registerEventsMove],
  ["delete", "delete events", async () => (await import("./delete.js")).registerEventsDelete],
];
