import type { Command } from "commander";
import type { Context } from "../context.js";
import { CliError } from "../errors.js";
import { createBareView } from "../output/views/bare.js";
import type { ContextOf } from "./command.js";

export function registerToken(command: Command, contextOf: ContextOf, run = runToken): void {
  command.action(() => run(contextOf(command)));
}

/** Prints the token that commands send, for other programs. */
export async function runToken(context: Pick<Context, "session" | "output">): Promise<void> {
  const output = context.output(createBareView("token"));
  const token = await context.session.token();
  if (token === null) {
    throw new CliError("not_signed_in", "there is no token for this profile", {
      hint: "run calctl login; the profile `local` needs none",
    });
  }
  await output.print({ token });
}
