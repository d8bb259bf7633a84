import type { ConfigFile } from "../config/config-file.js";
import type { Environment } from "../config/environment.js";
import { findProfile } from "../config/settings.js";
import { clearTokenRecord, readTokenRecord, type TokenRecord } from "../config/token-record.js";
import type { LoginRequest, SignedIn } from "./login.js";
import { otherSource } from "./sources/environment.js";
import type { TokenChoice } from "./sources/token-choice.js";
import type { OpenStore } from "./stores/store.js";
import { findPreviousToken } from "./token-storage.js";

/** Signing in and out, and the token between. */
export interface Session {
  /** @throws CliError not_signed_in when it is declined, refused or never completed */
  login(request: LoginRequest): Promise<SignedIn>;
  /**
   * Removes the stored token of the chosen profile and verifies that it is gone.
   * @throws CliError configuration when the store cannot tell
   */
  logout(): Promise<LoggedOut>;
  /**
   * Removes the stored token of a profile that is about to be removed. A token in a store that this version does not
   * know stays, with a warning.
   * @throws CliError configuration when the store cannot tell
   */
  forget(profile: string): Promise<void>;
  /** The token that commands send; null without one. */
  token(): Promise<string | null>;
}

export interface LoggedOut {
  readonly profile: string;
  /** False when there was no token. */
  readonly removed: boolean;
  /** A source that still gives a token; null without any. */
  readonly otherSource: string | null;
}

export interface SessionParts {
  readonly configFile: ConfigFile;
  readonly env: Environment;
  /** The profile that is named or in use. */
  readonly profileName: () => string;
  readonly openStore: OpenStore;
  readonly tokenChoice: Pick<TokenChoice, "token">;
  readonly login: (request: LoginRequest) => Promise<SignedIn>;
  readonly warn: (text: string) => void;
}

/** The session of the chosen profile. */
export function createSession(parts: SessionParts): Session {
  const { configFile, env, profileName, openStore, tokenChoice, login, warn } = parts;
  const removeStored = async (profile: string, record: TokenRecord | null): Promise<boolean> => {
    if (record === null) return false;
    const store = await openStore(record.store);
    const removed = await store.remove({ profile, origin: record.origin });
    await clearTokenRecord(configFile, profile, record);
    return removed;
  };
  return {
    login,
    async logout() {
      const config = configFile.read();
      const profile = profileName();
      findProfile(config, profile);
      const removed = await removeStored(profile, readTokenRecord(config, profile));
      return { profile, removed, otherSource: otherSource(config, profile, env) };
    },
    async forget(profile) {
      await removeStored(profile, findPreviousToken(configFile.read(), profile, warn));
    },
    async token() {
      return (await tokenChoice.token())?.value ?? null;
    },
  };
}
