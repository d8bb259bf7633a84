import type { Command } from "commander";
import type { Context } from "../context.js";
import { labelView } from "../output/views/label.js";
import { type CalendarContext, chooseCalendar } from "./calendar-choice.js";
import type { ContextOf } from "./command.js";

export function registerLabels(command: Command, contextOf: ContextOf): void {
  command.action(() => runLabels(contextOf(command)));
}

/** Lists the labels of a calendar. */
export async function runLabels(context: CalendarContext & Pick<Context, "output">): Promise<void> {
  const output = context.output(labelView);
  const { id } = await chooseCalendar(context);
  const api = await context.api();
  await output.print(await api.listLabels(id));
}
