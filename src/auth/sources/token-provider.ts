import { isJsonObject, parseJson } from "../../../contract/json.js";
import { type Config, readTokenRecord, type TokenRecord } from "../../config/config.js";
import { childEnvironment, type Environment, type Setting } from "../../config/environment.js";
import {
  type Command,
  isSameOrigin,
  originOf,
  parseServiceUrl,
  parseTokenCommand,
} from "../../config/profile-values.js";
import type { Settings } from "../../config/settings.js";
import { CliError, configurationError, fileProblemOf } from "../../errors.js";
import {
  checkToken,
  type EnvironmentSecret,
  findEnvironmentSecret,
  readEnvironmentToken,
  type SecretReadOptions,
  TOKEN,
  type Token,
  withoutFinalNewline,
} from "../../secrets/environment-secret.js";
import type { OpenStore } from "../../secrets/store.js";
import { batchFileHint, runChildProcess } from "../../system/child-process.js";
import type { Redactor } from "../../terminal/redaction.js";

export interface TokenProviderOptions extends Pick<SecretReadOptions, "userId" | "note"> {
  readonly settings: () => Settings;
  readonly env: Environment;
  readonly config: () => Config;
  readonly openStore: OpenStore;
  readonly signal: () => AbortSignal;
  /** Gets every token. */
  readonly redactor: Pick<Redactor, "add">;
}

/** The token for the service of this run. */
export type TokenProvider = ReturnType<typeof createTokenProvider>;

/**
 * Chooses the first source that is set: CALCTL_TOKEN, the systemd credential, CALCTL_TOKEN_FILE, token_command of the
 * profile, the token that login stored. A later one is never read, even if the first is broken.
 */
export function createTokenProvider(options: TokenProviderOptions) {
  const toToken = (value: string, source: string): Token => {
    options.redactor.add(value);
    return { value, source };
  };
  let found: Promise<TokenSource | null> | undefined;
  // Only once, since a pipe can be read only once.
  const find = (): Promise<TokenSource | null> => {
    found ??= findSource(options);
    return found;
  };
  return {
    /** Where it comes from, without running a program or opening a keychain; null without a token. */
    async source(): Promise<string | null> {
      const source = await find();
      if (source === null || source.kind === "other_service") return null;
      return source.kind === "environment" ? source.token.source : nameOf(source);
    },
    /**
     * Null without one, and for `local`.
     * @throws CliError configuration when the source has no valid token, or one for another service
     */
    async token(): Promise<Token | null> {
      const source = await find();
      if (source === null) return null;
      switch (source.kind) {
        case "other_service":
          throw source.error;
        case "environment":
          return source.token;
        case "command":
          return toToken(await runCommand(source.command, options), nameOf(source));
        case "stored":
          return toToken(await loadStored(source, options), nameOf(source));
      }
    },
  };
}

type TokenSource =
  /** A token that must not be sent to this service. */
  | { readonly kind: "other_service"; readonly error: CliError }
  | { readonly kind: "environment"; readonly token: Token }
  | { readonly kind: "command"; readonly command: Setting }
  | { readonly kind: "stored"; readonly profile: string; readonly record: TokenRecord };

function nameOf(source: Extract<TokenSource, { readonly kind: "command" | "stored" }>): string {
  return source.kind === "command" ? "token_command" : source.record.store;
}

async function findSource(options: TokenProviderOptions): Promise<TokenSource | null> {
  const settings = options.settings();
  const { profile, service } = settings;
  // First, so that a wrong address is reported before a missing token.
  const url =
    service.kind === "local" ? null : parseServiceUrl(service.baseUrl.value, service.baseUrl.source);
  const found = findEnvironmentSecret(options.env, TOKEN);
  if (found !== null) return checkEnvironmentToken(found, settings, options);
  if (url === null || profile === null) return null;
  const config = options.config();
  const command = settings.setting("token_command");
  if (command !== undefined) {
    const error = findOriginConflict(profile, config.profiles.get(profile)?.base_url ?? "", url);
    return error === null ? { kind: "command", command } : { kind: "other_service", error };
  }
  const record = readTokenRecord(config, profile);
  if (record === null) return null;
  const error = findOriginConflict(profile, record.origin, url);
  return error === null ? { kind: "stored", profile, record } : { kind: "other_service", error };
}

async function checkEnvironmentToken(
  found: EnvironmentSecret,
  { environmentTokenConflict }: Settings,
  { signal, redactor, userId, note }: TokenProviderOptions,
): Promise<TokenSource> {
  const token = await readEnvironmentToken(found, { signal: signal(), userId, note });
  redactor.add(token.value);
  const conflict = environmentTokenConflict();
  if (conflict === null) return { kind: "environment", token };
  throw configurationError(`the token in ${found.source} is not for this service: ${conflict}`, {
    hint: "unset it, or set CALCTL_BASE_URL to its service",
  });
}

/** The error for a token that was issued by another service; null when it may be sent. */
function findOriginConflict(profile: string, issuedFor: string, url: URL): CliError | null {
  if (isSameOrigin(issuedFor, url)) return null;
  return new CliError(
    "not_signed_in",
    `not signed in: the token of profile "${profile}" is for ${originOf(issuedFor) ?? "an unknown service"}, not for ${url.origin}`,
    { hint: `sign in to it: calctl login --profile ${profile}` },
  );
}

async function runCommand(command: Setting, { env, signal }: TokenProviderOptions): Promise<string> {
  const { value, source } = command;
  return runTokenCommand({ command: parseTokenCommand(value, source), source, env, signal: signal() });
}

/** Not "not signed in" when it is missing: the configuration says that a token was stored. */
async function loadStored(
  { profile, record: { store: name, origin } }: Extract<TokenSource, { readonly kind: "stored" }>,
  { openStore }: TokenProviderOptions,
): Promise<string> {
  const store = await openStore(name);
  const token = await store.load({ kind: "token", profile, origin });
  if (token !== null) return token;
  throw configurationError(`the token of profile "${profile}" is no longer in the ${name}`, {
    hint: `sign in again: calctl login --profile ${profile}`,
  });
}

export interface TokenCommandOptions {
  readonly command: Command;
  /** For messages, such as `token_command of profile "work"`. */
  readonly source: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** In milliseconds; 30 seconds by default. */
  readonly timeout?: number;
}

const TIMEOUT = 30_000;
const MAX_OUTPUT = 64 * 1024;

/**
 * Runs a program that prints a token, either only the token or JSON with a member `token`. It gets no shell and no
 * stdin; its stderr goes to the terminal.
 * @throws CliError configuration without a valid token
 */
export async function runTokenCommand(options: TokenCommandOptions): Promise<string> {
  const { source, env, signal, timeout = TIMEOUT } = options;
  const [program, ...args] = options.command;
  const result = await runChildProcess({
    program,
    args,
    env: childEnvironment(env),
    input: null,
    stderr: "inherit",
    timeout,
    maxOutput: MAX_OUTPUT,
    signal,
  });
  const fail = (problem: string, hint = "run the command yourself to see what is wrong"): CliError =>
    configurationError(`${source}: ${program} ${problem}`, { hint });
  switch (result.kind) {
    case "not_started":
      throw fail(`could not be started: ${fileProblemOf(result)}`, batchFileHint(program, result.code));
    case "timeout":
      throw fail(`printed no token in ${timeout / 1000} seconds`);
    case "output_too_large":
      throw fail(`printed more than ${MAX_OUTPUT / 1024} KiB, too much for a token`);
    case "exited":
      if (result.exitCode !== 0) throw fail(`ended with ${result.exitCode ?? "a signal"}`);
      return checkToken(readOutput(result.stdout), `${source}: the output of ${program}`);
  }
}

/** The token in plain text or JSON; "" when the JSON has none. */
function readOutput(stdout: string): string {
  const text = withoutFinalNewline(stdout);
  if (!text.trimStart().startsWith("{")) return text;
  const json = parseJson(text);
  return isJsonObject(json) && typeof json["token"] === "string" ? json["token"] : "";
}
