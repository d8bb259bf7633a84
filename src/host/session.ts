import { findProfile } from "../config/settings.js";
import { clearTokenRecord, readTokenRecord } from "../config/token-record.js";
import type { GlobalFlags, Session } from "../context.js";
import type { HostParts } from "../host.js";
import type { OpenStore } from "./credential-stores.js";
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
  return {
    async login(request) {
      const { signIn } = await import("./sign-in.js");
      return signIn(request, options);
    },
    async logout(named) {
      const config = configFile.read();
      const profile = named ?? profileName(flags, config, env);
      findProfile(config, profile);
      const record = readTokenRecord(config, profile);
      let removed = false;
      if (record !== null) {
        const store = await openStore(record.store);
        removed = await store.remove({ profile, origin: record.origin });
        await clearTokenRecord(configFile, profile, record);
      }
      return { profile, removed, otherSource: otherSource(config, profile, env) };
    },
    async token() {
      return (await tokenChoice.token())?.value ?? null;
    },
  };
}
