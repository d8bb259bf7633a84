import { Command, CommanderError, type HelpContext } from "commander";
import { addCommand, type ContextOf, requireSubcommand } from "./commands/command.js";
import { suggestCommand } from "./commands/suggestion.js";
import type { GlobalFlags } from "./config/run-settings.js";
import { type CliError, ListingRequest, usageError } from "./errors.js";
import { addGlobalFlags, prepareParsing, readGlobalFlags } from "./global-flags.js";
import type { HelpPage } from "./help/page.js";
import type { CreateContext, Host, Run } from "./host/parts.js";
import { VERSION } from "./version.js";

type Register = (command: Command, contextOf: ContextOf) => void;

/** Name and arguments, summary, and a function that loads the command. */
type CommandEntry = readonly [nameAndArguments: string, summary: string, load: () => Promise<Register>];

const COMMANDS: readonly CommandEntry[] = [
  ["login", "sign in to a service", async () => (await import("./commands/login.js")).registerLogin],
  ["logout", "remove the stored token", async () => (await import("./commands/login.js")).registerLogout],
  ["whoami", "show who is signed in", async () => (await import("./commands/status.js")).registerWhoami],
  [
    "status",
    "show service, account and rate limit",
    async () => (await import("./commands/status.js")).registerStatus,
  ],
  ["token", "print the token", async () => (await import("./commands/login.js")).registerToken],
  ["calendars", "list calendars", async () => (await import("./commands/calendars.js")).registerCalendars],
  [
    "labels",
    "list the labels of a calendar",
    async () => (await import("./commands/calendars.js")).registerLabels,
  ],
  [
    "members",
    "list the members of a calendar",
    async () => (await import("./commands/calendars.js")).registerMembers,
  ],
  [
    "events",
    "list, read, create, update and delete events",
    async () => (await import("./commands/events.js")).registerEvents,
  ],
  [
    "agenda",
    "show the week of every calendar",
    async () => (await import("./commands/agenda.js")).registerAgenda,
  ],
  ["comment", "comment on an event", async () => (await import("./commands/comment.js")).registerComment],
  [
    "comments",
    "list the comments on an event",
    async () => (await import("./commands/comment.js")).registerComments,
  ],
  [
    "profiles",
    "list, choose and remove profiles",
    async () => (await import("./commands/profiles.js")).registerProfiles,
  ],
  [
    "config",
    "read and change a profile's settings",
    async () => (await import("./commands/profiles.js")).registerConfig,
  ],
  [
    "service",
    "run and administer the embedded service",
    async () => (await import("./commands/service.js")).registerService,
  ],
  [
    "api",
    "send a request to any path of the service",
    async () => (await import("./commands/api.js")).registerApi,
  ],
  [
    "schema",
    "describe commands and output as JSON, for programs",
    async () => (await import("./commands/schema.js")).registerSchema,
  ],
  [
    "completion <shell>",
    "print the script that completes commands, names and ids on Tab",
    async () => (await import("./commands/completion.js")).registerCompletion,
  ],
  ["tour", "see the main commands at work", async () => (await import("./commands/tour.js")).registerTour],
];

export interface ProgramOptions {
  /** Runs another command line, as the tour does. */
  readonly run: Run;
  /** Called with the global flags when they are parsed; if parsing fails, with those before the error. */
  readonly onFlags: (flags: GlobalFlags) => void;
}

/**
 * Parses one command line and runs its command.
 * @returns the exit code
 * @throws CliError, usage when the command line is wrong
 */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  { run, onFlags }: ProgramOptions,
): Promise<number> {
  const topic = await findTopic(argv);
  if (topic !== null) {
    await host.stdout.write(await renderHelp(topic, host));
    return 0;
  }
  let exitCode = 0;
  const written: string[] = [];
  let createContext: CreateContext | undefined;
  const contextOf: ContextOf = (command) => {
    if (createContext === undefined) throw new Error("an action began before its context was loaded");
    const flags = readGlobalFlags(command);
    onFlags(flags);
    return {
      ...createContext(flags, run),
      commandTree: loadCommandTree,
      setExitCode: (code) => {
        exitCode = code;
      },
    };
  };
  let parsing: Command | undefined;
  let helpOf: Command | undefined;
  const program = createProgram({
    contextOf,
    write: (text) => written.push(text),
    onHelp: (command) => {
      helpOf = command;
    },
    onParsing: (command) => {
      parsing = command;
    },
  });
  // Help needs no context.
  program.hook("preAction", async () => {
    createContext = await host.loadContexts();
  });
  try {
    await program.parseAsync(helpAsFlag(argv), { from: "user" });
  } catch (error) {
    if (parsing !== undefined) onFlags(readGlobalFlags(parsing));
    if (error instanceof ListingRequest) {
      await host.stdout.write(error.lines.map((line) => `${line}\n`).join(""));
      return 0;
    }
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw asUsageError(error, parsing);
  }
  if (helpOf !== undefined) {
    const { commandPage } = await import("./help/command-page.js");
    written.push(await renderHelp(commandPage(helpOf), host));
  }
  await host.stdout.write(written.join(""));
  return exitCode;
}

/** A page of help as wide as the terminal. */
async function renderHelp(page: HelpPage, { stdout }: Host): Promise<string> {
  const { renderHelpText } = await import("./help/text.js");
  return `${renderHelpText(page, stdout.columns)}\n`;
}

/**
 * The page of `calctl help TOPIC`; null for any other command line.
 * @throws CliError usage for a word that is neither a topic nor a command
 */
async function findTopic([first, word = "-"]: readonly string[]): Promise<HelpPage | null> {
  if (first !== "help" || word.startsWith("-")) return null;
  const { TOPICS } = await import("./help/topics.js");
  const topic = TOPICS.find(({ name }) => name === word);
  if (topic !== undefined) return (await topic.load())();
  const commands = COMMANDS.map(([name]) => name);
  if (commands.includes(word)) return null;
  const topics = TOPICS.map(({ name }) => name);
  const suggestion = suggestCommand(word, [...commands, ...topics], true);
  throw usageError(
    `there is no command or help topic "${word}"`,
    suggestion === undefined ? `topics: ${topics.join(", ")}` : `did you mean calctl help ${suggestion}?`,
  );
}

/** Turns `calctl` and `calctl help COMMAND` into `--help`. */
function helpAsFlag(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ["--help"];
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}

interface TreeOptions {
  readonly contextOf: ContextOf;
  /** Takes what commander prints on stdout: the version. */
  readonly write: (text: string) => void;
  /** Called with the command whose help is asked for. */
  readonly onHelp: (command: Command) => void;
  /** Called with each command before its flags are parsed. */
  readonly onParsing: (command: Command) => void;
}

function describeProgram(program: Command): Command {
  return addGlobalFlags(program)
    .description("Scripts shared calendars from a shell, a terminal and cron.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help");
}

/** The command tree. A command is loaded only when it is used, so that help and version stay fast. */
function createProgram({ contextOf, write, onHelp, onParsing }: TreeOptions): Command {
  const program = describeProgram(new Command("calctl"))
    .configureHelp({ formatHelp: () => "" })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined });
  program.on("beforeAllHelp", ({ command }: HelpContext & { readonly command: Command }) => onHelp(command));
  const given = new Map<string, string>();
  prepareParsing(program, given, onParsing);
  const loaders = addCommands(program);
  program.hook("preSubcommand", async (_, command) => {
    const register = await loaders.get(command)?.();
    register?.(command, contextOf);
    eachCommand(command, (each) => prepareParsing(each, given, onParsing));
  });
  requireSubcommand(program);
  return program;
}

/** Adds every command without its flags. @returns what loads them */
function addCommands(program: Command): ReadonlyMap<Command, CommandEntry[2]> {
  return new Map(
    COMMANDS.map(([nameAndArguments, summary, load]) => [
      addCommand(program, nameAndArguments, summary),
      load,
    ]),
  );
}

/** The whole command tree with all flags, for reading: none of its commands can be run. */
export async function loadCommandTree(): Promise<Command> {
  const program = describeProgram(new Command("calctl"));
  for (const [command, load] of addCommands(program)) {
    const register = await load();
    register(command, () => {
      throw new Error(`${command.name()} was loaded only to be read`);
    });
  }
  return program;
}

function eachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) eachCommand(child, visit);
}

/**
 * Commander's usage errors carry exit code 1; here they are exit 2. Its suggestion becomes the hint; without one, an
 * unknown flag may be an argument that begins with `-`.
 */
function asUsageError(error: CommanderError, command: Command | undefined): CliError {
  const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const mayBeArgument =
    error.code === "commander.unknownOption" &&
    !/^unknown option '--[a-z-]+'/.test(message) &&
    (command?.registeredArguments.length ?? 0) > 0;
  const fields = command === undefined ? undefined : readGlobalFlags(command).fields;
  if (error.code === "commander.missingArgument" && typeof fields === "string")
    return usageError(message, `"${fields}" is the value of --fields; write it last to list the fields`);
  const hint = mayBeArgument ? "write -- before an argument that begins with -" : undefined;
  return usageError(message, suggestion?.replace(/^\((.*)\)$/, "$1") ?? hint);
}
