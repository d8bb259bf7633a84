import type { Command } from "commander";
import type { Context } from "../../context.js";
import type { ContextOf } from "../command.js";

export function registerServiceOpenApi(command: Command, contextOf: ContextOf): void {
  command.action(() => runServiceOpenApi(contextOf(command)));
}

/** Prints the contract as an OpenAPI 3.1 document: always JSON, whatever the format of lists. */
export async function runServiceOpenApi(context: Pick<Context, "service" | "printJson">): Promise<void> {
  await context.printJson(await context.service.openApi(), "indented");
}
