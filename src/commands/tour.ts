import type { Command } from "commander";
import { addDays, localDate } from "../calendar/zoned-time.js";
import type { Context, Sandbox } from "../context.js";
import { CliError, EXIT_EMPTY } from "../errors.js";
import { TEXT_DOCUMENT } from "../output/views/plain.js";
import type { ContextOf } from "./command.js";

export function registerTour(command: Command, contextOf: ContextOf): void {
  command.action(() => runTour(contextOf(command)));
}

interface Step {
  readonly title: string;
  /** Words behind `calctl`. */
  readonly argv: readonly string[];
}

/** Shows the main job, each step as the command a user would type with what it prints. */
export async function runTour(
  context: Pick<Context, "sandbox" | "output" | "now" | "settings">,
): Promise<void> {
  const { timezone } = context.settings();
  const tomorrow = addDays(localDate(context.now(), timezone), 1);
  const sandbox = await context.sandbox();
  const output = context.output(TEXT_DOCUMENT);
  const show = async (step: Step) => output.print(await perform(sandbox, step));
  await output.print(INTRODUCTION);
  for (const step of openingSteps(tomorrow)) await show(step);
  for (const step of eventSteps(await onlyEventId(sandbox), tomorrow)) await show(step);
  await output.print(closing(tomorrow));
}

const INTRODUCTION = `A tour of calctl on a throwaway calendar in memory. Nothing of it is kept.
`;

function closing(tomorrow: string): string {
  return `
# That was the whole circle.
A calendar that is kept waits in the profile \`local\`; its first use makes it:

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
      title: "Create an event. With one calendar there is no need to name it.",
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
      title: "Move it by half an hour. What is not named stays as it was.",
      argv: ["events", "update", id, "--start", `${tomorrow}T12:30`, "--duration", "1h"],
    },
    { title: "Comment on it.", argv: ["comment", id, "I have booked a table for six"] },
    { title: "Delete it.", argv: ["events", "delete", id, "--yes"] },
    {
      title: "Gone. --fail-empty tells a script so, by exit code 3.",
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
      `the tour's step "${title}" ended with exit code ${exitCode}: ${stderr.trim()}`,
    );
  }
  const output = `${stdout}${stderr}`.replace(/^(?=.)/gm, "  ");
  return `\n# ${title}\n$ calctl ${argv.map(quote).join(" ")}\n${output}`;
}

/** The only event there is so far. */
async function onlyEventId(sandbox: Sandbox): Promise<string> {
  const { stdout } = await sandbox.run(["events", "list", "--days", "2", "-o", "tsv", "--fields", "id"]);
  return stdout.trim();
}

/** As a shell needs it. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`;
}
