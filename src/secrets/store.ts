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
    storeAgain: "run calctl targets add again, with --replace",
    withoutKeychain:
      "without a keychain: calctl targets add --insecure-storage stores the URL in a file, and CALCTL_WEBHOOK_URL and CALCTL_WEBHOOK_URL_FILE work anywhere",
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

export interface StorageDependencies {
  readonly openStore: OpenStore;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Where a secret is. */
export interface SecretPlace {
  readonly key: SecretKey;
  readonly store: StoreName;
}

export interface NewSecret {
  readonly key: SecretKey;
  readonly value: string;
  readonly store: SecretStore;
  /** The secret that it replaces, which is removed; null for none. */
  readonly previous: SecretPlace | null;
}

/**
 * Stores a secret, then what the configuration says of it, then removes the one that it replaces. When a step before the
 * last fails, the stores stay as they were.
 * @param record changes the configuration
 * @throws CliError, and the signal's reason
 */
export async function storeSecret(
  { key, value, store, previous }: NewSecret,
  record: () => Promise<void>,
  dependencies: StorageDependencies,
): Promise<void> {
  const isSameEntry = previous !== null && isSamePlace(previous, { key, store: store.name });
  const replaced = isSameEntry ? await loadIfReadable(store, key) : null;
  try {
    await store.save(key, value);
    dependencies.signal.throwIfAborted();
    await record();
  } catch (error) {
    await restore({ key, store: store.name, replaced, written: value }, dependencies);
    throw error;
  }
  if (previous !== null && !isSameEntry) await restore({ ...previous, replaced: null }, dependencies);
}

function isSamePlace(one: SecretPlace, other: SecretPlace): boolean {
  const identify = ({ key, store }: SecretPlace) => JSON.stringify([store, Object.entries(key).sort()]);
  return identify(one) === identify(other);
}

/** The secret that is about to be replaced; undefined when it cannot be read, which must not stop the new one. */
async function loadIfReadable(store: SecretStore, key: SecretKey): Promise<string | null | undefined> {
  try {
    return await store.load(key);
  } catch (_unreadable) {
    return undefined;
  }
}

interface RestoreOptions extends SecretPlace {
  /** The secret that was there; null for none, undefined when it could not be read. */
  readonly replaced: string | null | undefined;
  /** The secret that was just stored. A different one is of another process and stays. */
  readonly written?: string;
}

/** For restoring after Ctrl-C (ms). */
const RESTORE_TIMEOUT = 700;

/** Restores the content of a store. A failure is only a warning, since the command has its own error. */
async function restore(
  { key, store: name, replaced, written }: RestoreOptions,
  { openStore, warn, signal }: StorageDependencies,
): Promise<void> {
  if (replaced === undefined) return;
  const afterAbort = () => {
    const timeout = AbortSignal.timeout(RESTORE_TIMEOUT);
    return { interactive: () => false, signal: () => timeout };
  };
  try {
    const store = await openStore(name, signal.aborted ? afterAbort() : {});
    const found = written === undefined ? null : await store.load(key);
    if (found !== null && found !== written) return;
    if (replaced === null) await store.remove(key);
    else await store.save(key, replaced);
  } catch (_failed) {
    warn(
      replaced === null
        ? `a ${SECRET_LABELS[key.kind].noun} of ${describeOwner(key)} may still be in the ${name}: remove it there`
        : `the previous ${SECRET_LABELS[key.kind].noun} of ${nameOwner(key)} may be lost: ${storeAgain(key)}`,
    );
  }
}

function nameOwner(key: SecretKey): string {
  return key.kind === "token" ? `profile ${key.profile}` : `target ${key.name}`;
}

function describeOwner(key: SecretKey): string {
  return key.kind === "token" ? `${nameOwner(key)} for ${key.origin}` : nameOwner(key);
}

function storeAgain(key: SecretKey): string {
  return key.kind === "token"
    ? `calctl login --profile ${key.profile}`
    : `calctl targets add ${key.name} --as ${key.as} --replace`;
}
