import type { Command } from "commander";
import {
  addAction,
  addCommand,
  describeCommand,
  type RunOf,
  requireSubcommand,
} from "../../src/cli/command.js";
import { JSON_DOCUMENT } from "../../src/output/views/plain.js";
import type { Run } from "../../src/run/run.js";
import { describeContract } from "../access/admin.js";
import { calendarCommands, labelCommands, memberCommands } from "./calendars.js";
import { clientCommands, tokenCommands } from "./clients.js";
import { registerServiceDatabase } from "./database.js";
import { registerServiceStart } from "./start.js";
import { userCommands } from "./users.js";

const GROUPS = [
  ["users", "add, list, disable and unlock users, set passwords", userCommands],
  ["calendars", "add, change, remove and list calendars", calendarCommands],
  ["members", "add, remove and list members", memberCommands],
  ["labels", "set names and colors of labels", labelCommands],
  ["clients", "add, list and remove OAuth clients", clientCommands],
  ["tokens", "create, list and revoke tokens", tokenCommands],
] as const;

export function registerService(command: Command, runOf: RunOf): void {
  requireSubcommand(command);
  registerServiceStart(addCommand(command, "start", "serve the embedded service over HTTP"), runOf);
  for (const [name, summary, adminCommands] of GROUPS) {
    const group = addCommand(command, name, summary);
    requireSubcommand(group);
    for (const add of adminCommands) add(group, runOf);
  }
  registerServiceDatabase(command, runOf);
  const openApi = addCommand(command, "openapi", "print the contract as OpenAPI 3.1");
  describeCommand(openApi, {
    prints: "json",
    anyFormat: true,
    examples: () => [
      ["Write the contract to a file", "calctl service openapi >openapi.json"],
      ["List the endpoints", "calctl service openapi --jq '.paths | keys[]'"],
    ],
  });
  addAction(openApi, runOf, runServiceOpenApi);
}

/** Prints the contract as an OpenAPI 3.1 document, always as JSON. */
async function runServiceOpenApi({ output }: Run): Promise<void> {
  await output.of(JSON_DOCUMENT).print(await describeContract());
}
