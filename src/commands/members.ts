import type { Command } from "commander";
import type { Context } from "../context.js";
import { userView } from "../output/views/user.js";
import { type CalendarContext, chooseCalendar } from "./calendar-choice.js";
import type { ContextOf } from "./command.js";

export function registerMembers(command: Command, contextOf: ContextOf): void {
  command.action(() => runMembers(contextOf(command)));
}

/** Lists the members of a calendar. */
export async function runMembers(context: CalendarContext & Pick<Context, "output">): Promise<void> {
  const output = context.output(userView);
  const { id } = await chooseCalendar(context);
  const api = await context.api();
  await output.print(await api.listMembers(id));
}
