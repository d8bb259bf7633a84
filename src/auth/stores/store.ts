import type { StoreName } from "../../config/token-record.js";
import type { ChildEnvironment, SelfCommand } from "../../system/child-process.js";

/** Which token is meant: tokens belong to a profile and to the origin that issued them. */
export interface CredentialKey {
  readonly profile: string;
  /** `https://host[:port]` of the service. */
  readonly origin: string;
}

/** A place where tokens are kept: the keychain of the system, or, when the user chose it, a file. */
export interface CredentialStore {
  /** As `status` and messages name it: `keychain`, `file`. */
  readonly name: StoreName;
  /** Checks that a token could be kept, before anybody signs in. @throws CliError configuration */
  probe(): Promise<void>;
  /** Keeps a token and reads it back. @throws CliError configuration when it is not there afterwards */
  save(key: CredentialKey, token: string): Promise<void>;
  /** Null when there is none. @throws CliError configuration when the store cannot tell */
  load(key: CredentialKey): Promise<string | null>;
  /** Removes a token and proves it gone; false when there was none. @throws CliError configuration when it cannot tell */
  remove(key: CredentialKey): Promise<boolean>;
}

export interface StoreOptions {
  /** Whether somebody can answer an unlock prompt. */
  readonly interactive: () => boolean;
  readonly tell: (text: string) => void;
  readonly signal: () => AbortSignal;
}

export type OpenStore = (name: StoreName, options?: Partial<StoreOptions>) => Promise<CredentialStore>;

/** Where this program may store tokens. */
export interface StorePlaces {
  /** Starts this program again, as the keychain's helper. */
  readonly self: SelfCommand;
  readonly env: ChildEnvironment;
  /** The user's id; null where files have no owner and no mode that mean anything (Windows). */
  readonly userId: number | null;
  /** Folder of the tokens in files. */
  readonly directory: () => string;
  /** In place of the system's keychain. */
  readonly keychain?: CredentialStore | undefined;
}

/** Opens stores by name. Nothing of a keychain is loaded or started before one is used. */
export function createStoreOpener(places: StorePlaces, defaults: StoreOptions): OpenStore {
  return async (name, changes) => {
    if (name === "file") {
      const { createSecretFiles } = await import("./secret-file.js");
      return createSecretFiles({ directory: places.directory(), userId: places.userId });
    }
    if (places.keychain !== undefined) return places.keychain;
    const { createKeychain } = await import("./keychain.js");
    const options = { ...defaults, ...changes };
    return createKeychain({
      ...options,
      self: places.self,
      env: places.env,
      interactive: options.interactive(),
    });
  };
}
