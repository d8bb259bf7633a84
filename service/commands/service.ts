import type { Command } from "commander";
import { addAction, addCommand, type ContextOf, requireSubcommand } from "../../src/cli/command.js";
import { describeCommand } from "../../src/cli/command-facts.js";
import type { Context } from "../../src/context.js";
import { JSON_DOCUMENT } from "../../src/output/views/plain.js";
import type { AccessContext } from "../access/access.js";
import { createServiceAccess } from "../access/service-access.js";
import { registerServiceCalendars } from "./calendars.js";
import { registerServiceClients, registerServiceTokens } from "./clients.js";
import { registerServiceDatabase } from "./database.js";
import { registerServiceLabels } from "./labels.js";
import { registerServiceMembers } from "./members.js";
import { registerServiceResync } from "./resync.js";
import { registerServiceStart } from "./start.js";
import { registerServiceUsers } from "./users.js";

export function registerService(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  registerServiceStart(addCommand(command, "start", "serve the embedded service over HTTP"), contextOf);
  registerServiceUsers(
    addCommand(command, "users", "add, list, disable and unlock users, set passwords"),
    contextOf,
  );
  registerServiceCalendars(
    addCommand(command, "calendars", "add, change, remove and list calendars"),
    contextOf,
  );
  registerServiceMembers(addCommand(command, "members", "add, remove and list members"), contextOf);
  registerServiceLabels(addCommand(command, "labels", "set names and colors of labels"), contextOf);
  registerServiceClients(addCommand(command, "clients", "add, list and remove OAuth clients"), contextOf);
  registerServiceTokens(addCommand(command, "tokens", "create, list and revoke tokens"), contextOf);
  registerServiceDatabase(command, contextOf);
  registerServiceResync(command, contextOf);
  const openApi = addCommand(command, "openapi", "print the contract as OpenAPI 3.1");
  describeCommand(openApi, {
    prints: "json",
    examples: () => [
      ["For a tool that reads OpenAPI", "calctl service openapi >openapi.json"],
      ["Which endpoints are there?", "calctl service openapi --jq '.paths | keys[]'"],
    ],
  });
  addAction(openApi, contextOf, runServiceOpenApi);
}

/** Prints the contract as an OpenAPI 3.1 document, always as JSON. */
async function runServiceOpenApi(context: AccessContext & Pick<Context, "output">): Promise<void> {
  await context.output.of(JSON_DOCUMENT).print(await createServiceAccess(context).openApi());
}
