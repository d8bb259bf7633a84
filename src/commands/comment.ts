import type { Command } from "commander";
import type { Api, EventAddress } from "../api/client.js";
import { checkText } from "../calendar/event-text.js";
import type { Context } from "../context.js";
import type { Comment } from "../contract/shapes.js";
import { CliError, usageError } from "../errors.js";
import { describeCommand } from "../help/facts.js";
import { commentView } from "../output/views/comment.js";
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

export function registerComments(command: Command, contextOf: ContextOf): void {
  command.argument("<id>", "id of the event");
  describeCommand(command, {
    prints: { view: commentView, count: "list" },
    examples: () => [
      [
        "What was said about the first event of today",
        'calctl comments "$(calctl events list --fields id | head -n 1)"',
      ],
      [
        "The last comment, for a script",
        'id="$(calctl events list --fields id | head -n 1)"',
        "calctl comments \"$id\" --jq 'last | .content'",
      ],
    ],
  });
  addAction(command, contextOf, runComments);
}

/** Lists the comments on an event, oldest first. */
export async function runComments(
  context: CalendarContext & Pick<Context, "output" | "isTerminal" | "note">,
  { id }: Pick<CommentOptions, "id">,
): Promise<void> {
  const output = context.output(commentView);
  const eventId = readEventId(context, id);
  const pages = await context.names.whileReading(async () => {
    const { id: calendarId } = await (await createEventFinder(context)).findCalendar(eventId);
    return openComments(await context.api(), { calendarId, eventId });
  });
  const comments: Comment[] = [];
  for await (const page of pages) {
    if (output.stream === null) comments.push(...page);
    // Nobody reads the rest.
    else if (!(await output.stream(page))) return;
  }
  if (output.stream !== null) return;
  if (comments.length === 0 && context.isTerminal) context.note("no comments");
  await output.print(comments);
}

/** @throws CliError rejected when the service does not list comments, not_found when there is no such event */
async function openComments(api: Api, address: EventAddress): Promise<AsyncIterable<readonly Comment[]>> {
  const pages = await api.listComments(address);
  if (pages !== null) return pages;
  await api.getEvent(address);
  throw new CliError("rejected", "this service does not list comments", {
    hint: "comments are an extension; see docs/extensions.md",
  });
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
