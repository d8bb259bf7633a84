import type { Command } from "commander";
import { addCommand, type ContextOf, requireSubcommand } from "./command.js";
import { registerServiceCalendars } from "./service/calendars.js";
import { registerServiceClients } from "./service/clients.js";
import { registerServiceLabels } from "./service/labels.js";
import { registerServiceMembers } from "./service/members.js";
import { registerServiceOpenApi } from "./service/openapi.js";
import { registerServiceStart } from "./service/start.js";
import { registerServiceTokens } from "./service/tokens.js";
import { registerServiceUsers } from "./service/users.js";

export function registerService(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  registerServiceStart(addCommand(command, "start", "serve the embedded service to others"), contextOf);
  registerServiceUsers(addCommand(command, "users", "add, list and disable users, set passwords"), contextOf);
  registerServiceCalendars(addCommand(command, "calendars", "add and list calendars"), contextOf);
  registerServiceMembers(addCommand(command, "members", "add, remove and list members"), contextOf);
  registerServiceLabels(addCommand(command, "labels", "name and colour labels"), contextOf);
  registerServiceClients(addCommand(command, "clients", "add, list and remove OAuth clients"), contextOf);
  registerServiceTokens(addCommand(command, "tokens", "create, list and revoke tokens"), contextOf);
  registerServiceOpenApi(addCommand(command, "openapi", "print the contract as OpenAPI 3.1"), contextOf);
}
