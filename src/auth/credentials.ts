/** Which token is meant: tokens belong to a profile and to the origin that issued them. */
export interface CredentialKey {
  readonly profile: string;
  /** `https://host[:port]` of the service. */
  readonly origin: string;
}

/** A place where tokens are kept: the keychain of the system, or, when the user chose it, a file. */
export interface CredentialStore {
  /** As `status` and messages name it: `keychain`, `file`. */
  readonly name: string;
  /** Checks that a token could be kept, before anybody signs in. @throws CliError configuration */
  probe(): Promise<void>;
  /** Keeps a token and reads it back. @throws CliError configuration when it is not there afterwards */
  save(key: CredentialKey, token: string): Promise<void>;
  /** Null when there is none. @throws CliError configuration when the store cannot tell */
  load(key: CredentialKey): Promise<string | null>;
  /** Removes a token and proves it gone; false when there was none. @throws CliError configuration when it cannot tell */
  remove(key: CredentialKey): Promise<boolean>;
}
