import type { Command } from "commander";
import type { Context } from "../context.js";
import { userView } from "../output/views/user.js";
import type { ContextOf } from "./command.js";

export function registerWhoami(command: Command, contextOf: ContextOf): void {
  command.action(() => runWhoami(contextOf(command)));
}

/** Shows the current user. */
export async function runWhoami(context: Pick<Context, "api" | "output">): Promise<void> {
  const output = context.output(userView);
  const api = await context.api();
  await output.print(await api.getCurrentUser());
}
