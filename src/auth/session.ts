import { type Config, type ConfigFile, readTokenRecord, type TokenRecord } from "../config/config.js";
import type { Environment } from "../config/environment.js";
import { findProfile, type Settings } from "../config/settings.js";
import { CliError } from "../errors.js";
import type { OpenStore } from "../secrets/store.js";
import type { LoginRequest, LoginResult } from "./login.js";
import type { TokenProvider } from "./sources/token-provider.js";
import { clearTokenRecord, findOverridingSource, findPreviousToken } from "./token-storage.js";

export interface SessionDependencies {
  readonly configFile: ConfigFile;
  readonly env: Environment;
  readonly settings: () => Settings;
  /** The name of the profile to log out of, whether it exists or not. @throws CliError when none is in use */
  readonly profileName: () => string;
  readonly openStore: OpenStore;
  readonly tokenProvider: TokenProvider;
  readonly login: (request: LoginRequest) => Promise<LoginResult>;
  readonly warn: (text: string) => void;
}

type FindRecord = (config: Config) => TokenRecord | null;

/** Signing in and out, and the token of this run. */
export type Session = ReturnType<typeof createSession>;

export function createSession(dependencies: SessionDependencies) {
  const { configFile, env, profileName, openStore, tokenProvider, login, warn } = dependencies;
  const removeToken = async (profile: string, find: FindRecord): Promise<boolean> => {
    if (find(configFile.read()) === null) return false;
    return configFile.lockSecrets(async () => {
      const record = find(configFile.read());
      if (record === null) return false;
      const store = await openStore(record.store);
      const removed = await store.remove({ kind: "token", profile, origin: record.origin });
      await clearTokenRecord(configFile, profile, record);
      return removed;
    });
  };
  return {
    /** @throws CliError not_signed_in when it is declined, refused or timed out */
    login,
    /**
     * Removes the stored token of the profile, and says whether there was one and which source still has a token.
     * @throws CliError configuration when that cannot be verified
     */
    async logout() {
      const config = configFile.read();
      const profile = profileName();
      findProfile(config, profile);
      const removed = await removeToken(profile, (current) => readTokenRecord(current, profile));
      return { profile, removed, overridingSource: findOverridingSource(config, profile, env) };
    },
    /**
     * Removes the stored token of a profile that is about to be removed. A token in an unknown store stays, with a
     * warning.
     * @throws CliError configuration when the removal cannot be verified
     */
    async removeToken(profile: string): Promise<void> {
      await removeToken(profile, (config) => findPreviousToken(config, profile, warn));
    },
    /** The token that commands send; null without one. */
    async token(): Promise<string | null> {
      return (await tokenProvider.token())?.value ?? null;
    },
    /** The state of the session, without contacting the service, running a program or opening a keychain. */
    status: () => readStatus(dependencies),
  };
}

interface SessionStatus {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  /** Null for `local`, and without a token. */
  readonly tokenSource: string | null;
  /** What is wrong with the settings or the token source. */
  readonly tokenError: CliError | null;
}

async function readStatus({ settings, tokenProvider }: SessionDependencies): Promise<SessionStatus> {
  let service: Pick<SessionStatus, "profile" | "baseUrl"> = { profile: null, baseUrl: null };
  try {
    const { profile, service: choice } = settings();
    service = { profile, baseUrl: choice.kind === "remote" ? choice.baseUrl.value : null };
    return { ...service, tokenSource: await tokenProvider.source(), tokenError: null };
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    return { ...service, tokenSource: null, tokenError: error };
  }
}
