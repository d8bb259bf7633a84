import type { Command } from "commander";
import { addAction, type ContextOf } from "../../src/cli/command.js";
import { describeCommand } from "../../src/cli/command-facts.js";
import type { Context } from "../../src/context.js";
import type { AccessContext } from "../access/access.js";
import { createServiceAccess } from "../access/service-access.js";
import { resyncView } from "../views/service.js";
import { addAdminCommand, type DatabaseFlag } from "./admin-command.js";

export function registerServiceResync(command: Command, contextOf: ContextOf): void {
  const resync = addAdminCommand(
    command,
    "resync",
    "make clients read everything again, after a database was restored",
  );
  describeCommand(resync, {
    prints: { view: resyncView, count: "one" },
    examples: () => [["After a backup was put in its place", "calctl service resync"]],
  });
  addAction(resync, contextOf, runServiceResync);
}

/** Prints how many calendars have a revision now that no client knows. */
async function runServiceResync(
  context: AccessContext & Pick<Context, "output">,
  { db }: DatabaseFlag,
): Promise<void> {
  const output = context.output.of(resyncView);
  const admin = await createServiceAccess(context).admin(db, { create: false });
  await output.print(await admin.resync(), "clients will read everything again");
}
