import { readEnvironmentToken, type Token } from "../auth/token-sources.js";
import type { Config } from "../config/config-file.js";
import { type Environment, readVariable } from "../config/environment.js";
import type { Sourced } from "../config/settings.js";
import { readTokenRecord, type TokenRecord } from "../config/token-record.js";
import type { Settings } from "../context.js";
import { CliError, configurationError } from "../errors.js";
import type { OpenStore } from "./credential-stores.js";
import type { LiveSecrets } from "./live-secrets.js";

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
  source(): string | null;
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
  return {
    source() {
      const source = findSource(options);
      if (source === null || source.kind === "elsewhere") return null;
      return source.kind === "environment" ? source.token.source : nameOf(source);
    },
    async token() {
      const source = findSource(options);
      if (source === null) return null;
      switch (source.kind) {
        case "elsewhere":
          throw source.error;
        case "environment":
          return source.token;
        case "command":
          return kept(await runCommand(source.command, options), nameOf(source));
        case "stored":
          return kept(await loadStored(source, options), nameOf(source));
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

function findSource(options: TokenChoiceOptions): Source | null {
  const settings = options.settings();
  const token = readToken(options.env);
  if (token !== null) {
    options.secrets.add(token.value);
    if (settings.environmentTokenRefusal === null) return { kind: "environment", token };
    throw configurationError(
      `${token.source} holds a token that goes nowhere: ${settings.environmentTokenRefusal}`,
      { hint: "unset it, or name its service with CALCTL_BASE_URL" },
    );
  }
  const { profile, service } = settings;
  if (service.kind === "local" || profile === null) return null;
  const config = options.config();
  const address = service.baseUrl.value;
  const command = settings.setting("token_command");
  if (command !== undefined) {
    const error = wrongOrigin(profile, config.profiles.get(profile)?.base_url ?? "", address);
    return error === null ? { kind: "command", command } : { kind: "elsewhere", error };
  }
  const record = readTokenRecord(config, profile);
  if (record === null) return null;
  const error = wrongOrigin(profile, record.origin, address);
  return error === null ? { kind: "stored", profile, record } : { kind: "elsewhere", error };
}

/** What the environment holds. @throws CliError configuration */
function readToken(env: Environment): Token | null {
  return readEnvironmentToken({
    token: readVariable(env, "CALCTL_TOKEN"),
    tokenFile: readVariable(env, "CALCTL_TOKEN_FILE"),
    credentialsDirectory: env["CREDENTIALS_DIRECTORY"],
  });
}

/** A token is sent to the service it was issued for, whatever address the profile or the environment names now. */
function wrongOrigin(profile: string, issuedFor: string, address: string): CliError | null {
  const origin = originOf(address);
  if (origin !== null && origin === originOf(issuedFor)) return null;
  return new CliError(
    "not_signed_in",
    `not signed in: the token of profile "${profile}" is for ${originOf(issuedFor) ?? "no service"} and is not sent to ${origin ?? address}`,
    { hint: `sign in there: calctl login --profile ${profile}` },
  );
}

function originOf(text: string): string | null {
  return URL.canParse(text) ? new URL(text).origin : null;
}

async function runCommand(command: Sourced, { env, signal }: TokenChoiceOptions): Promise<string> {
  const { runTokenCommand } = await import("../auth/token-command.js");
  return runTokenCommand({ command: command.value, source: command.source, env, signal: signal() });
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
