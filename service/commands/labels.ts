import type { Command } from "commander";
import { addAction, type ContextOf, requireSubcommand } from "../../src/cli/command.js";
import { describeCommand } from "../../src/cli/command-facts.js";
import { completeValues } from "../../src/commands/missing-values.js";
import { usageError } from "../../src/errors.js";
import { labelView } from "../../src/output/views/calendar.js";
import type { ServiceAdmin } from "../admin/admin.js";
import {
  type AskingContext,
  addAdminCommand,
  type DatabaseFlag,
  neededAmong,
  neededCalendarFlag,
  neededChange,
  type OfCalendar,
  openAdmin,
} from "./admin-command.js";

interface LabelsSetOptions extends DatabaseFlag {
  /** Number of the label, as typed. */
  readonly number?: string;
  readonly name?: string;
  readonly labelColor?: string;
}

export function registerServiceLabels(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const set = addAdminCommand(command, "set", "set name or color of a label of --calendar")
    .argument("[number]", "1 to 10")
    .option("--name <name>", "name; empty removes it")
    .option("--label-color <#RRGGBB>", "color");
  describeCommand(set, {
    prints: { view: labelView, count: "one" },
    examples: () => [
      [
        "Give a label a name and a color",
        'calctl service labels set 3 -c Club --name Match --label-color "#e73b3b"',
      ],
    ],
  });
  addAction(set, contextOf, runLabelsSet);
}

async function runLabelsSet(
  context: AskingContext,
  options: LabelsSetOptions,
  command: Command,
): Promise<void> {
  const output = () => context.output.of(labelView);
  const { db, labelColor: color } = options;
  const change = options.name ?? (color === undefined ? undefined : null);
  const list = { name: "NUMBER", given: options.number, noun: "Label", list: describeLabels };
  const { calendar, number, name } = await completeValues<SetLabel>(
    context.terminal.prompt,
    {
      calendar: neededCalendarFlag(context, db),
      number: neededAmong<OfCalendar>(context, db, list),
      name: neededChange(context, "--name or --label-color", change),
    },
    { command, check: output },
  );
  if (!/^\d{1,3}$/.test(number))
    throw usageError(`NUMBER: "${number}" is not the number of a label`, "write 1 to 10");
  const admin = await openAdmin(context, db);
  const label = await admin.labels.set(calendar, Number(number), { name: name ?? undefined, color });
  await output().print(label, `label ${label.id} was set`);
}

interface SetLabel {
  readonly calendar: string;
  readonly number: string;
  readonly name: string | null;
}

async function describeLabels({ calendars }: ServiceAdmin, { calendar: chosen = "" }: OfCalendar) {
  const { calendar } = await calendars.inspect(chosen);
  return calendar.labels.map(({ number, name, color }) => ({
    value: String(number),
    name: name === null || name === "" ? String(number) : `${number} ${name}`,
    color,
  }));
}
