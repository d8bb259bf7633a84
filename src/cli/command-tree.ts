import { Command, type HelpContext } from "commander";
import { VERSION } from "../version.js";
import {
  addCommands,
  type CommandEntry,
  type CommandLoaders,
  type ContextOf,
  loadCommand,
  requireSubcommand,
} from "./command.js";
import { addGlobalFlags, prepareParsing } from "./global-flags.js";
import { HelpRequest } from "./help-request.js";

const COMMANDS: readonly CommandEntry[] = [
  ["login", "sign in to a service", async () => (await import("../commands/login.js")).registerLogin],
  ["logout", "remove the stored token", async () => (await import("../commands/login.js")).registerLogout],
  ["whoami", "show who is signed in", async () => (await import("../commands/status.js")).registerWhoami],
  [
    "status",
    "show service, account and rate limit",
    async () => (await import("../commands/status.js")).registerStatus,
  ],
  ["token", "print the token", async () => (await import("../commands/login.js")).registerToken],
  ["calendars", "list calendars", async () => (await import("../commands/calendars.js")).registerCalendars],
  [
    "labels",
    "list the labels of a calendar",
    async () => (await import("../commands/calendars.js")).registerLabels,
  ],
  [
    "members",
    "list the members of a calendar",
    async () => (await import("../commands/calendars.js")).registerMembers,
  ],
  [
    "events",
    "list, read, create, update and delete events",
    async () => (await import("../commands/events.js")).EVENT_COMMANDS,
  ],
  [
    "agenda",
    "show the week of every calendar",
    async () => (await import("../commands/agenda.js")).registerAgenda,
  ],
  ["comment", "comment on an event", async () => (await import("../commands/comment.js")).registerComment],
  [
    "comments",
    "list the comments on an event",
    async () => (await import("../commands/comment.js")).registerComments,
  ],
  [
    "post",
    "post events to a chat, or send them as mail",
    async () => (await import("../commands/post.js")).registerPost,
  ],
  [
    "remind",
    "announce events before they start, each once",
    async () => (await import("../commands/remind.js")).registerRemind,
  ],
  [
    "webhooks",
    "save, list and remove where messages go",
    async () => (await import("../commands/webhooks.js")).registerWebhooks,
  ],
  [
    "profiles",
    "list, choose and remove profiles",
    async () => (await import("../commands/profiles.js")).registerProfiles,
  ],
  [
    "config",
    "read and change a profile's settings",
    async () => (await import("../commands/profiles.js")).registerConfig,
  ],
  [
    "service",
    "run and administer the embedded service",
    async () => (await import("../../service/commands/service.js")).registerService,
  ],
  [
    "doctor",
    "check what a cron job needs, and print its line",
    async () => (await import("../commands/doctor.js")).registerDoctor,
  ],
  [
    "api",
    "send a request to any path of the service",
    async () => (await import("../commands/api.js")).registerApi,
  ],
  [
    "schema",
    "describe commands and output as JSON, for programs",
    async () => (await import("../commands/schema.js")).registerSchema,
  ],
  [
    "completion",
    "print the script that completes commands, names and ids on Tab",
    async () => (await import("../commands/completion.js")).registerCompletion,
  ],
  ["tour", "see the main commands at work", async () => (await import("../commands/tour.js")).registerTour],
];

/** Names of the commands at the top. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map(([name]) => name);

export interface TreeOptions {
  readonly contextOf: ContextOf;
  /** Takes what commander prints on stdout: the version. */
  readonly write: (text: string) => void;
  /** Called with the command whose `--help` is asked for. */
  readonly onHelp: (command: Command) => void;
  /** Called with each command before its flags are parsed. */
  readonly onParsing: (command: Command) => void;
}

function describeProgram(program: Command): Command {
  return program
    .description("Scripts shared calendars from a shell, a terminal and cron.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help");
}

/**
 * The command tree. A command is loaded only when it is used, so that help and version stay fast. Parsing throws a
 * HelpRequest for `calctl help`.
 */
export function createProgram({ contextOf, write, onHelp, onParsing }: TreeOptions): Command {
  const program = describeProgram(new Command("calctl"))
    .configureHelp({ formatHelp: () => "" })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined });
  program.on("beforeAllHelp", ({ command }: HelpContext & { readonly command: Command }) => onHelp(command));
  const given = new Map<string, string>();
  prepareParsing(program, given, onParsing);
  requestHelp(program);
  const loadOnUse = (parent: Command, loaders: CommandLoaders): void => {
    parent.hook("preSubcommand", async (_, command) => {
      const load = loaders.get(command);
      const more: CommandLoaders =
        load === undefined ? new Map() : await loadCommand(command, load, contextOf);
      eachCommand(command, more, (each) => prepareParsing(each, given, onParsing));
      if (more.size > 0) loadOnUse(command, more);
    });
  };
  loadOnUse(program, addCommands(program, COMMANDS));
  requireSubcommand(program);
  return program;
}

/** Ends the parsing of `calctl help WORDS`, once the global flags before and after `help` are known. */
function requestHelp(program: Command): void {
  const parseOptions = program.parseOptions.bind(program);
  program.parseOptions = (args) => {
    const parsed = parseOptions(args);
    const [first, ...words] = parsed.operands;
    if (first === "help") throw new HelpRequest([...words, ...parsed.unknown]);
    return parsed;
  };
}

/** The whole command tree with all flags, for reading: none of its commands can be run. */
export async function loadCommandTree(): Promise<Command> {
  const program = describeProgram(addGlobalFlags(new Command("calctl")));
  const loadAll = async (loaders: CommandLoaders): Promise<void> => {
    for (const [command, load] of loaders) {
      const more = await loadCommand(command, load, () => {
        throw new Error(`${command.name()} was loaded only to be read`);
      });
      eachCommand(command, more, addGlobalFlags);
      await loadAll(more);
    }
  };
  await loadAll(addCommands(program, COMMANDS));
  return program;
}

/** Visits a command and those below it, but for those that are still to be loaded. */
function eachCommand(command: Command, loaders: CommandLoaders, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) {
    if (!loaders.has(child)) eachCommand(child, loaders, visit);
  }
}
