import type { Command } from "commander";
import type { LoginRequest, LoginResult } from "../../auth/login.js";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { CliError, usageError } from "../../errors.js";
import { createValueView } from "../../output/views/plain.js";
import type { Run } from "../../run/run.js";

/** Flags as they were typed; undefined where they were not. */
export interface LoginOptions {
  readonly baseUrl?: string;
  readonly authUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly redirectPort?: string;
  readonly redirectUri?: string;
  readonly mediaType?: string;
  readonly replace?: boolean;
  readonly withToken?: boolean;
  /** False for `--no-browser`. */
  readonly browser?: boolean;
  readonly insecureStorage?: boolean;
  /** Seconds. */
  readonly loginTimeout?: string;
}

export function registerLogin(command: Command, runOf: RunOf): void {
  command
    .optionsGroup("Signing in")
    .option("--base-url <url>", "URL of the service (env: CALCTL_BASE_URL)")
    .option("--with-token", "store a personal access token from stdin instead of signing in")
    .option("--no-browser", "print the URL instead of opening a browser")
    .option("--insecure-storage", "store the token unencrypted in a file instead of the keychain")
    .option("--replace", "overwrite a profile of another service, with its token and defaults")
    .option("--login-timeout <seconds>", "timeout of the sign-in (default: 300)")
    .optionsGroup("OAuth and special services")
    .option(
      "--auth-url <url>",
      "URL of the authorization server (default: named by the service; env: CALCTL_AUTH_URL)",
    )
    .option("--client-id <id>", "id of your OAuth application (default: calctl's own; env: CALCTL_CLIENT_ID)")
    .option(
      "--client-secret-file <file>",
      "file with its secret, - for stdin (default: prompt; env: CALCTL_CLIENT_SECRET)",
    )
    .option("--redirect-port <port>", "registered port on 127.0.0.1 (default: any free one)")
    .option("--redirect-uri <uri>", "complete redirect URI, if the service requires an exact match")
    .option("--media-type <type>", "media type for the Accept header, if the service has its own");
  describeCommand(command, {
    examples: () => [
      ["Sign in to a service in the browser", "calctl login --base-url https://calendar.example/api"],
      [
        "Sign in with your own OAuth application",
        "calctl login --base-url https://calendar.example/api --auth-url https://calendar.example/oauth --client-id my-client-id",
      ],
      [
        "Use a personal access token, without a keychain",
        "calctl login --with-token --insecure-storage --base-url https://calendar.example/api <token-file",
      ],
    ],
  });
  addAction(command, runOf, runLogin);
}

/** Signs in, and creates or updates the profile. */
export async function runLogin(run: Run, options: LoginOptions): Promise<void> {
  const timeout = parseTimeout(options.loginTimeout ?? "300");
  const redirectUri = chooseRedirectUri(options);
  if (options.withToken === true && options.clientSecretFile === "-") {
    throw usageError(
      "--with-token and --client-secret-file - both read stdin",
      "a personal access token needs no client secret",
    );
  }
  const { terminal } = run;
  const { baseUrl, authUrl, clientId, mediaType, replace } = options;
  const signedIn = await run.session.login({
    flags: { baseUrl, authUrl, clientId, redirectUri, mediaType, replace },
    clientSecret: await readSecretFile(run, options.clientSecretFile),
    ask: terminal.prompt.available ? askWith(terminal.prompt) : undefined,
    askClientSecret: terminal.prompt.available ? () => terminal.prompt.password("Client secret") : undefined,
    readToken: options.withToken === true ? () => readToken(run) : undefined,
    browser: options.browser !== false,
    insecureStorage: options.insecureStorage === true,
    timeout,
  });
  // It may be another account's now.
  run.names.dropCache(signedIn.profile);
  report(run, signedIn);
}

const QUESTIONS = {
  baseUrl: "URL of the service:",
  authUrl: "URL of its authorization server:",
  clientId: "Client id of your OAuth application:",
};

function askWith(prompt: Run["terminal"]["prompt"]): LoginRequest["ask"] {
  return async (question, check) => {
    const answer = await prompt.text(QUESTIONS[question], {
      check: (text) => {
        if (text.trim() === "") throw usageError("this is needed to sign in");
        check(text.trim());
      },
    });
    return answer.trim();
  };
}

function report(
  { output }: Run,
  { userName, profile, store, previousBaseUrl, overridingSource, profileVariable }: LoginResult,
): void {
  output.note(`signed in as ${userName}; profile in use: ${profile}`);
  if (store === "file") output.note("the token is stored unencrypted in a file");
  if (previousBaseUrl !== null)
    output.note(`profile ${profile} was for ${previousBaseUrl}: its defaults were removed`);
  if (overridingSource !== null)
    output.warn(`${overridingSource} is set and takes precedence over the stored token`);
  if (profileVariable !== null)
    output.warn(`CALCTL_PROFILE is set, so the profile ${profileVariable} is used`);
}

function chooseRedirectUri({ redirectPort, redirectUri }: LoginOptions): string | undefined {
  if (redirectPort === undefined) return redirectUri;
  if (redirectUri !== undefined) {
    throw usageError("--redirect-port and --redirect-uri are both given", "the URI already has a port");
  }
  const port = /^\d{1,5}$/.test(redirectPort) ? Number(redirectPort) : 0;
  if (port > 0 && port <= 65_535) return `http://127.0.0.1:${port}/callback`;
  throw usageError(
    `--redirect-port: "${redirectPort}" is not a port from 1 to 65535`,
    "write the registered port, or omit the flag for any free one",
  );
}

const ONE_LINE = "it must contain only the secret, on one line";

const MAX_TIMEOUT = 86_400;

function parseTimeout(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= MAX_TIMEOUT) return seconds;
  throw usageError(
    `--login-timeout: "${text}" is not a number of seconds from 1 to ${MAX_TIMEOUT}`,
    "omit it for the default of 300",
  );
}

async function readSecretFile({ terminal }: Run, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const secret = await terminal.input.text(path, "--client-secret-file");
  if (secret === "") throw usageError("--client-secret-file: the file is empty", ONE_LINE);
  if (/[\r\n]/.test(secret)) throw usageError("--client-secret-file: the file has several lines", ONE_LINE);
  return secret;
}

/** From stdin, or from a prompt without echo. */
async function readToken({ terminal }: Run): Promise<string> {
  if (terminal.prompt.available) return terminal.prompt.password("Token");
  if (terminal.input.isTerminal) {
    throw usageError(
      "--with-token reads a token from stdin, and stdin is a terminal",
      "pipe it in: … < FILE",
    );
  }
  return terminal.input.text("-", "--with-token");
}

export function registerLogout(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    examples: () => [
      ["Sign out of the current service", "calctl logout"],
      ["Sign out of another service", "calctl logout -p calendar.example"],
    ],
  });
  addAction(command, runOf, runLogout);
}

/** Removes the stored token, if there is one, and what is cached. */
async function runLogout({ session, names, output }: Run): Promise<void> {
  const { profile, removed, overridingSource } = await session.logout();
  names.dropCache(profile);
  output.note(
    removed
      ? `logged out: the token of profile ${profile} was removed`
      : `profile ${profile} had no stored token`,
  );
  if (overridingSource !== null) output.warn(`${overridingSource} is set, so you are still signed in`);
}

const TOKEN_VIEW = createValueView("token");

export function registerToken(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    prints: { view: TOKEN_VIEW, count: "one" },
    examples: () => [
      ["Write it to a file that only you can read", "(umask 077; calctl token >token-file)"],
      ["Pass it to one other program", 'CALCTL_TOKEN="$(calctl token)" calctl whoami'],
    ],
  });
  addAction(command, runOf, runToken);
}

/** Prints the token that commands send. */
async function runToken(run: Run): Promise<void> {
  const output = run.output.of(TOKEN_VIEW);
  const token = await run.session.token();
  if (token === null) {
    throw new CliError("not_signed_in", "there is no token for this profile", {
      hint: "run calctl login; the profile `local` needs no token",
    });
  }
  await output.print({ token });
}
