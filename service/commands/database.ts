import type { Command } from "commander";
import { addAction, addCommand, describeCommand, type RunOf } from "../../src/cli/command.js";
import { configurationError, emptyValueError, missingFlagsError, usageError } from "../../src/errors.js";
import { checkView } from "../../src/output/views/check.js";
import type { Run } from "../../src/run/run.js";
import { backupView, copiedTableView, resyncView } from "../views/service.js";
import { addDatabaseFlag, adminCommand, type DatabaseFlag } from "./admin-command.js";

/** Adds the commands that work on a database as a whole. */
export function registerServiceDatabase(command: Command, runOf: RunOf): void {
  addBackup(command, runOf);
  const check = addCommand(command, "check", "verify the database, while the service may run");
  describeCommand(addDatabaseFlag(check), {
    prints: { view: checkView, count: "list" },
    examples: () => [
      ["Check the database in use", "calctl service check"],
      [
        "Back up, and check the backup",
        "calctl service backup new.db && calctl service check --db sqlite:new.db",
      ],
    ],
  });
  addAction(check, runOf, runServiceCheck);
  const copy = addCommand(command, "copy", "copy everything to an empty database, and compare the two")
    .option("--from <database>", "database to read: sqlite:PATH or postgres://… (required)")
    .option("--to <database>", "empty database to write: sqlite:PATH or postgres://… (required)");
  describeCommand(copy, {
    prints: { view: copiedTableView, count: "list" },
    examples: () => [
      [
        "Copy the database of the profile local",
        "calctl service copy --from ~/.local/share/calctl/local.db --to sqlite:new.db",
      ],
    ],
  });
  addAction(copy, runOf, runServiceCopy);
  addResync(command, runOf);
}

/** Prints how many calendars have a revision now that no client knows. */
const addResync = adminCommand({
  name: "resync",
  summary: "make clients read everything again, after a database was restored",
  prints: { view: resyncView, count: "one" },
  examples: [["After a backup was restored", "calctl service resync"]],
  create: false,
  run: async (open) => (await open()).resync(),
  completed: () => "clients will read everything again",
});

/** Prints what is in the copy, which was checked. */
const addBackup = adminCommand({
  name: "backup <file>",
  summary: "copy the database, while the service may run",
  prints: { view: backupView, count: "one" },
  examples: [["A backup named after the day", 'calctl service backup "calendar-$(date +%F).db"']],
  async run(_, { db, file }: DatabaseFlag & { readonly file: string }, run) {
    if (file === "") throw emptyValueError("FILE");
    if (file === "-") throw usageError("FILE: a backup cannot go to stdout", "write the path of a new file");
    const { backUpDatabase } = await import("../access/whole-database.js");
    return backUpDatabase(run, { database: db, file });
  },
  completed: ({ file }) => `the backup ${file} was made`,
});

/** Prints what was checked, also when something is wrong, which then is exit 10. */
async function runServiceCheck(run: Run, { db }: DatabaseFlag): Promise<void> {
  const output = run.output.of(checkView);
  const { checkDatabase } = await import("../access/whole-database.js");
  const findings = await checkDatabase(run, db);
  await output.print(findings);
  const failed = findings.filter(({ ok }) => !ok).map(({ check }) => check);
  if (failed.length === 0) return;
  throw configurationError(`the database is damaged: ${failed.join(", ")}`, {
    hint: "restore a backup that passes this check",
  });
}

interface ServiceCopyOptions {
  /** `sqlite:PATH` or a path. */
  readonly from?: string;
  readonly to?: string;
}

/** Prints the tables that are now in both databases. */
async function runServiceCopy(run: Run, { from, to }: ServiceCopyOptions): Promise<void> {
  const output = run.output.of(copiedTableView);
  if (from === undefined || to === undefined)
    throw missingFlagsError([
      ...(from === undefined ? ["--from"] : []),
      ...(to === undefined ? ["--to"] : []),
    ]);
  const { copyDatabase } = await import("../access/whole-database.js");
  const tables = await copyDatabase(run, { from, to });
  run.output.note(
    "not copied: browser sessions, codes of logins in progress, and what is counted of sign-ins and requests",
  );
  await output.print(tables, "the copy is complete");
}
