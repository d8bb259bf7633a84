import type { Command } from "commander";
import { addAction, type ContextOf, describeCommand } from "../cli/command.js";
import type { HelpPage } from "../cli/help/page.js";
import type { Context } from "../context.js";
import { CliError, EXIT_EMPTY } from "../errors.js";
import { createStyle } from "../output/style.js";
import { TEXT_DOCUMENT } from "../output/views/plain.js";
import type { Sandbox, SandboxContext } from "./tour/sandbox.js";

export function registerTour(command: Command, contextOf: ContextOf): void {
  describeCommand(command, {
    prints: "text",
    examples: () => [["The main commands with what they print; nothing is saved", "calctl tour"]],
  });
  addAction(command, contextOf, runTour);
}

interface Step {
  readonly title: string;
  /** Arguments of `calctl`. */
  readonly argv: readonly string[];
}

/** Shows the main commands, each as a user would type it, with its output. */
export async function runTour(context: SandboxContext & Pick<Context, "output">): Promise<void> {
  const output = context.output.of(TEXT_DOCUMENT);
  const [{ openSandbox }, { breakCommand, renderHelpText }] = await Promise.all([
    import("./tour/sandbox.js"),
    // Loaded by itself, as for help: shared, it would be one more part of each start.
    import("../cli/help/page.js"),
  ]);
  const sandbox = await openSandbox(context);
  const { columns } = sandbox.screen;
  const { bold } = await createStyle(sandbox.screen);
  const shown = [renderHelpText(INTRODUCTION, columns)];
  const show = async (step: Step): Promise<string> => {
    const printed = await perform(sandbox, step);
    const title = renderHelpText([{ kind: "text", text: `# ${step.title}` }], columns);
    const command = breakCommand(`$ calctl ${step.argv.map(quote).join(" ")}`, columns);
    shown.push(
      [...title.split("\n").map((line) => bold(line)), ...command, printed.trimEnd()].join("\n").trimEnd(),
    );
    return printed;
  };
  for (const step of OPENING) await show(step);
  const id = await shownId(sandbox, await show(LIST));
  for (const step of eventSteps(id)) await show(step);
  // At once, so that a pager shows it from its beginning.
  await output.print(`${[...shown, renderHelpText(closing(context.machine.env), columns)].join("\n\n")}\n`);
}

const INTRODUCTION: HelpPage = [
  { kind: "text", text: "A tour of calctl with a calendar in memory. Nothing is saved." },
];

/** What to try next. @param env of the process: where `npm start` runs the tour, nothing has installed `calctl` */
function closing({
  npm_lifecycle_event: script,
  npm_package_name: name,
}: SandboxContext["machine"]["env"]): HelpPage {
  const isNpmStart = script === "start" && name === "calctl";
  const program = isNpmStart ? "npm start --silent --" : "calctl";
  const installing =
    "Here, npm start --silent -- stands for calctl; README.md says how to install calctl itself.";
  return [
    {
      kind: "text",
      text: "That was the tour. The profile `local` has a calendar that is saved, from its first use on:",
    },
    {
      kind: "examples",
      examples: [
        ["An event of your own", `${program} add First event tomorrow 9am --yes`],
        ["Your week", `${program} agenda`],
        ["Every command", `${program} help`],
      ],
    },
    ...(isNpmStart ? [{ kind: "text", text: installing } as const] : []),
  ];
}

// All is about tomorrow: whatever the time is, it has not passed, and it is within two days.
const OPENING: readonly Step[] = [
  { title: "Which calendars can I use?", argv: ["calendars"] },
  { title: "Who shares it? With one calendar, there is no need to name it.", argv: ["members"] },
  {
    title: "Create an event. Days and times can be words.",
    argv: [
      ...["events", "create", "--title", "Lunch with the team", "--start", "tomorrow noon"],
      ...["--duration", "1h", "--label", "bright orange"],
    ],
  },
];

const LIST: Step = {
  title: "What is coming up? Each line ends with the beginning of an id.",
  argv: ["events", "list", "--days", "2"],
};

function eventSteps(id: string): readonly Step[] {
  return [
    {
      title: "That is enough to name the event. Move its start, and its end moves too.",
      argv: ["events", "update", id, "--start", "tomorrow 12:30"],
    },
    { title: "Comment on it.", argv: ["comment", id, "I have booked a table"] },
    { title: "The days of every calendar.", argv: ["agenda", "--days", "3"] },
    { title: "The same with the days side by side.", argv: ["agenda", "--days", "3", "--grid"] },
    {
      title: "For a script: JSON, with the fields it needs.",
      argv: ["events", "list", "--days", "2", "-o", "json", "--fields", "id,title,start_local"],
    },
    { title: "Delete it. Without --yes, you are asked first.", argv: ["events", "delete", id, "--yes"] },
    {
      title: "It is gone. With --fail-empty, a script sees that by exit code 3.",
      argv: ["events", "list", "--days", "2", "--fail-empty"],
    },
  ];
}

/** What a step prints. @throws CliError failed when it does not do what the tour shows */
async function perform(sandbox: Sandbox, { title, argv }: Step): Promise<string> {
  const { exitCode, output } = await sandbox.run(argv);
  const expected = argv.includes("--fail-empty") ? EXIT_EMPTY : 0;
  if (exitCode === expected) return output;
  throw new CliError(
    "failed",
    `the tour's step "${title}" ended with exit code ${exitCode}: ${output.trim()}`,
  );
}

/** The id of the only event, as long as the list shows it. */
async function shownId(sandbox: Sandbox, list: string): Promise<string> {
  const { output } = await sandbox.run(["events", "list", "--days", "2", "-o", "tsv", "--fields", "id"]);
  const id = output.trim();
  let length = id.length;
  while (!list.includes(id.slice(0, length))) length -= 1;
  return id.slice(0, length);
}

/** Quotes a word for a shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`;
}
