import { join } from "node:path";
import type { CredentialStore } from "../auth/credentials.js";
import type { StoreName } from "../config/token-record.js";
import type { HostParts } from "../host.js";
import { selfCommand } from "./self-command.js";

export interface StoreOptions {
  /** Whether somebody can answer an unlock prompt. */
  readonly interactive: () => boolean;
  readonly tell: (text: string) => void;
  readonly signal: () => AbortSignal;
}

export type OpenStore = (name: StoreName, options?: Partial<StoreOptions>) => Promise<CredentialStore>;

/** The places that keep tokens; nothing of a keychain is loaded or started before one is used. */
export function createStoreOpener(
  { process, overrides, dataDirectory }: Pick<HostParts, "process" | "overrides" | "dataDirectory">,
  defaults: StoreOptions,
): OpenStore {
  return async (name, changes) => {
    if (name === "file") {
      const { createSecretFiles } = await import("../auth/secret-file.js");
      const userId = process.getuid?.() ?? null;
      return createSecretFiles({ directory: join(dataDirectory(), "tokens"), userId });
    }
    if (overrides.keychain !== undefined) return overrides.keychain;
    const { createKeychain } = await import("../auth/keychain.js");
    return createKeychain({
      self: selfCommand(process),
      env: process.env,
      ...defaults,
      ...changes,
      interactive: (changes?.interactive ?? defaults.interactive)(),
    });
  };
}
