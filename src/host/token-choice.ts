import { readTokenSource, type Token, type TokenSource } from "../auth/token-sources.js";
import type { Config } from "../config/config-file.js";
import type { Environment } from "../config/environment.js";
import { isSameOrigin, originOf, parseServiceUrl } from "../config/service-url.js";
import type { Sourced } from "../config/settings.js";
import { parseTokenCommand } from "../config/token-command.js";
import { readTokenRecord, type TokenRecord } from "../config/token-record.js";
import type { Settings } from "../context.js";
import { CliError, configurationError } from "../errors.js";
import type { OpenStore } from "./credential-stores.js";
import { findEnvironmentToken } from "./environment-token.js";
import type { LiveSecrets } from "./live-secrets.js";
import { once } from "./resources.js";

export interface TokenChoiceOptions {
  readonly settings: () => Settings;
  readonly env: Environment;
  readonly config: () => Config;
  readonly openStore: OpenStore;
  readonly signal: () => AbortSignal;
  /** Told every token that is found. */
  readonly secrets: Pick<LiveSecrets, "add">;
}

/** The token for the chosen service. */
export interface TokenChoice {
  /** Where it would come from, without asking a program or a keychain for it; null where there is none. */
  source(): Promise<string | null>;
  /**
   * Null where there is none, or `local` needs none.
   * @throws CliError configuration when the source is there but gives no token, or one that may not go there
   */
  token(): Promise<Token | null>;
}

/**
 * CALCTL_TOKEN, the systemd credential, CALCTL_TOKEN_FILE, the profile's token_command, the store that login used: the
 * first that is there, and no later one is touched.
 */
export function createTokenChoice(options: TokenChoiceOptions): TokenChoice {
  const kept = (value: string, source: string): Token => {
    options.secrets.add(value);
    return { value, source };
  };
  // Once: a pipe gives its token a single time.
  const source = once(() => findSource(options));
  return {
    async source() {
      const found = await source();
      if (found === null || found.kind === "elsewhere") return null;
      return found.kind === "environment" ? found.token.source : nameOf(found);
    },
    async token() {
      const found = await source();
      if (found === null) return null;
      switch (found.kind) {
        case "elsewhere":
          throw found.error;
        case "environment":
          return found.token;
        case "command":
          return kept(await runCommand(found.command, options), nameOf(found));
        case "stored":
          return kept(await loadStored(found, options), nameOf(found));
      }
    },
  };
}

type Source =
  /** A token that may not be sent to the chosen service. */
  | { readonly kind: "elsewhere"; readonly error: CliError }
  | { readonly kind: "environment"; readonly token: Token }
  | { readonly kind: "command"; readonly command: Sourced }
  | { readonly kind: "stored"; readonly profile: string; readonly record: TokenRecord };

function nameOf(source: Extract<Source, { readonly kind: "command" | "stored" }>): string {
  return source.kind === "command" ? "token_command" : source.record.store;
}

async function findSource(options: TokenChoiceOptions): Promise<Source | null> {
  const settings = options.settings();
  const { profile, service } = settings;
  // An address that nothing may be sent to needs no token.
  const url =
    service.kind === "local" ? null : parseServiceUrl(service.baseUrl.value, service.baseUrl.source);
  const found = findEnvironmentToken(options.env);
  if (found !== null) return readAllowed(found, settings, options);
  if (url === null || profile === null) return null;
  const config = options.config();
  const command = settings.setting("token_command");
  if (command !== undefined) {
    const error = wrongOrigin(profile, config.profiles.get(profile)?.base_url ?? "", url);
    return error === null ? { kind: "command", command } : { kind: "elsewhere", error };
  }
  const record = readTokenRecord(config, profile);
  if (record === null) return null;
  const error = wrongOrigin(profile, record.origin, url);
  return error === null ? { kind: "stored", profile, record } : { kind: "elsewhere", error };
}

async function readAllowed(
  found: TokenSource,
  { environmentTokenRefusal }: Settings,
  { signal, secrets }: TokenChoiceOptions,
): Promise<Source> {
  const token = await readTokenSource(found, signal());
  secrets.add(token.value);
  if (environmentTokenRefusal === null) return { kind: "environment", token };
  throw configurationError(`${found.source} holds a token that goes nowhere: ${environmentTokenRefusal}`, {
    hint: "unset it, or name its service with CALCTL_BASE_URL",
  });
}

/** A token is sent to the service it was issued for, whatever address the profile or the environment names now. */
function wrongOrigin(profile: string, issuedFor: string, url: URL): CliError | null {
  if (isSameOrigin(issuedFor, url)) return null;
  return new CliError(
    "not_signed_in",
    `not signed in: the token of profile "${profile}" is for ${originOf(issuedFor) ?? "no service"} and is not sent to ${url.origin}`,
    { hint: `sign in there: calctl login --profile ${profile}` },
  );
}

async function runCommand(command: Sourced, { env, signal }: TokenChoiceOptions): Promise<string> {
  const { runTokenCommand } = await import("../auth/token-command.js");
  const { value, source } = command;
  return runTokenCommand({ command: parseTokenCommand(value, source), source, env, signal: signal() });
}

/** A recorded token that is not there was locked away or removed by others: never "not signed in". */
async function loadStored(
  { profile, record: { store: name, origin } }: Extract<Source, { readonly kind: "stored" }>,
  { openStore }: TokenChoiceOptions,
): Promise<string> {
  const store = await openStore(name);
  const token = await store.load({ profile, origin });
  if (token !== null) return token;
  throw configurationError(`the token of profile "${profile}" is no longer in the ${name}`, {
    hint: `sign in again: calctl login --profile ${profile}`,
  });
}
