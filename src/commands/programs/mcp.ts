import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";

export function registerMcp(command: Command, runOf: RunOf): void {
  command.option("--allow-write", "let it create, update, delete and comment on events, too");
  describeCommand(command, {
    examples: () => [
      ["For the settings of an agent: read one calendar", "calctl mcp -c Family </dev/null"],
      ["Let it write there, too", "calctl mcp -c Family --allow-write </dev/null"],
    ],
  });
  addAction<{ readonly allowWrite?: boolean }>(command, runOf, async (run, { allowWrite }) => {
    const { serveTools } = await import("./mcp/serve.js");
    await serveTools(run, allowWrite === true);
  });
}
