import type { Command } from "commander";
import type { Context } from "../../context.js";
import { emptyValueError, usageError } from "../../errors.js";
import { describeCommand } from "../../help/facts.js";
import { backupView } from "../../output/views/service.js";
import { addAction, type ContextOf } from "../command.js";
import { addAdminCommand, type DatabaseFlag } from "./admin-command.js";

/** Adds the commands that work on a database as a whole. */
export function registerServiceDatabase(command: Command, contextOf: ContextOf): void {
  const backup = addAdminCommand(command, "backup <file>", "copy the database, while the service may run");
  describeCommand(backup, {
    prints: { view: backupView, count: "one" },
    examples: () => [
      ["A file that is named after the day", 'calctl service backup "calendar-$(date +%F).db"'],
    ],
  });
  addAction(backup, contextOf, runServiceBackup);
}

export interface ServiceBackupOptions extends DatabaseFlag {
  readonly file: string;
}

/** Prints what is in the copy, which was checked. */
export async function runServiceBackup(
  context: Pick<Context, "service" | "output">,
  { db, file }: ServiceBackupOptions,
): Promise<void> {
  const output = context.output(backupView);
  if (file === "") throw emptyValueError("FILE");
  if (file === "-") throw usageError("FILE: a backup cannot go to stdout", "write the path of a new file");
  const backup = await context.service.backup({ database: db, file });
  await output.print(backup, `the backup ${backup.file} was made`);
}
