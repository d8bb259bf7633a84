import { CliError, usageError } from "../../../errors.js";
import type { Run } from "../../../run/run.js";
import { readByteLines } from "../../../terminal/json-items.js";
import { describeLocal, formatLocal } from "../../../time/zoned-time.js";

import { createCalls, createToolPicker } from "./calls.js";
import { createSession, refuseLongLine, type ToolArguments, type ToolServer } from "./protocol.js";
import { createTools, NOTICE } from "./tools.js";

/** Serves the tools on stdin and stdout until stdin ends or stdout is closed. @throws CliError configuration, interrupted by a signal */
export async function serveTools(run: Run, allowWrite: boolean): Promise<void> {
  const { config, flags, machine, now, output, program, terminal } = run;
  if (flags.dryRun)
    throw usageError("--dry-run: an agent would not know that nothing is written", "leave out --allow-write");
  // Read before anything is served: what is wrong with the profile is said once, to the user.
  const { timezone } = config.settings();
  const tree = await program.commandTree();
  const pickTool = createToolPicker(run);
  const call = createCalls(run, pickTool);
  const tools = createTools(tree, allowWrite).map((tool) => {
    return {
      name: tool.name,
      // A service that does not respond now fails the call.
      describe: async () => (await pickTool(tool).catch(() => tool)).told,
      call: (given: ToolArguments, signal: AbortSignal) => call(tool, given, signal),
    };
  });
  const serverInfo = { name: "calctl", version: tree.version() ?? "" };
  const server = { serverInfo, instructions: () => instructionsAt(now(), timezone), tools };
  if (terminal.input.isTerminal) output.note("waiting for an MCP client on stdin; press Ctrl-D to stop");
  await serveLines(machine, server);
}

/** @param now milliseconds since the Unix epoch */
function instructionsAt(now: number, zone: string): string {
  const time = describeLocal(formatLocal(now, zone), zone);
  return `The user's shared calendars. This session began on ${time}; times without an offset are in this zone. ${NOTICE}`;
}

interface Streams {
  readonly process: { readonly stdin: Parameters<typeof readByteLines>[0] };
  readonly signal: () => AbortSignal;
  readonly stdout: Pick<Run["machine"]["stdout"], "write" | "isClosed">;
}

/** Answers the lines of stdin. It reads no more of them while nobody reads the answers. */
export async function serveLines({ process, signal, stdout }: Streams, server: ToolServer): Promise<void> {
  const stopped = new AbortController();
  const readerLeft = new CliError("interrupted", "stdout is closed");
  const ended = AbortSignal.any([signal(), stopped.signal]);
  const respond = createSession(server, ended);
  let written = Promise.resolve();
  const send = (response: object): Promise<void> => {
    written = stdout.write(`${JSON.stringify(response)}\n`);
    return written;
  };
  const handleLine = async (line: string | null): Promise<void> => {
    const response = line?.trim() === "" ? null : await respond(line);
    if (response !== null) await send(response);
    if (stdout.isClosed) stopped.abort(readerLeft);
  };
  const readError = (cause: unknown) => new CliError("failed", "stdin cannot be read", { cause });
  const options = { name: "stdin", signal: ended, readError, onTooLong: () => send(refuseLongLine()) };
  let handled = Promise.resolve();
  try {
    for await (const line of readByteLines(process.stdin, options)) {
      // Not awaited: what cancels a call arrives while it runs.
      const handling = handleLine(line).catch((error) => stopped.abort(error));
      handled = handled.then(() => handling);
      await written;
    }
  } catch (error) {
    stopped.abort(error);
  }
  await handled;
  if (ended.reason !== readerLeft) ended.throwIfAborted();
}
