import type { Api } from "./api/client.js";
import type { Session } from "./auth/session.js";
import type { ProfileStore } from "./config/profile-store.js";
import type { Settings } from "./config/settings.js";
import type { CliError } from "./errors.js";
import type { Document, Format, Output, View } from "./output/view.js";
import type { ServiceAdmin } from "./service/admin/admin.js";
import type { ServiceStartOptions } from "./service/listen.js";
import type { Input } from "./terminal/input.js";
import type { Prompt } from "./terminal/prompt.js";

export interface StatusFacts {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  /** Null for `local`, and where there is no token. */
  readonly tokenSource: string | null;
  /** What is wrong with where the token comes from. */
  readonly tokenError: CliError | null;
}

/** What a run within the program printed. */
export interface CapturedRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A throwaway embedded service with its own empty configuration. */
export interface Sandbox {
  /** Runs one command line on it, as on a terminal of the given width. */
  run(argv: readonly string[]): Promise<CapturedRun>;
  close(): Promise<void>;
}

/** The embedded service as the `service` commands use it. */
export interface ServiceAccess {
  /**
   * Opens the database of `--db`, by default that of the profile `local`.
   * @param options.create whether one that is not there is made; false by default
   * @throws CliError configuration when it is not there and not to be made
   */
  admin(database: string | undefined, options?: { readonly create?: boolean }): Promise<ServiceAdmin>;
  /** Serves until the signal; resolves when it has ended. */
  serve(options: ServeOptions): Promise<void>;
  openApi(): Promise<unknown>;
}

export interface ServeOptions {
  readonly database: string | undefined;
  readonly memory: boolean;
  readonly sample: boolean;
  readonly rateLimit: { readonly limit: number; readonly windowSeconds: number } | null;
  readonly listen: Omit<ServiceStartOptions, "tls">;
  /** Paths of PEM files. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Told when it listens. */
  readonly onListening: (facts: ListeningFacts) => Promise<void>;
}

export interface ListeningFacts {
  readonly base_url: string;
  readonly auth_url: string;
  /** The members of `--sample`; empty without it. */
  readonly sample: Readonly<Record<string, unknown>>;
}

/**
 * What a command may use. Every expensive member is a function that does its work when first called.
 * A command names what it uses with `Pick<Context, …>`.
 */
export interface Context {
  /** Every `--calendar`, in order. */
  readonly calendarFlags: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly prompt: Prompt;
  readonly input: Input;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** @throws CliError when a setting is wrong */
  settings(): Settings;
  profiles(): ProfileStore;
  /** The profile that is named or in use, whether it exists or not: `config set` may be about to make it. */
  profileName(): string;
  /** The client of the chosen service. @throws CliError not_signed_in without a token */
  api(): Promise<Api>;
  readonly session: Session;
  /** What is known of the account without asking the service, a program or a keychain. */
  statusFacts(): Promise<StatusFacts>;
  /** Checks format and fields at once. @throws CliError usage */
  output<T>(view: View<T> | Document<T>): Output<T>;
  /** The format in which data is printed. @throws CliError usage for a word that is not a format */
  outputFormat(): Format;
  /** A line for people on stderr; nothing with `--quiet`. */
  note(text: string): void;
  /** A line for people on stderr, even with `--quiet`: something is missing or wrong. */
  warn(text: string): void;
  /** Sets the exit code of a run that has not failed. */
  setExitCode(code: number): void;
  readonly service: ServiceAccess;
  sandbox(): Promise<Sandbox>;
}
