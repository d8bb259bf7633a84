import { Command, CommanderError } from "commander";
import { addCommand, type ContextOf, requireSubcommand } from "./commands/command.js";
import type { GlobalFlags } from "./config/run-settings.js";
import { type CliError, ListingRequest, usageError } from "./errors.js";
import { addGlobalFlags, prepareParsing, readGlobalFlags } from "./global-flags.js";
import type { Host, Run } from "./host/parts.js";
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
  let exitCode = 0;
  const help: string[] = [];
  const createContext = await host.loadContexts();
  const contextOf: ContextOf = (command) => {
    const flags = readGlobalFlags(command);
    onFlags(flags);
    return {
      ...createContext(flags, run),
      setExitCode: (code) => {
        exitCode = code;
      },
    };
  };
  let parsing: Command | undefined;
  const program = createProgram({
    contextOf,
    writeHelp: (text) => help.push(text),
    onParsing: (command) => {
      parsing = command;
    },
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
  await host.stdout.write(help.join(""));
  return exitCode;
}

/** Turns `calctl` and `calctl help COMMAND` into `--help`. */
function helpAsFlag(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ["--help"];
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}

interface TreeOptions {
  readonly contextOf: ContextOf;
  readonly writeHelp: (text: string) => void;
  /** Called with each command before its flags are parsed. */
  readonly onParsing: (command: Command) => void;
}

/** The command tree. A command is loaded only when it is used, so that help and version stay fast. */
function createProgram({ contextOf, writeHelp, onParsing }: TreeOptions): Command {
  const program = addGlobalFlags(new Command("calctl"))
    .description("Scripts shared calendars from a shell, a terminal and cron.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help; calctl COMMAND --help shows that of a command")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: writeHelp, writeErr: () => undefined, outputError: () => undefined });
  const given = new Map<string, string>();
  prepareParsing(program, given, onParsing);
  const loaders = new Map<Command, CommandEntry[2]>();
  for (const [nameAndArguments, summary, load] of COMMANDS) {
    loaders.set(addCommand(program, nameAndArguments, summary), load);
  }
  program.hook("preSubcommand", async (_, command) => {
    const register = await loaders.get(command)?.();
    register?.(command, contextOf);
    eachCommand(command, (each) => prepareParsing(each, given, onParsing));
  });
  requireSubcommand(program);
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
