import type { CommandEntry } from "../cli/command.js";

/** Each is loaded on its own, since lists are what scripts call most. */
export const EVENT_COMMANDS: readonly CommandEntry[] = [
  ["list", "list events by day", async () => (await import("./events/list.js")).registerEventsList],
  [
    "changes",
    "list what changed since the last run",
    async () => (await import("./events/changes.js")).registerEventsChanges,
  ],
  [
    "watch",
    "print each change as it happens, or run a program for it",
    async () => (await import("./events/watch.js")).registerEventsWatch,
  ],
  ["get", "show events", async () => (await import("./events/get.js")).registerEventsGet],
  ["create", "create an event", async () => (await import("./events/create.js")).registerEventsCreate],
  [
    "update",
    "update events; other fields are not changed, but --start also moves the end",
    async () => (await import("./events/update.js")).registerEventsUpdate,
  ],
  [
    "copy",
    "create events again, at another time or in another calendar",
    async () => (await import("./events/copy.js")).registerEventsCopy,
  ],
  [
    "move",
    "move events to another calendar",
    async () => (await import("./events/copy.js")).registerEventsMove,
  ],
  ["delete", "delete events", async () => (await import("./events/delete.js")).registerEventsDelete],
];
