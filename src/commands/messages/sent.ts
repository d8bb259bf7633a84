import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import type { Run } from "../../run/run.js";
import { sentView } from "./sent-view.js";

export function registerSent(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    prints: { view: sentView, count: "list" },
    examples: () => [
      ["What was sent, and what is not known to have arrived", "calctl sent"],
      ["Outcomes and first lines", "calctl sent --fields outcome,what"],
    ],
  });
  addAction(command, runOf, runSent);
}

/** Lists what went out in the last 30 days. */
async function runSent(run: Run): Promise<void> {
  const output = run.output.of(sentView);
  const sent = await run.state.sent();
  const messages = await sent.list();
  await output.print(messages);
  if (!run.terminal.isTerminal) return;
  const { note } = run.output;
  if (messages.length === 0) note("nothing was sent in the last 30 days");
  if (!messages.some(({ outcome }) => outcome === "unknown")) return;
  note("check whether unknown ones arrived;");
  note("to send one again, repeat the command");
  note("with --again");
}
