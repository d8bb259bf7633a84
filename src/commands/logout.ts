import type { Command } from "commander";
import type { Context } from "../context.js";
import type { ContextOf } from "./command.js";

export function registerLogout(command: Command, contextOf: ContextOf, run = runLogout): void {
  command.action(() => run(contextOf(command)));
}

/** Removes the stored token; without one there is nothing to do. */
export async function runLogout({
  session,
  note,
  warn,
}: Pick<Context, "session" | "note" | "warn">): Promise<void> {
  const { profile, removed, otherSource } = await session.logout();
  note(
    removed
      ? `logged out: the token of profile ${profile} is removed`
      : `profile ${profile} had no stored token`,
  );
  if (otherSource !== null) warn(`${otherSource} is set and signs in all the same`);
}
