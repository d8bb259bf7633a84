import type { CredentialKey, CredentialStore } from "../auth/credentials.js";
import { profileChanges } from "../config/login-settings.js";
import { type StoreName, writeSignedIn } from "../config/token-record.js";
import type { User } from "../contract/shapes.js";
import { findEarlierToken } from "./earlier-token.js";
import { proveToken } from "./prove-token.js";
import type { SessionOptions } from "./session.js";
import type { SignIn } from "./sign-in.js";

/**
 * Proves a token by asking who it belongs to, then keeps it, then remembers where; what fails leaves profile and token
 * as they were.
 * @throws CliError
 */
export async function keepToken(token: string, attempt: SignIn, store: CredentialStore): Promise<User> {
  const { settings, target, options, signal } = attempt;
  const { configFile } = options.parts;
  const user = await proveToken(token, attempt);
  signal.throwIfAborted();
  const key: CredentialKey = { profile: target.profile, origin: target.baseUrl.origin };
  const record = { store: store.name as StoreName, origin: key.origin };
  const before = findEarlierToken(configFile.read(), target.profile, options.warn);
  const isRenewal = before?.store === record.store && before.origin === record.origin;
  const replaced = isRenewal ? await loadQuietly(store, key) : null;
  try {
    await store.save(key, token);
    signal.throwIfAborted();
    const changes = profileChanges(target, settings);
    const moved = target.movedFrom !== null;
    await writeSignedIn(configFile, { name: target.profile, changes, record, moved });
  } catch (error) {
    await restore({ key, store: record.store, replaced, written: token }, options);
    throw error;
  }
  if (before !== null && !isRenewal) {
    const key = { profile: target.profile, origin: before.origin };
    await restore({ key, store: before.store, replaced: null }, options);
  }
  return user;
}

/** What the new token replaces; undefined where that cannot be read, which is no reason not to replace it. */
async function loadQuietly(store: CredentialStore, key: CredentialKey): Promise<string | null | undefined> {
  try {
    return await store.load(key);
  } catch (_unreadable) {
    return undefined;
  }
}

function isAnother(found: string | null, written: string): boolean {
  return found !== null && found !== written;
}

interface Restoring {
  readonly key: CredentialKey;
  readonly store: StoreName;
  /** The token that was there; null for none, undefined where nobody knows. */
  readonly replaced: string | null | undefined;
  /** What was written meanwhile: another login may have replaced it since, and its token stays. */
  readonly written?: string;
}

/** Longest time for tidying up in milliseconds: whoever pressed Ctrl-C does not wait longer. */
const TIDY_LIMIT = 700;

/** Brings a store back to what it held; what fails is said, and is no reason to fail. */
async function restore(
  { key, store: name, replaced, written }: Restoring,
  { openStore, warn, parts }: SessionOptions,
): Promise<void> {
  if (replaced === undefined) return;
  const hurried = () => {
    const signal = AbortSignal.timeout(TIDY_LIMIT);
    return { interactive: () => false, signal: () => signal };
  };
  try {
    const store = await openStore(name, parts.signal().aborted ? hurried() : {});
    if (written !== undefined && isAnother(await store.load(key), written)) return;
    if (replaced === null) await store.remove(key);
    else await store.save(key, replaced);
  } catch (_asItWas) {
    warn(
      replaced === null
        ? `a token of profile ${key.profile} for ${key.origin} may still be in the ${name}: remove it there`
        : `the earlier token of profile ${key.profile} may be lost: calctl login --profile ${key.profile}`,
    );
  }
}
