import type { Command } from "commander";
import type { Activity, Comment } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import type { EventAddress } from "../../api/endpoints.js";
import { describeCommand, type RunOf } from "../../cli/command.js";
import { addPickAction } from "../../cli/missing-values.js";
import { CliError, usageError } from "../../errors.js";
import { createEventFinder } from "../../events/find/calendar-choice.js";
import { chooseEventId } from "../../events/find/event-ids.js";
import { userText } from "../../events/localized-event.js";
import { checkKey, checkText } from "../../events/patch.js";
import { CREATOR, TIMESTAMPS } from "../../events/views/calendar.js";
import { describeInstant } from "../../events/views/event-when.js";
import { write } from "../../events/write.js";
import { sanitizeBlock, sanitizeLine } from "../../output/sanitize.js";
import type { Clock, DrawOptions, Rendering, View } from "../../output/view.js";
import type { Run } from "../../run/run.js";

interface CommentOptions {
  /** Undefined to pick an event. */
  readonly id?: string;
  /** The comment; undefined when it comes from a file, stdin or a prompt. */
  readonly text?: string;
  /** A path, or `-` for stdin. */
  readonly file?: string;
  readonly key?: string;
}

export function registerComment(command: Command, runOf: RunOf): void {
  command
    .argument("[id]", "event id (default: prompt)")
    .argument("[text]", "the comment (default: stdin; on a terminal, prompt)")
    .option("--file <path|->", "file with the comment, - for stdin")
    .option("--key <key>", "idempotency key: the command can be repeated without posting twice");
  describeCommand(command, {
    prints: { view: activityView, count: "one" },
    examples: () => [
      [
        "Comment on today's first event",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl comment "$id" "I bring the cake"',
      ],
      [
        "Post the output of a program",
        'date | calctl comment "$(calctl events list --fields id | head -n 1)"',
      ],
    ],
  });
  addPickAction(command, runOf, runComment);
}

/** Comments on an event. */
async function runComment(run: Run, options: CommentOptions): Promise<void> {
  const output = run.output.of(activityView);
  const { text, file, key } = options;
  checkKey(key);
  if (text !== undefined && file !== undefined) throw usageError("use either TEXT or --file, not both");
  const eventId = await chooseEventId(run, options.id);
  const post = async (content: string): Promise<void> => {
    checkText({ comment: content });
    const finder = await createEventFinder(run);
    const { id: calendarId } = await finder.findCalendar(eventId);
    // It was read to find the calendar.
    const title = finder.several ? (await finder.read(eventId)).event.title : null;
    const request = { kind: "comment", calendarId, eventId, title, content, key } as const;
    const { created, isRepeat } = await write(run, request);
    if (isRepeat) run.output.note(`already posted with key "${key}"`);
    await output.print(created, `comment ${created.id} was ${isRepeat ? "already " : ""}posted`);
  };
  if (text !== undefined) return post(text);
  if (file !== undefined || !run.terminal.input.isTerminal)
    return post(await run.terminal.input.text(file ?? "-", "--file"));
  return askComment(run, post);
}

export function registerComments(command: Command, runOf: RunOf): void {
  command.argument("[id]", "event id (default: prompt)");
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
  addPickAction(command, runOf, runComments);
}

/** Lists the comments on an event, oldest first. */
async function runComments(run: Run, { id }: Pick<CommentOptions, "id">): Promise<void> {
  const output = run.output.of(commentView);
  const eventId = await chooseEventId(run, id);
  const { id: calendarId } = await (await createEventFinder(run)).findCalendar(eventId);
  const pages = await openComments(await run.api(), { calendarId, eventId });
  const read: (readonly Comment[])[] = [];
  for await (const page of pages) {
    if (output.stream === null) read.push(page);
    // Nobody reads the rest.
    else if (!(await output.stream(page))) return;
  }
  if (output.stream !== null) return;
  const comments = read.flat();
  if (comments.length === 0 && run.terminal.isTerminal) run.output.note("no comments");
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

/** Asks for one line, or opens the editor for more. */
async function askComment({ terminal }: Run, post: (content: string) => Promise<void>): Promise<void> {
  if (!terminal.prompt.available)
    throw usageError("the comment is missing", "pass it as TEXT, with --file, or on stdin");
  const editor = await terminal.openEditor();
  const question = editor.command === null ? "Comment:" : "Comment (nothing opens the editor):";
  const line = await terminal.prompt.text(question, {
    check: (answer) => {
      if (answer !== "" || editor.command === null) checkText({ comment: answer });
    },
  });
  if (line !== "") return post(line);
  await editor.withFile("comment.txt", async (file) => {
    const content = await file.write();
    if (content.trim() === "") throw new CliError("interrupted", "nothing was posted");
    await post(content);
  });
}

/** One comment, as the service answers it when it is written. */
export const activityView: View<Activity> = {
  noun: "comment",
  shape: "activity",
  keys: {
    id: { type: "string" },
    event_id: { type: "string", header: "Event" },
    calendar_id: { type: "string", header: "Calendar" },
    content: { type: "string?", header: "Comment", minWidth: 8, multiline: true },
    ...TIMESTAMPS,
  },
  tsv: ["id", "event_id", "content", "created_at"],
  table: ["created_at", "content", "id"],
  detail: ["content", "created_at", "event_id", "id"],
};

/** The comments on an event, by their authors: one after the other, for reading. */
export const commentView: View<Comment> = {
  ...activityView,
  shape: "comment",
  keys: {
    ...activityView.keys,
    ...CREATOR,
  },
  table: ["created_at", "creator", "content", "id"],
  draw: (rendering, drawing) => (isList(rendering) ? drawComments(rendering, drawing) : null),
  formats: {
    async markdown(rendering) {
      const { escapeMarkdown, linesOf, renderMarkdown } = await import("../../output/formats/markdown.js");
      if (!isList(rendering)) return renderMarkdown(rendering);
      const blocks = rendering.values.map((comment) => {
        const { name, time } = describeAuthor(comment, rendering);
        const lines = linesOf({ text: comment.content ?? "" }).map((line) => `> ${line}`);
        return `**${escapeMarkdown(name)}** ${escapeMarkdown(time)}\n\n${lines.join("\\\n")}\n`;
      });
      return blocks.join("\n");
    },
  },
};

/** Whether whole comments are shown, not columns. */
function isList({ fields, single }: Rendering<Comment>): boolean {
  return fields === null && !single;
}

const INDENT = "  ";

/** Who wrote a comment, and when, in the chosen zone. Sanitized; empty for what is not known. */
function describeAuthor({ creator, created_at }: Comment, clock: Clock) {
  const time = created_at === null ? "" : sanitizeLine(describeInstant(created_at, clock));
  return { name: sanitizeLine(userText(creator)).trim() || "unknown", time };
}

/** Comments below each other: who and when, then the text, wrapped. */
async function drawComments(
  { values, ...clock }: Rendering<Comment>,
  { style, width }: DrawOptions,
): Promise<string> {
  const { wrapText } = await import("../../output/table/text-width.js");
  const blocks = values.map((comment) => {
    const { name, time } = describeAuthor(comment, clock);
    const text = sanitizeBlock(comment.content ?? "").trimEnd();
    const lines = wrapText(text, { width: width - INDENT.length, breakWords: true });
    return [`${style.bold(name)}${INDENT}${style.dim(time)}`, ...lines.map((line) => INDENT + line)];
  });
  return blocks.map((block) => block.map((line) => `${line.trimEnd()}\n`).join("")).join("\n");
}
