import { findProfile } from "../config/settings.js";
import { clearTokenRecord, readTokenRecord, type TokenRecord } from "../config/token-record.js";
import type { GlobalFlags, Session } from "../context.js";
import type { HostParts } from "../host.js";
import type { OpenStore } from "./credential-stores.js";
import { findEarlierToken } from "./earlier-token.js";
import { otherSource, profileName } from "./profile-choice.js";
import type { TokenChoice } from "./token-choice.js";

export interface SessionOptions {
  readonly parts: HostParts;
  readonly flags: GlobalFlags;
  readonly openStore: OpenStore;
  readonly tokenChoice: TokenChoice;
  /** Whether stdin and stderr are terminals, and asking is allowed. */
  readonly interactive: () => boolean;
  readonly warn: (text: string) => void;
  /** Writes lines of a trace to stderr. */
  readonly trace: (lines: readonly string[]) => void;
}

/** Signing in and out, and the token between. */
export function createSession(options: SessionOptions): Session {
  const { parts, flags, openStore, tokenChoice } = options;
  const { configFile } = parts;
  const { env } = parts.process;
  const removeStored = async (profile: string, record: TokenRecord | null): Promise<boolean> => {
    if (record === null) return false;
    const store = await openStore(record.store);
    const removed = await store.remove({ profile, origin: record.origin });
    await clearTokenRecord(configFile, profile, record);
    return removed;
  };
  return {
    async login(request) {
      const { signIn } = await import("./sign-in.js");
      return signIn(request, options);
    },
    async logout() {
      const config = configFile.read();
      const profile = profileName(flags, config, env);
      findProfile(config, profile);
      const removed = await removeStored(profile, readTokenRecord(config, profile));
      return { profile, removed, otherSource: otherSource(config, profile, env) };
    },
    async forget(profile) {
      await removeStored(profile, findEarlierToken(configFile.read(), profile, options.warn));
    },
    async token() {
      return (await tokenChoice.token())?.value ?? null;
    },
  };
}
