import type { Command } from "commander";
import type { Api, WriteClient } from "../api/client.js";
import type { Session } from "../auth/session.js";
import type { RecentEvents } from "../cache/recent-events.js";
import type { Environment } from "../config/environment.js";
import type { ProfileStore } from "../config/profile-store.js";
import type { GlobalFlags, RunSettings } from "../config/run-settings.js";
import type { Settings } from "../config/settings.js";
import type { Targets } from "../delivery/saved-targets.js";
import type { Document, Format, Output, View } from "../output/view.js";
import type { SeenByName } from "../state/seen.js";
import type { Sent } from "../state/sent.js";
import type { State } from "../state/state.js";
import type { Writes } from "../state/writes.js";
import type { Editor } from "../terminal/editor.js";
import type { Input } from "../terminal/input.js";
import type { ProgressBar } from "../terminal/progress-bar.js";
import type { Prompt } from "../terminal/prompt.js";
import type { TextSink } from "../terminal/text-sink.js";
import type { HostOverrides, Machine, ProcessLike } from "./machine.js";

/** The program around a command. */
export interface Program {
  /** Every command with its arguments and flags, for reading. */
  commandTree(): Promise<Command>;
  /** Sets the exit code of a run that does not throw. */
  setExitCode(code: number): void;
  /** Runs a command line as another process would. @returns its exit code */
  run(argv: readonly string[], process: ProcessLike, overrides: HostOverrides): Promise<number>;
  /** This run in another environment, where nobody is asked. */
  runIn(env: Environment): Run;
}

/** The settings that a command reads and changes. */
interface ConfigAccess {
  /** @throws CliError when a setting is wrong */
  settings(): Settings;
  profiles(): ProfileStore;
  /**
   * The name of the profile to configure. It may not exist: `config set` can create it. An empty CALCTL_PROFILE counts
   * as unset.
   * @throws CliError configuration when none is in use
   */
  profileName(): string;
}

/** What is cached of the service: names for completion, and the ids that this terminal has shown. */
export interface KnownNames {
  /** Forgets the names and events that are cached for a profile. Nothing fails if there is nothing to forget. */
  dropCache(profile: string): void;
  /** The events shown lately to the person at this terminal; null for scripts, which use whole ids. */
  recentEvents(): RecentEvents | null;
}

/** What a command prints with: values on stdout, lines for people on stderr. */
export interface OutputAccess {
  /** Loads and checks `--jq` and `--template`, before `of` is called. @throws CliError usage */
  prepare(): Promise<void>;
  /** Checks format and fields immediately. Once `--dry-run` has recorded a write, it prints nothing. @throws CliError usage */
  of<T>(view: View<T> | Document<T>): Output<T>;
  /** What `--template` makes of some values, as text; null without one. @throws CliError usage */
  template<T>(view: View<T>, values: readonly T[]): string | null;
  /** Prints a value in its only form, whatever flags shape other output. */
  document<T>(document: Document<T>, value: T): Promise<void>;
  /** Prints the writes that `--dry-run` has recorded as JSON, or what `--jq` makes of it; nothing without any. */
  requests(): Promise<void>;
  /** The output format. @throws CliError usage for an unknown one */
  format(): Format;
  /** Writes a line to stderr; nothing with `--quiet`. */
  note(text: string): void;
  /** Writes a line to stderr, even with `--quiet`: something is missing or wrong. */
  warn(text: string): void;
}

/** The person at the terminal, or the script in their place. */
export interface Terminal {
  readonly prompt: Prompt;
  readonly input: Input;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** What shows how far long work has come. */
  openProgress(): Promise<ProgressBar>;
  /** The program in which people write texts. */
  openEditor(): Promise<Editor>;
}

/** What lasts between runs. Each rejects with CliError configuration when its file cannot be used. */
interface StateAccess {
  /** The whole of it. */
  open(): Promise<State>;
  /** The messages that were sent. */
  sent(): Promise<Sent>;
  /** What earlier runs have seen. */
  seen(): Promise<SeenByName>;
}

/**
 * What a command may use. What takes time is a function or a getter that does its work when it is first used.
 * Commands name what they use of it in their first lines; what needs only a few values, or is used without a run, takes those.
 */
export interface Run {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Global flags and their variables. With `dryRun` writes are recorded instead of sent: there is nothing to confirm. */
  readonly flags: RunSettings;
  readonly config: ConfigAccess;
  /** The client of the service. @throws CliError not_signed_in without a token */
  api(): Promise<Api>;
  readonly session: Session;
  readonly names: KnownNames;
  readonly output: OutputAccess;
  readonly terminal: Terminal;
  /** Where messages to others go. */
  targets(): Promise<Targets>;
  readonly state: StateAccess;
  /** What commands of this profile wrote lately, in the same file; null where it keeps no journal. */
  writes(): Promise<Writes | null>;
  /** For `write` (src/events/write.ts) alone: what sends writes, and what records them, null where nothing does. */
  writing(): Promise<{ readonly client: WriteClient; readonly writes: Writes | null }>;
  readonly program: Program;
  /** What a few commands compose from what others do not need. */
  readonly machine: Machine;
}

type RunCommandLine = (argv: readonly string[], host: Host) => Promise<number>;

/** What the frame around the commands gives to a run. */
export interface Frame extends Pick<Program, "commandTree" | "setExitCode"> {
  readonly run: RunCommandLine;
}

type CreateRun = (flags: GlobalFlags, frame: Frame) => Run;

/** One run of the program: its streams, and what creates what its command may use. */
export interface Host {
  readonly env: Environment;
  readonly stdout: Omit<TextSink, "rows" | "show">;
  readonly stderr: Omit<TextSink, "rows" | "show">;
  /** Writes text to stdout, on a terminal through the pager if it is longer than the screen. */
  page(text: string): Promise<void>;
  /** Whether the reader of a stream no longer reads. */
  isStuck(): boolean;
  /** Loads the code that creates them, which `--version` does not need. */
  loadRuns(): Promise<CreateRun>;
  /** Closes everything that the run opened. */
  close(): Promise<void>;
}

export type CreateHost = (process: ProcessLike, overrides: HostOverrides) => Host;
