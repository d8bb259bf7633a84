import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { DATE_ORDERS } from "./csv.js";
import { IMPORT_FORMATS } from "./read.js";
import type { ImportFlags } from "./read-source.js";
import { runImport } from "./run-import.js";
import { importView } from "./view.js";

export function registerImport(command: Command, runOf: RunOf): void {
  command
    .argument("[file]", "iCalendar, CSV or NDJSON file, - for stdin")
    .addOption(
      command
        .createOption("--as <format>", "format of the file, if its content does not show it")
        .choices(IMPORT_FORMATS),
    )
    .option("--source <name>", "name by which a later run finds its events (default: the file's name)")
    .option("--columns <names>", 'columns of a CSV file: title=Subject,start="Start Date"')
    .addOption(
      command
        .createOption("--dates <order>", "order of day, month and year in a CSV file, if not ISO 8601")
        .choices(DATE_ORDERS),
    )
    .option("--from <date>", "first day of the single events that a repeating event becomes (default: today)")
    .option("--to <date>", "last day of these events (default: a year later)")
    .option("--label <number|id|name>", "label of events without one")
    .option(
      "--overwrite",
      "also write events that were changed in the calendar, or imported in a newer version",
    )
    .option(
      "--prune [all]",
      "delete events of this source that are no longer in the file; =all even if that is most of them",
    )
    .option("--truncate", "cut texts that are too long, instead of rejecting them")
    .option("--rejects <file>", "write what was rejected to a file of the same format")
    .option("-y, --yes", "skip the confirmation");
  describeCommand(command, {
    prints: { view: importView, count: "one" },
    examples: () => [
      [
        "What a file would change, and then the changes",
        "calctl events list -c Work --days 7 -o ics >work.ics",
        "calctl import work.ics -c Family --dry-run",
        "calctl import work.ics -c Family --yes",
      ],
      [
        "Synchronize a calendar with a published one, from a crontab",
        "calctl events list -c Work -o ics | calctl import - -c Family --source work --prune --yes",
      ],
    ],
  });
  addAction<ImportFlags>(command, runOf, runImport);
}
