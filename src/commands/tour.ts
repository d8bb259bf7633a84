import type { Command } from "commander";
import { addDays, localDate } from "../calendar/zoned-time.js";
import type { Context, Sandbox } from "../context.js";
import { CliError, EXIT_EMPTY } from "../errors.js";
import { describeCommand } from "../help/facts.js";
import { TEXT_DOCUMENT } from "../output/views/plain.js";
import { addAction, type ContextOf } from "./command.js";

export function registerTour(command: Command, contextOf: ContextOf): void {
  describeCommand(command, {
    prints: "text",
    examples: () => [["Each command with what it prints; nothing is saved", "calctl tour"]],
  });
  addAction(command, contextOf, runTour);
}

interface Step {
  readonly title: string;
  /** Arguments of `calctl`. */
  readonly argv: readonly string[];
}

/** Shows the main commands, each as a user would type it, with its output. */
export async function runTour(context: Pick<Context, "sandbox" | "output" | "now">): Promise<void> {
  const sandbox = await context.sandbox();
  const tomorrow = addDays(localDate(context.now(), sandbox.timezone), 1);
  const output = context.output(TEXT_DOCUMENT);
  const show = async (step: Step) => output.print(await perform(sandbox, step));
  await output.print(INTRODUCTION);
  for (const step of openingSteps(tomorrow)) await show(step);
  for (const step of eventSteps(await onlyEventId(sandbox), tomorrow)) await show(step);
  await output.print(closing(tomorrow));
}

const INTRODUCTION = `A tour of calctl on a throwaway calendar in memory. Nothing is saved.
`;

function closing(tomorrow: string): string {
  return `
# That was the tour.
The profile \`local\` has a calendar that is saved; it is created when you first use it:

  calctl events create --title "First event" --start ${tomorrow}T09:00 --duration 30m
  calctl events list --days 7
  calctl --help
`;
}

function openingSteps(tomorrow: string): readonly Step[] {
  return [
    { title: "Who am I?", argv: ["whoami"] },
    { title: "Which calendars can I use?", argv: ["calendars"] },
    { title: "Which labels does it have?", argv: ["labels", "-c", "Personal"] },
    { title: "Who else is in it?", argv: ["members", "-c", "Personal"] },
    {
      title: "Create an event. With only one calendar, there is no need to name it.",
      argv: [
        ...["events", "create", "--title", "Lunch with the team", "--start", `${tomorrow}T12:00`],
        ...["--duration", "1h", "--location", "Noodle bar", "--label", "bright orange", "--attendee", "me"],
      ],
    },
    { title: "What is coming up?", argv: ["events", "list", "--days", "2"] },
    {
      title: "The same for a script: JSON, with the fields it needs.",
      argv: ["events", "list", "--days", "2", "-o", "json", "--fields", "id,title,start_local,end_local"],
    },
  ];
}

function eventSteps(id: string, tomorrow: string): readonly Step[] {
  return [
    { title: "Read one event.", argv: ["events", "get", id] },
    {
      title: "Move it by half an hour. Other fields are not changed.",
      argv: ["events", "update", id, "--start", `${tomorrow}T12:30`, "--duration", "1h"],
    },
    { title: "Comment on it.", argv: ["comment", id, "I have booked a table for six"] },
    { title: "Delete it.", argv: ["events", "delete", id, "--yes"] },
    {
      title: "It is gone. With --fail-empty, a script sees that by exit code 3.",
      argv: ["events", "list", "--days", "2", "--fail-empty"],
    },
  ];
}

/** @throws CliError failed when a step does not do what the tour shows */
async function perform(sandbox: Sandbox, { title, argv }: Step): Promise<string> {
  const { exitCode, stdout, stderr } = await sandbox.run(argv);
  const expected = argv.includes("--fail-empty") ? EXIT_EMPTY : 0;
  if (exitCode !== expected) {
    throw new CliError(
      "failed",
      `the tour's step "${title}" failed with exit code ${exitCode}: ${stderr.trim()}`,
    );
  }
  const output = `${stdout}${stderr}`.replace(/^(?=.)/gm, "  ");
  return `\n# ${title}\n$ calctl ${argv.map(quote).join(" ")}\n${output}`;
}

/** The only event so far. */
async function onlyEventId(sandbox: Sandbox): Promise<string> {
  const { stdout } = await sandbox.run(["events", "list", "--days", "2", "-o", "tsv", "--fields", "id"]);
  return stdout.trim();
}

/** Quotes a word for a shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`;
}
