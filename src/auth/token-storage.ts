import type { Config, ConfigFile } from "../config/config-file.js";
import { type LoginSettings, type LoginTarget, profileChanges } from "../config/login-settings.js";
import {
  findUnknownStore,
  readTokenRecord,
  type StoreName,
  type TokenRecord,
  writeSignedIn,
} from "../config/token-record.js";
import type { User } from "../contract/shapes.js";
import { CliError } from "../errors.js";
import type { CredentialKey, CredentialStore, OpenStore } from "./stores/store.js";

/** A service as a token is tried with it. */
export interface TriedService {
  readonly baseUrl: URL;
  /** Value of `Accept`; undefined for the contract's own. */
  readonly mediaType: string | undefined;
}

/**
 * Asks a service who a token belongs to. A failed read is repeated: the code that was redeemed for the token works only
 * once.
 */
export type WhoIs = (token: string, service: TriedService) => Promise<User>;

export interface Verification {
  readonly whoIs: WhoIs;
  readonly service: TriedService;
  /** Whether the user gave the token; otherwise the authorization server did. */
  readonly isPersonal: boolean;
}

/** Verifies a new token before it is stored. @throws CliError that says that nothing was stored */
export async function verifyToken(token: string, verification: Verification): Promise<User> {
  try {
    return await verification.whoIs(token, verification.service);
  } catch (error) {
    throw error instanceof CliError && error.code !== "interrupted"
      ? unverifiedError(error, verification)
      : error;
  }
}

function unverifiedError(cause: CliError, { service, isPersonal }: Verification): CliError {
  const { status, details, request } = cause;
  const facts = { status, details, request, cause };
  if (status === 401) {
    const [whose, hint] = isPersonal
      ? ["from --with-token", `is it whole, still valid, and a token of ${service.baseUrl.origin}?`]
      : [
          "that its authorization server has just given",
          "do --base-url and --auth-url belong to the same service?",
        ];
    return new CliError("not_signed_in", `not signed in: the service refused the token ${whose}`, {
      ...facts,
      hint,
    });
  }
  const hint = cause.code === "unavailable" ? "try again later: calctl login" : cause.hint;
  return new CliError(cause.code, `nothing is kept, since the new token cannot be tried: ${cause.message}`, {
    ...facts,
    hint,
  });
}

interface StoringParts {
  readonly configFile: ConfigFile;
  readonly openStore: OpenStore;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

interface Storing {
  readonly target: LoginTarget;
  readonly settings: LoginSettings;
  readonly store: CredentialStore;
}

/**
 * Stores a token and remembers where. When it fails, profile and token stay as they were.
 * @throws CliError
 */
export async function storeToken(
  token: string,
  { target, settings, store }: Storing,
  parts: StoringParts,
): Promise<void> {
  const { configFile, signal } = parts;
  const key: CredentialKey = { profile: target.profile, origin: target.baseUrl.origin };
  const record = { store: store.name, origin: key.origin };
  const previous = findPreviousToken(configFile.read(), target.profile, parts.warn);
  const isRenewal = previous?.store === record.store && previous.origin === record.origin;
  const replaced = isRenewal ? await loadQuietly(store, key) : null;
  try {
    await store.save(key, token);
    signal.throwIfAborted();
    const changes = profileChanges(target, settings);
    const moved = target.movedFrom !== null;
    await writeSignedIn(configFile, { name: target.profile, changes, record, moved });
  } catch (error) {
    await restore({ key, store: record.store, replaced, written: token }, parts);
    throw error;
  }
  if (previous !== null && !isRenewal) {
    const previousKey = { profile: target.profile, origin: previous.origin };
    await restore({ key: previousKey, store: previous.store, replaced: null }, parts);
  }
}

/**
 * Where the token is that a profile had until now. Null where there was none, and, with a warning, where it cannot be
 * reached: a store that this version does not know must not lock the profile for good.
 */
export function findPreviousToken(
  config: Config,
  profile: string,
  warn: (text: string) => void,
): TokenRecord | null {
  const unknown = findUnknownStore(config, profile);
  if (unknown === null) return readTokenRecord(config, profile);
  warn(`a token of profile ${profile} may still be in "${unknown}", a store that this version does not know`);
  return null;
}

/** The token that is about to be replaced; undefined when it cannot be read, which does not stop the login. */
async function loadQuietly(store: CredentialStore, key: CredentialKey): Promise<string | null | undefined> {
  try {
    return await store.load(key);
  } catch (_unreadable) {
    return undefined;
  }
}

interface Restoring {
  readonly key: CredentialKey;
  readonly store: StoreName;
  /** The token that was there; null for none, undefined when it is not known. */
  readonly replaced: string | null | undefined;
  /** The token that this login wrote. If another one is there now, another login wrote it, and it stays. */
  readonly written?: string;
}

/** Longest time for tidying up after Ctrl-C, in milliseconds. */
const TIDY_TIMEOUT = 700;

/** Brings a store back to what it held. A failure is only reported: the login has its own error. */
async function restore(
  { key, store: name, replaced, written }: Restoring,
  { openStore, warn, signal }: StoringParts,
): Promise<void> {
  if (replaced === undefined) return;
  const hurried = () => {
    const tidySignal = AbortSignal.timeout(TIDY_TIMEOUT);
    return { interactive: () => false, signal: () => tidySignal };
  };
  try {
    const store = await openStore(name, signal.aborted ? hurried() : {});
    const found = written === undefined ? null : await store.load(key);
    if (found !== null && found !== written) return;
    if (replaced === null) await store.remove(key);
    else await store.save(key, replaced);
  } catch (_failed) {
    warn(
      replaced === null
        ? `a token of profile ${key.profile} for ${key.origin} may still be in the ${name}: remove it there`
        : `the earlier token of profile ${key.profile} may be lost: calctl login --profile ${key.profile}`,
    );
  }
}
