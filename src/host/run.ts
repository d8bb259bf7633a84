import type { Environment } from "../config/environment.js";
import type { GlobalFlags } from "../config/run-settings.js";
import type { Context, Program } from "../context.js";
import type { HostOverrides, ProcessLike } from "../machine.js";
import type { TextSink } from "../terminal/text-sink.js";

export type Run = (argv: readonly string[], host: Host) => Promise<number>;

/** What the frame around the commands gives their contexts. */
export interface Frame extends Pick<Program, "commandTree" | "setExitCode"> {
  readonly run: Run;
}

export type CreateContext = (flags: GlobalFlags, frame: Frame) => Context;

/** One run of the program: its streams, and what creates the context of its command. */
export interface Host {
  readonly env: Environment;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Whether the reader of a stream no longer reads. */
  isStuck(): boolean;
  /** Loads the code that creates contexts, which `--version` does not need. */
  loadContexts(): Promise<CreateContext>;
  /** Closes everything that the run opened. */
  close(): Promise<void>;
}

export type CreateHost = (process: ProcessLike, overrides: HostOverrides) => Host;
