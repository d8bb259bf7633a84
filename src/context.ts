import type { Api } from "./api/api.js";
import type { LoginFlags } from "./config/login-settings.js";
import type { ProfileStore } from "./config/profile-store.js";
import type { Selection, Sourced } from "./config/settings.js";
import type { StoreName } from "./config/token-record.js";
import type { CliError } from "./errors.js";
import type { Format, Output, View } from "./output/view.js";
import type { ServiceAdmin } from "./service/admin.js";
import type { ServiceStartOptions } from "./service/listen.js";

/** Global flags as they were typed; undefined where they were not. */
export interface GlobalFlags {
  readonly profile?: string | undefined;
  /** Every `--calendar`, in order. */
  readonly calendar?: readonly string[] | undefined;
  readonly output?: string | undefined;
  readonly fields?: string | undefined;
  readonly timezone?: string | undefined;
  /** False for `--no-input`. */
  readonly prompts?: boolean | undefined;
  readonly color?: string | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly debug?: boolean | undefined;
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly maxWait?: string | undefined;
}

/** Asking a person. Only where stdin and stderr are terminals and nothing forbids it. */
export interface Prompt {
  readonly available: boolean;
  confirm(question: string): Promise<boolean>;
  /** Reads without showing what is typed. */
  password(question: string): Promise<string>;
}

/** Reading what a person or a script hands in. */
export interface Input {
  /** Whether stdin is a terminal. */
  readonly isTerminal: boolean;
  /**
   * Text of a file, or of stdin for `-`. UTF-8.
   * @param source names the flag in messages
   * @throws CliError usage when it cannot be read
   */
  text(path: string, source: string): Promise<string>;
  /** One JSON value of a file, or of stdin for `-`. @throws CliError usage with the position of the error */
  json(path: string, source: string): Promise<unknown>;
}

/** Settings that commands ask for, decided by flag, environment, profile, default. */
export interface Settings extends Selection {
  /** IANA zone in which times are read, days begin and output is shown. */
  readonly timezone: string;
  /** CALCTL_CALENDAR or the profile's calendar; undefined when there is no default. */
  readonly defaultCalendar: Sourced | undefined;
}

export interface StatusFacts {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  /** Null for `local`, and where there is no token. */
  readonly tokenSource: string | null;
  /** What is wrong with where the token comes from. */
  readonly tokenError: CliError | null;
}

/** What `login` was asked to do. */
export interface LoginRequest {
  readonly flags: Omit<LoginFlags, "profile">;
  /** Of a file; undefined leaves it to the environment and the prompt. */
  readonly clientSecret: string | undefined;
  /** Undefined where nobody can be asked. */
  readonly askClientSecret: (() => Promise<string>) | undefined;
  /** Gives a token to keep instead of signing in; undefined signs in. */
  readonly readToken: (() => Promise<string>) | undefined;
  /** Whether a browser may be opened here. */
  readonly browser: boolean;
  /** A file instead of the keychain. */
  readonly insecureStorage: boolean;
  /** Longest time until somebody has signed in, in seconds. */
  readonly timeout: number;
}

export interface SignedIn {
  readonly userName: string;
  readonly profile: string;
  readonly store: StoreName;
  /** The service that the profile was for before; null when it is the same or the profile is new. */
  readonly movedFrom: string | null;
  /** A source of tokens that wins over the stored one; null without any. */
  readonly otherSource: string | null;
  /** CALCTL_PROFILE where it names another profile; null otherwise. */
  readonly profileVariable: string | null;
}

export interface LoggedOut {
  readonly profile: string;
  /** False when there was no token. */
  readonly removed: boolean;
  /** A source of tokens that is there all the same; null without any. */
  readonly otherSource: string | null;
}

/** Signing in and out. */
export interface Session {
  /** @throws CliError not_signed_in when it is declined, refused or never completed */
  login(request: LoginRequest): Promise<SignedIn>;
  /**
   * Removes the stored token of the profile that is named or in use, and proves it gone.
   * @throws CliError configuration when the store cannot tell
   */
  logout(): Promise<LoggedOut>;
  /**
   * Removes the stored token of a profile that is about to go; one in a store that this version does not know stays,
   * with a warning.
   * @throws CliError configuration when the store cannot tell
   */
  forget(profile: string): Promise<void>;
  /** The token that commands send; null where there is none. */
  token(): Promise<string | null>;
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
  readonly flags: GlobalFlags;
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
  output<T>(view: View<T>): Output<T>;
  /** The format data is printed in. @throws CliError usage for a word that is none */
  outputFormat(): Format;
  /** Prints JSON that has no other format: on one line, or indented for reading. */
  printJson(value: unknown, layout: "line" | "indented"): Promise<void>;
  /** Prints text that is for reading alone. */
  printText(text: string): Promise<void>;
  /** A line for people on stderr; nothing with `--quiet`. */
  note(text: string): void;
  /** A line for people on stderr, even with `--quiet`: something is missing or wrong. */
  warn(text: string): void;
  /** Sets the exit code of a run that has not failed. */
  setExitCode(code: number): void;
  readonly service: ServiceAccess;
  sandbox(): Promise<Sandbox>;
}
