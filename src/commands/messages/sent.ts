import type { Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { INSTANT } from "../../events/views/calendar.js";
import { describeInstant } from "../../events/views/event-when.js";
import { sanitizeLine } from "../../output/sanitize.js";
import { inCharset } from "../../output/style.js";
import type { DrawOptions, Rendering, View } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import type { SentMessage } from "../../state/sent.js";

export function registerSent(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    prints: { view: sentView, count: "list" },
    examples: () => [
      ["All messages that were sent or may have been sent", "calctl sent"],
      ["Outcomes and first lines, for a script", "calctl sent --fields outcome,what"],
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

/** The messages of `sent`: two lines each, for reading. */
export const sentView: View<SentMessage> = {
  noun: "message",
  shape: "message",
  keys: {
    id: { type: "string", minWidth: 12 },
    command: { type: "string", about: "post or remind" },
    target: { type: "string?", about: "where it went; null once that is forgotten", minWidth: 8 },
    what: { type: "string?", about: "its first line; null likewise", minWidth: 12 },
    at: { type: "string", about: INSTANT, cell: ({ at }, clock) => ({ text: describeInstant(at, clock) }) },
    outcome: { type: "string", about: "sent, unknown, or failed: it has certainly not arrived" },
  },
  tsv: ["id", "command", "target", "what", "at", "outcome"],
  draw: (rendering, drawing) => (rendering.fields === null ? drawMessages(rendering, drawing) : null),
};

const INDENT = "  ";
const WIDEST_OUTCOME = "unknown".length;

/** When, how it ended and the id, which fit in 40 columns; below it where it went, and its first line. */
async function drawMessages(
  { values, ...clock }: Rendering<SentMessage>,
  drawing: DrawOptions,
): Promise<string> {
  const { wrapText } = await import("../../output/table/text-width.js");
  const { style, width } = drawing;
  const blocks = values.map(({ id, at, outcome, target, what, command }) => {
    const color = outcome === "sent" ? style.dim : style.red;
    const state = color(outcome) + " ".repeat(WIDEST_OUTCOME - outcome.length);
    const head = [describeInstant(at, clock, { year: false }), state, style.dim(sanitizeLine(id))];
    const text = sanitizeLine(`${target ?? command}: ${what ?? "its first line is not known"}`);
    const lines = wrapText(text, { width: width - INDENT.length, breakWords: true });
    return [head.join(INDENT), ...lines.map((line) => INDENT + line)];
  });
  return inCharset(
    blocks.map((block) => block.map((line) => `${line.trimEnd()}\n`).join("")).join(""),
    drawing,
  );
}
