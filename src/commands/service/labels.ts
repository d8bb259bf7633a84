import type { Command } from "commander";
import { usageError } from "../../errors.js";
import { labelView } from "../../output/views/label.js";
import { type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag, requiredCalendar } from "./admin-command.js";

export interface LabelsSetOptions extends DatabaseFlag {
  /** Number of the label, as typed. */
  readonly number: string;
  readonly name?: string;
  readonly labelColor?: string;
}

export function registerServiceLabels(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const set = addAdminCommand(command, "set", "set name or colour of a label of --calendar");
  set
    .argument("<number>", "1 to 10")
    .option("--name <name>", "name; empty makes it nameless")
    .option("--label-color <#RRGGBB>", "colour")
    .action((number: string, options: Omit<LabelsSetOptions, "number">) =>
      runLabelsSet(contextOf(set), { ...options, number }),
    );
}

export async function runLabelsSet(context: AdminContext, options: LabelsSetOptions): Promise<void> {
  const output = context.output(labelView);
  const { db, number, name, labelColor: color } = options;
  const missing = name === undefined && color === undefined ? ["--name or --label-color"] : [];
  const calendar = requiredCalendar(context, missing);
  if (!/^\d{1,3}$/.test(number))
    throw usageError(`NUMBER: "${number}" is no number of a label`, "write 1 to 10");
  const admin = await context.service.admin(db);
  const change = { ...(name === undefined ? {} : { name }), ...(color === undefined ? {} : { color }) };
  const label = await admin.labels.set(calendar, Number(number), change);
  await output.print(label, `label ${label.id} was set`);
}
