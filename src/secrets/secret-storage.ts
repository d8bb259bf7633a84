import type { StoreName } from "../config/config.js";
import { type OpenStore, SECRET_LABELS, type SecretKey, type SecretStore } from "./store.js";

export interface StorageParts {
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
  parts: StorageParts,
): Promise<void> {
  const isSameEntry = previous !== null && isSamePlace(previous, { key, store: store.name });
  const replaced = isSameEntry ? await loadIfReadable(store, key) : null;
  try {
    await store.save(key, value);
    parts.signal.throwIfAborted();
    await record();
  } catch (error) {
    await restore({ key, store: store.name, replaced, written: value }, parts);
    throw error;
  }
  if (previous !== null && !isSameEntry) await restore({ ...previous, replaced: null }, parts);
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
  { openStore, warn, signal }: StorageParts,
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
  return key.kind === "token" ? `profile ${key.profile}` : `webhook ${key.name}`;
}

function describeOwner(key: SecretKey): string {
  return key.kind === "token" ? `${nameOwner(key)} for ${key.origin}` : nameOwner(key);
}

function storeAgain(key: SecretKey): string {
  return key.kind === "token"
    ? `calctl login --profile ${key.profile}`
    : `calctl webhooks add ${key.name} --as ${key.as} --replace`;
}
