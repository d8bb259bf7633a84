import type { Config } from "../../config/config-file.js";
import type { Environment } from "../../config/environment.js";
import { parseTokenCommand } from "../../config/profile-values.js";
import type { Setting } from "../../config/setting.js";
import type { Settings } from "../../config/settings.js";
import { readTokenRecord, type TokenRecord } from "../../config/token-record.js";
import { isSameOrigin, originOf, parseServiceUrl } from "../../config/urls.js";
import { CliError, configurationError } from "../../errors.js";
import type { Redactor } from "../../terminal/redaction.js";
import type { OpenStore } from "../stores/store.js";
import { findEnvironmentToken, readTokenSource, type Token, type TokenSource } from "./environment.js";

export interface TokenChoiceOptions {
  readonly settings: () => Settings;
  readonly env: Environment;
  readonly config: () => Config;
  readonly openStore: OpenStore;
  readonly signal: () => AbortSignal;
  /** Learns every token that is found. */
  readonly redactor: Pick<Redactor, "add">;
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
  const redacted = (value: string, source: string): Token => {
    options.redactor.add(value);
    return { value, source };
  };
  let found: Promise<Source | null> | undefined;
  // Once: a pipe gives its token only once.
  const find = (): Promise<Source | null> => {
    found ??= findSource(options);
    return found;
  };
  return {
    async source() {
      const source = await find();
      if (source === null || source.kind === "elsewhere") return null;
      return source.kind === "environment" ? source.token.source : nameOf(source);
    },
    async token() {
      const source = await find();
      if (source === null) return null;
      switch (source.kind) {
        case "elsewhere":
          throw source.error;
        case "environment":
          return source.token;
        case "command":
          return redacted(await runCommand(source.command, options), nameOf(source));
        case "stored":
          return redacted(await loadStored(source, options), nameOf(source));
      }
    },
  };
}

type Source =
  /** A token that may not be sent to the chosen service. */
  | { readonly kind: "elsewhere"; readonly error: CliError }
  | { readonly kind: "environment"; readonly token: Token }
  | { readonly kind: "command"; readonly command: Setting }
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
  { signal, redactor }: TokenChoiceOptions,
): Promise<Source> {
  const token = await readTokenSource(found, signal());
  redactor.add(token.value);
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

async function runCommand(command: Setting, { env, signal }: TokenChoiceOptions): Promise<string> {
  const { runTokenCommand } = await import("./token-command.js");
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
