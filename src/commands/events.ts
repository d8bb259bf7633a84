import type { Command } from "commander";
import { addCommand, type ContextOf, requireSubcommand } from "./command.js";
import { registerEventsChanges } from "./events/changes.js";
import { registerEventsCreate } from "./events/create.js";
import { registerEventsDelete } from "./events/delete.js";
import { registerEventsGet } from "./events/get.js";
import { registerEventsList } from "./events/list.js";
import { registerEventsUpdate } from "./events/update.js";

export function registerEvents(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  registerEventsList(addCommand(command, "list", "list events by day"), contextOf);
  registerEventsChanges(addCommand(command, "changes", "list what changed since the last run"), contextOf);
  registerEventsGet(addCommand(command, "get", "show events"), contextOf);
  registerEventsCreate(addCommand(command, "create", "create an event"), contextOf);
  registerEventsUpdate(
    addCommand(
      command,
      "update",
      "update an event; other fields are not changed, but --start also moves the end",
    ),
    contextOf,
  );
  registerEventsDelete(addCommand(command, "delete", "delete events"), contextOf);
}
