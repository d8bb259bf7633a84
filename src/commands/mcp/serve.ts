import type { Context } from "../../context.js";
import { CliError, usageError } from "../../errors.js";
import { readByteLines } from "../../terminal/json-items.js";
import type { CalendarContext } from "../calendar-choice.js";
import { createCalls } from "./calls.js";
import { answerLine, refuseLongLine, type ToolArguments } from "./protocol.js";
import { createTools, NOTICE } from "./tools.js";

/** Serves the tools on stdin and stdout until stdin ends or stdout is closed. @throws CliError interrupted by a signal */
export async function serveTools(
  context: CalendarContext & Pick<Context, "program" | "machine" | "output">,
  allowWrite: boolean,
): Promise<void> {
  const { flags, machine, output, program, terminal } = context;
  if (flags.dryRun)
    throw usageError("--dry-run: an agent would not see what it is", "leave out --allow-write");
  const tree = await program.commandTree();
  const call = createCalls(context);
  const tools = createTools(tree, allowWrite).map((tool) => {
    return { told: tool.told, call: (given: ToolArguments) => call(tool, given) };
  });
  const serverInfo = { name: "calctl", version: tree.version() ?? "" };
  const server = { serverInfo, instructions: `The user's shared calendars. ${NOTICE}`, tools };
  if (terminal.input.isTerminal)
    output.note("waiting for an agent's program to speak on stdin; Ctrl-D ends it");
  const send = (answer: object) => machine.stdout.write(`${JSON.stringify(answer)}\n`);
  const readError = (cause: unknown) => new CliError("failed", "stdin cannot be read", { cause });
  const onTooLong = () => send(refuseLongLine());
  const options = { name: "stdin", signal: machine.signal(), readError, onTooLong };
  for await (const line of readByteLines(machine.process.stdin, options)) {
    const answer = line?.trim() === "" ? null : await answerLine(line, server);
    if (answer !== null) await send(answer);
    if (machine.stdout.isClosed) return;
  }
}
