import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";

export function registerMcp(command: Command, runOf: RunOf): void {
  command.option("--allow-write", "allow the agent to create, update, delete and comment on events");
  describeCommand(command, {
    examples: () => [
      ["Let an agent read one calendar (command for its settings)", "calctl mcp -c Family </dev/null"],
      ["Let it write to that calendar, too", "calctl mcp -c Family --allow-write </dev/null"],
    ],
  });
  addAction<{ readonly allowWrite?: boolean }>(command, runOf, async (run, { allowWrite }) => {
    const { serveTools } = await import("./mcp/serve.js");
    await serveTools(run, allowWrite === true);
  });
}
