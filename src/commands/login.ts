import type { Command } from "commander";
import type { SignedIn } from "../auth/login.js";
import type { Context } from "../context.js";
import { CliError, usageError } from "../errors.js";
import { createBareView } from "../output/views/plain.js";
import type { ContextOf } from "./command.js";

/** Flags as they were typed; undefined where they were not. */
export interface LoginOptions {
  readonly baseUrl?: string;
  readonly authUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly redirectPort?: string;
  readonly redirectUri?: string;
  readonly mediaType?: string;
  readonly withToken?: boolean;
  /** False for `--no-browser`. */
  readonly browser?: boolean;
  readonly insecureStorage?: boolean;
  /** Seconds. */
  readonly loginTimeout?: string;
}

export function registerLogin(command: Command, contextOf: ContextOf, run = runLogin): void {
  command
    .option("--base-url <url>", "address of the service (env: CALCTL_BASE_URL)")
    .option("--auth-url <url>", "address of its authorization server (env: CALCTL_AUTH_URL)")
    .option("--client-id <id>", "id of your OAuth application there (env: CALCTL_CLIENT_ID)")
    .option(
      "--client-secret-file <file>",
      "file with its secret, - for stdin (env: CALCTL_CLIENT_SECRET; default: ask)",
    )
    .option("--redirect-port <port>", "port that is registered, on 127.0.0.1 (default: any free one)")
    .option("--redirect-uri <uri>", "whole redirect URI, where the service wants an exact match")
    .option("--media-type <type>", "value of Accept, where the service has one of its own")
    .option("--with-token", "keep a personal access token from stdin instead of signing in")
    .option("--no-browser", "open no browser: show the address and wait")
    .option("--insecure-storage", "keep the token unencrypted in a file of yours, not in the keychain")
    .option("--login-timeout <seconds>", "longest wait for the sign-in (default: 300)")
    .action((options: LoginOptions) => run(contextOf(command), options));
}

type LoginContext = Pick<Context, "session" | "prompt" | "input" | "note" | "warn">;

/** Signs in, and makes or renews the profile that remembers it. */
export async function runLogin(context: LoginContext, options: LoginOptions): Promise<void> {
  const timeout = parseTimeout(options.loginTimeout ?? "300");
  const redirectUri = chooseRedirectUri(options);
  if (options.withToken === true && options.clientSecretFile === "-") {
    throw usageError(
      "--with-token and --client-secret-file - both read stdin",
      "a personal access token needs no client secret",
    );
  }
  const { prompt } = context;
  const { baseUrl, authUrl, clientId, mediaType } = options;
  const done = await context.session.login({
    flags: { baseUrl, authUrl, clientId, redirectUri, mediaType },
    clientSecret: await readSecretFile(context, options.clientSecretFile),
    askClientSecret: prompt.available ? () => prompt.password("Client secret") : undefined,
    readToken: options.withToken === true ? () => readToken(context) : undefined,
    browser: options.browser !== false,
    insecureStorage: options.insecureStorage === true,
    timeout,
  });
  report(context, done);
}

function report(
  { note, warn }: LoginContext,
  { userName, profile, store, previousBaseUrl, overridingSource, profileVariable }: SignedIn,
): void {
  note(`signed in as ${userName}; profile in use: ${profile}`);
  if (store === "file") note("the token is kept unencrypted, in a file of yours");
  if (previousBaseUrl !== null)
    note(`the profile ${profile} was for ${previousBaseUrl}: its defaults are dropped`);
  if (overridingSource !== null) warn(`${overridingSource} is set and wins over the token just stored`);
  if (profileVariable !== null) warn(`CALCTL_PROFILE is set and chooses ${profileVariable} all the same`);
}

function chooseRedirectUri({ redirectPort, redirectUri }: LoginOptions): string | undefined {
  if (redirectPort === undefined) return redirectUri;
  if (redirectUri !== undefined) {
    throw usageError("--redirect-port and --redirect-uri are both given", "the URI carries its port");
  }
  const port = /^\d{1,5}$/.test(redirectPort) ? Number(redirectPort) : 0;
  if (port > 0 && port <= 65_535) return `http://127.0.0.1:${port}/callback`;
  throw usageError(
    `--redirect-port: "${redirectPort}" is no port from 1 to 65535`,
    "name the port that is registered, or leave it out for any free one",
  );
}

const ONE_LINE = "put it there alone, on one line";

const TIMEOUT_MAX = 86_400;

function parseTimeout(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= TIMEOUT_MAX) return seconds;
  throw usageError(
    `--login-timeout: "${text}" is no number of seconds from 1 to ${TIMEOUT_MAX}`,
    "leave it out for 300",
  );
}

async function readSecretFile(
  { input }: LoginContext,
  path: string | undefined,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const secret = (await input.text(path, "--client-secret-file")).replace(/\r?\n$/, "");
  if (secret === "") throw usageError("--client-secret-file: the file is empty", ONE_LINE);
  if (/[\r\n]/.test(secret)) throw usageError("--client-secret-file: a client secret is one line", ONE_LINE);
  return secret;
}

/** From stdin, or from a prompt that shows nothing. */
async function readToken({ prompt, input }: LoginContext): Promise<string> {
  if (!prompt.available && input.isTerminal) {
    throw usageError(
      "--with-token reads a token from stdin, and stdin is a terminal",
      "pipe it in: … < FILE",
    );
  }
  return prompt.available ? prompt.password("Token") : input.text("-", "--with-token");
}

export function registerLogout(command: Command, contextOf: ContextOf, run = runLogout): void {
  command.action(() => run(contextOf(command)));
}

/** Removes the stored token; without one there is nothing to do. */
export async function runLogout({
  session,
  note,
  warn,
}: Pick<Context, "session" | "note" | "warn">): Promise<void> {
  const { profile, removed, overridingSource } = await session.logout();
  note(
    removed
      ? `logged out: the token of profile ${profile} is removed`
      : `profile ${profile} had no stored token`,
  );
  if (overridingSource !== null) warn(`${overridingSource} is set and signs in all the same`);
}

export function registerToken(command: Command, contextOf: ContextOf, run = runToken): void {
  command.action(() => run(contextOf(command)));
}

/** Prints the token that commands send, for other programs. */
export async function runToken(context: Pick<Context, "session" | "output">): Promise<void> {
  const output = context.output(createBareView("token"));
  const token = await context.session.token();
  if (token === null) {
    throw new CliError("not_signed_in", "there is no token for this profile", {
      hint: "run calctl login; the profile `local` needs none",
    });
  }
  await output.print({ token });
}
