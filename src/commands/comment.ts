import type { Command } from "commander";
import { checkText } from "../calendar/event-text.js";
import type { Context } from "../context.js";
import { usageError } from "../errors.js";
import { describeCommand } from "../help/facts.js";
import { activityView } from "../output/views/event.js";
import { type CalendarContext, createEventFinder } from "./calendar-choice.js";
import { addAction, type ContextOf } from "./command.js";
import { readEventId } from "./events/event-ids.js";

export interface CommentOptions {
  readonly id: string;
  /** The comment; undefined when it comes from a file or stdin. */
  readonly text?: string;
  /** A path, or `-` for stdin. */
  readonly file?: string;
}

export function registerComment(command: Command, contextOf: ContextOf): void {
  command
    .argument("<id>", "id of the event")
    .argument("[text]", "the comment (default: read from stdin)")
    .option("--file <path|->", "read the comment from a file, - for stdin");
  describeCommand(command, {
    prints: { view: activityView, count: "one" },
    examples: () => [
      [
        "On the first event of today",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl comment "$id" "I bring the cake"',
      ],
      ["What a program prints", 'uptime | calctl comment "$(calctl events list --fields id | head -n 1)"'],
    ],
  });
  addAction(command, contextOf, runComment);
}

/** Comments on an event. */
export async function runComment(
  context: CalendarContext & Pick<Context, "output" | "input">,
  options: CommentOptions,
): Promise<void> {
  const output = context.output(activityView);
  const eventId = readEventId(context, options.id);
  const content = await readComment(context, options);
  const calendar = await (await createEventFinder(context)).findCalendar(eventId);
  const api = await context.api();
  const activity = await api.createActivity({ calendarId: calendar.id, eventId }, content);
  await output.print(activity, `comment ${activity.id} was posted`);
}

async function readComment(
  { input }: Pick<Context, "input">,
  { text, file }: CommentOptions,
): Promise<string> {
  if (text !== undefined && file !== undefined) throw usageError("give either TEXT or --file, not both");
  if (text === undefined && file === undefined && input.isTerminal) {
    throw usageError("the comment is missing", "give it as TEXT, with --file, or on stdin");
  }
  const comment = text ?? (await input.text(file ?? "-", "--file"));
  checkText({ comment });
  return comment;
}
