import type { StoreName } from "../config/config.js";

/** Identifies a secret. A new kind needs a case in `accountOf` and in the layout of secret files. */
export type SecretKey = TokenKey | WebhookUrlKey;

/** A token belongs to a profile and to the service that issued it. */
export interface TokenKey {
  readonly kind: "token";
  readonly profile: string;
  /** `https://host[:port]` of the service. */
  readonly origin: string;
}

/** A webhook URL is a secret, since anyone who has it can post. */
export interface WebhookUrlKey {
  readonly kind: "webhook_url";
  /** Chosen by the user. */
  readonly name: string;
  /** The kind of target: a URL of one is never taken for that of another. */
  readonly as: string;
}

/** What messages call a secret, how the user stores it again, and what works without a keychain. */
export const SECRET_LABELS = {
  token: {
    noun: "token",
    storeAgain: "run calctl login again",
    withoutKeychain:
      "without a keychain: calctl login --insecure-storage stores the token in a file, and CALCTL_TOKEN and CALCTL_TOKEN_FILE work anywhere",
  },
  webhook_url: {
    noun: "webhook URL",
    storeAgain: "run calctl webhooks add again, with --replace",
    withoutKeychain:
      "without a keychain: calctl webhooks add --insecure-storage stores the URL in a file, and CALCTL_WEBHOOK_URL and CALCTL_WEBHOOK_URL_FILE work anywhere",
  },
} as const;

/**
 * The account of a keychain entry, unique for every key. Tokens have no prefix, for compatibility; other kinds cannot
 * collide with them, since a profile name contains neither a space nor a colon.
 */
export function accountOf(key: SecretKey): string {
  return key.kind === "token" ? `${key.profile} ${key.origin}` : `${key.kind}:${key.name} ${key.as}`;
}

/** A place for secrets: the keychain of the system or, if the user chose it, files. */
export interface SecretStore {
  /** For `status`, messages and the configuration. */
  readonly name: StoreName;
  /** Checks that a secret could be stored, before the user signs in. @throws CliError configuration */
  probe(): Promise<void>;
  /** Stores a secret and reads it back. @throws CliError configuration when that fails */
  save(key: SecretKey, secret: string): Promise<void>;
  /** Null when there is none. @throws CliError configuration when the store cannot be read */
  load(key: SecretKey): Promise<string | null>;
  /** Removes a secret and verifies that it is gone; false when there was none. @throws CliError configuration */
  remove(key: SecretKey): Promise<boolean>;
}

export interface StoreOptions {
  /** What it is opened for, for messages. */
  readonly purpose: SecretKey["kind"];
  /** Whether the user can answer an unlock prompt. */
  readonly interactive: () => boolean;
  readonly warn: (text: string) => void;
  readonly signal: () => AbortSignal;
}

/** Opens a store by name. */
export type OpenStore = (name: StoreName, options?: Partial<StoreOptions>) => Promise<SecretStore>;
