import { Command } from "commander";
import { VERSION } from "../version.js";
import {
  addCommands,
  type CommandEntry,
  type CommandLoaders,
  loadCommand,
  type RunOf,
  refuseUnknownCommand,
  requireSubcommand,
} from "./command.js";
import { addGlobalFlags, prepareParsing } from "./global-flags.js";

/** The modules of the commands, each loaded when one of its commands is used. */
const MODULES = {
  add: () => import("../commands/add/add.js"),
  agenda: () => import("../commands/agenda/agenda.js"),
  api: () => import("../commands/programs/api.js"),
  calendars: () => import("../commands/calendars/calendars.js"),
  comment: () => import("../commands/comments/comment.js"),
  completion: () => import("../commands/programs/completion.js"),
  delete: () => import("../commands/events/delete.js"),
  doctor: () => import("../commands/programs/doctor.js"),
  feeds: () => import("../commands/feeds/feeds.js"),
  free: () => import("../commands/agenda/free.js"),
  import: () => import("../commands/import/import.js"),
  login: () => import("../commands/account/login.js"),
  mcp: () => import("../commands/programs/mcp.js"),
  next: () => import("../commands/agenda/next.js"),
  post: () => import("../commands/messages/post.js"),
  profiles: () => import("../commands/account/profiles.js"),
  remind: () => import("../commands/messages/remind.js"),
  schema: () => import("../commands/programs/schema.js"),
  sent: () => import("../commands/messages/sent.js"),
  service: () => import("../../service/commands/service.js"),
  status: () => import("../commands/account/status.js"),
  undo: () => import("../commands/undo/undo.js"),
  targets: () => import("../commands/messages/targets.js"),
};

function from<M, K extends keyof M>(load: () => Promise<M>, name: K): () => Promise<M[K]> {
  return async () => (await load())[name];
}

/** Each is loaded on its own, since lists are what scripts call most. */
const EVENT_COMMANDS: readonly CommandEntry[] = [
  ["list", "list events by day", async () => (await import("../events/find/list.js")).registerEventsList],
  [
    "changes",
    "list what changed since the last run",
    async () => (await import("../commands/changes/changes.js")).registerEventsChanges,
  ],
  [
    "watch",
    "print each change as it happens, or run a program for it",
    async () => (await import("../commands/changes/watch.js")).registerEventsWatch,
  ],
  ["get", "show events by id", async () => (await import("../commands/events/get.js")).registerEventsGet],
  [
    "create",
    "create an event",
    async () => (await import("../events/create/create.js")).registerEventsCreate,
  ],
  [
    "update",
    "update events; a new start moves the end, too",
    async () => (await import("../commands/events/update.js")).registerEventsUpdate,
  ],
  [
    "copy",
    "copy events to another time or calendar",
    async () => (await import("../commands/events/copy.js")).registerEventsCopy,
  ],
  [
    "move",
    "move events to another calendar",
    async () => (await import("../commands/events/copy.js")).registerEventsMove,
  ],
  [
    "delete",
    "delete events",
    async () => (await import("../commands/events/delete.js")).registerEventsDelete,
  ],
];

/** The commands at the top that help lists, by what people do with them. */
export const COMMAND_GROUPS: readonly (readonly [heading: string, entries: readonly CommandEntry[]])[] = [
  [
    "Calendar",
    [
      ["agenda", "list the next days of every calendar", from(MODULES.agenda, "registerAgenda")],
      ["week", "draw a week", from(MODULES.agenda, "registerWeek")],
      ["month", "draw a month", from(MODULES.agenda, "registerMonth")],
      ["next", "show the current or next event", from(MODULES.next, "registerNext")],
      ["free", "find times when you and others are free", from(MODULES.free, "registerFree")],
      ["conflicts", "list your events that overlap", from(MODULES.free, "registerConflicts")],
      ["events", "list, read, create, update and delete events", async () => EVENT_COMMANDS],
      ["add", "add an event described in one sentence", from(MODULES.add, "registerAdd")],
      ["import", "synchronize a calendar with a file of events", from(MODULES.import, "registerImport")],
      ["undo", "undo the last change made by calctl", from(MODULES.undo, "registerUndo")],
      ["comment", "comment on an event", from(MODULES.comment, "registerComment")],
      ["comments", "list the comments on an event", from(MODULES.comment, "registerComments")],
      ["calendars", "list calendars", from(MODULES.calendars, "registerCalendars")],
      ["labels", "list the labels of a calendar", from(MODULES.calendars, "registerLabels")],
      ["members", "list the members of a calendar", from(MODULES.calendars, "registerMembers")],
      ["feeds", "publish calendars at secret addresses", from(MODULES.feeds, "registerFeeds")],
    ],
  ],
  [
    "Cron and messages",
    [
      ["post", "post events to a chat, or send them by email", from(MODULES.post, "registerPost")],
      ["remind", "remind people of events before they start", from(MODULES.remind, "registerRemind")],
      ["sent", "list sent messages and whether they arrived", from(MODULES.sent, "registerSent")],
      [
        "targets",
        "save, list, test and remove targets of messages",
        from(MODULES.targets, "registerTargets"),
      ],
      [
        "doctor",
        "check the setup for cron jobs, and print a crontab line",
        from(MODULES.doctor, "registerDoctor"),
      ],
    ],
  ],
  [
    "Account and settings",
    [
      ["login", "sign in to a service", from(MODULES.login, "registerLogin")],
      ["logout", "remove the stored token", from(MODULES.login, "registerLogout")],
      ["whoami", "show who is signed in", from(MODULES.status, "registerWhoami")],
      ["status", "show service, account and rate limit", from(MODULES.status, "registerStatus")],
      ["token", "print the token", from(MODULES.login, "registerToken")],
      ["profiles", "list, choose and remove profiles", from(MODULES.profiles, "registerProfiles")],
      ["config", "read and change a profile's settings", from(MODULES.profiles, "registerConfig")],
    ],
  ],
  [
    "Service and programs",
    [
      ["service", "run and administer the embedded service", from(MODULES.service, "registerService")],
      ["api", "send a request to the service's API", from(MODULES.api, "registerApi")],
      [
        "schema",
        "describe commands and output as JSON, for programs",
        from(MODULES.schema, "registerSchema"),
      ],
      ["mcp", "serve calendars to an agent (Model Context Protocol)", from(MODULES.mcp, "registerMcp")],
      ["completion", "print a shell completion script", from(MODULES.completion, "registerCompletion")],
    ],
  ],
];

const UNLISTED: readonly CommandEntry[] = [
  ["rm", "delete events (short for events delete)", from(MODULES.delete, "registerEventsDelete")],
];

const COMMANDS: readonly CommandEntry[] = [...COMMAND_GROUPS.flatMap(([, entries]) => entries), ...UNLISTED];

/** Names of the commands at the top. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map(([name]) => name);

export interface TreeOptions {
  readonly runOf: RunOf;
  /** Takes what commander prints on stdout: the version. */
  readonly write: (text: string) => void;
  /** Called with the command whose `--help` is asked for. */
  readonly onHelp: (command: Command) => void;
  /** Prints the help that the words after `calctl help` ask for, flags that are not global among them. */
  readonly printHelp: (words: readonly string[]) => Promise<void>;
  /** Called with each command before its flags are parsed. */
  readonly onParsing: (command: Command) => void;
}

function describeProgram(program: Command): Command {
  return program
    .description("Read and write shared calendars from a terminal, a script or cron.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help");
}

/** The command tree. A command is loaded only when it is used, so that help and version stay fast. */
export function createProgram({ runOf, write, onHelp, printHelp, onParsing }: TreeOptions): Command {
  const program = describeProgram(new Command("calctl"))
    .configureHelp({ formatHelp: () => "" })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined });
  program.addHelpText("beforeAll", ({ command }) => {
    refuseUnknownCommand(command);
    onHelp(command);
    return "";
  });
  const given = new Map<string, string>();
  prepareParsing(program, given, onParsing);
  const loadOnUse = (parent: Command, loaders: CommandLoaders): void => {
    parent.hook("preSubcommand", async (_, command) => {
      const load = loaders.get(command);
      const more: CommandLoaders = load === undefined ? new Map() : await loadCommand(command, load, runOf);
      eachCommand(command, more, (each) => prepareParsing(each, given, onParsing));
      if (more.size > 0) loadOnUse(command, more);
    });
  };
  loadOnUse(program, addCommands(program, COMMANDS));
  const help = program.command("help [words...]").helpOption(false).allowUnknownOption();
  help.action(() => printHelp(help.args));
  requireSubcommand(program);
  return program;
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
