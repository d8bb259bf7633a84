import type { Transport } from "../api/transport.js";
import type { CredentialKey, CredentialStore } from "../auth/credentials.js";
import {
  decideLogin,
  type LoginSettings,
  type LoginTarget,
  profileChanges,
} from "../config/login-settings.js";
import { type StoreName, writeSignedIn } from "../config/token-record.js";
import type { LoginRequest, SignedIn } from "../context.js";
import type { User } from "../contract/shapes.js";
import { type CliError, usageError } from "../errors.js";
import { findEarlierToken } from "./earlier-token.js";
import { createNetworkTransport, traced } from "./network.js";
import { otherSource } from "./profile-choice.js";
import { decideRequestLimits } from "./request-limits.js";
import { createResilience } from "./resilience.js";
import type { SessionOptions } from "./session.js";
import { authorizeInBrowser } from "./sign-in-browser.js";

/** A sign-in that has all it needs. */
export interface SignIn {
  readonly request: LoginRequest;
  readonly settings: LoginSettings;
  readonly target: LoginTarget;
  readonly options: SessionOptions;
  readonly transport: Transport;
  readonly signal: AbortSignal;
}

/**
 * Signs in, keeps the token and remembers the profile; what fails leaves profile and token as they were.
 * @throws CliError with the exit codes of docs/exit-codes.md
 */
export async function signIn(request: LoginRequest, options: SessionOptions): Promise<SignedIn> {
  const { parts, flags, openStore, trace } = options;
  const { env } = parts.process;
  const config = parts.configFile.read();
  const settings = decideLogin({ ...request.flags, profile: flags.profile }, env, config);
  const { target } = settings;
  const missing = missingFlags(request, settings, options);
  if (target === undefined || missing.length > 0) throw missingError(missing);
  const storeName: StoreName = request.insecureStorage ? "file" : "keychain";
  const store = await openStore(storeName);
  // Nobody should sign in only to learn that the token cannot be kept.
  await store.probe();
  const network = { timeout: decideRequestLimits(flags, env).timeout, env, resources: parts.resources };
  const transport = await traced(await createNetworkTransport(network), {
    flags,
    parts,
    write: trace,
  });
  const attempt: SignIn = { request, settings, target, options, transport, signal: parts.signal() };
  const keep = (token: string) => {
    parts.secrets.add(token);
    return keepToken(token, attempt, store);
  };
  const user =
    request.readToken === undefined
      ? await authorizeInBrowser(attempt, keep)
      : await keep(await request.readToken());
  const { profile, movedFrom } = target;
  return {
    userName: user.name ?? user.id,
    profile,
    store: storeName,
    movedFrom,
    otherSource: otherSource(parts.configFile.read(), profile, env),
    profileVariable: profileVariable(env["CALCTL_PROFILE"], profile),
  };
}

/** The variable's value where it names another profile than the one just signed in to. */
function profileVariable(value: string | undefined, profile: string): string | null {
  return value === undefined || value === profile ? null : value;
}

/** What a script must still say, all of it at once. */
function missingFlags(
  request: LoginRequest,
  settings: LoginSettings,
  { interactive, parts }: SessionOptions,
): readonly string[] {
  const missing = settings.target === undefined ? ["--base-url"] : [];
  if (request.readToken !== undefined) return missing;
  if (settings.authUrl === undefined) missing.push("--auth-url");
  if (settings.clientId === undefined) missing.push("--client-id");
  const secret = request.clientSecret ?? (parts.process.env["CALCTL_CLIENT_SECRET"] || undefined);
  if (secret === undefined && request.askClientSecret === undefined) {
    missing.push("--client-secret-file (or CALCTL_CLIENT_SECRET)");
  }
  if (request.browser && !interactive()) missing.push("--no-browser or --with-token (there is no terminal)");
  return missing;
}

function missingError(missing: readonly string[]): CliError {
  return usageError(
    `missing ${missing.join(", ")}`,
    "a personal access token needs --base-url and --with-token alone",
  );
}

/** Proves the token by asking who it belongs to, then keeps it, then remembers where. */
async function keepToken(token: string, attempt: SignIn, store: CredentialStore): Promise<User> {
  const { settings, target, options, transport, signal } = attempt;
  const { parts, flags } = options;
  const { configFile } = parts;
  const [{ createApi }, { withBearer }] = await Promise.all([
    import("../api/api.js"),
    import("../api/bearer.js"),
  ]);
  const api = createApi({
    ...(await createResilience({ parts, flags, account: { token, origin: target.baseUrl.origin } })),
    transport: withBearer(transport, token),
    baseUrl: target.baseUrl,
    mediaType: settings.mediaType,
  });
  const user = await api.getCurrentUser();
  signal.throwIfAborted();
  const key: CredentialKey = { profile: target.profile, origin: target.baseUrl.origin };
  const record = { store: store.name as StoreName, origin: key.origin };
  const before = findEarlierToken(configFile.read(), target.profile, options.warn);
  const isRenewal = before?.store === record.store && before.origin === record.origin;
  try {
    await store.save(key, token);
    signal.throwIfAborted();
    const changes = profileChanges(target, settings);
    const moved = target.movedFrom !== null;
    await writeSignedIn(configFile, { name: target.profile, changes, record, moved });
  } catch (error) {
    // A token that replaced a good one is as good; one that nothing remembers must go.
    if (!isRenewal) await removeQuietly(key, record.store, options);
    throw error;
  }
  if (before !== null && !isRenewal) {
    await removeQuietly({ profile: target.profile, origin: before.origin }, before.store, options);
  }
  return user;
}

/** Longest time for tidying up in milliseconds: whoever pressed Ctrl-C does not wait longer. */
const TIDY_LIMIT = 700;

async function removeQuietly(
  key: CredentialKey,
  name: StoreName,
  { openStore, warn, parts }: SessionOptions,
): Promise<void> {
  const hurried = () => {
    const signal = AbortSignal.timeout(TIDY_LIMIT);
    return { interactive: () => false, signal: () => signal };
  };
  try {
    const store = await openStore(name, parts.signal().aborted ? hurried() : {});
    await store.remove(key);
  } catch (_stillThere) {
    warn(`a token of profile ${key.profile} for ${key.origin} may still be in the ${name}: remove it there`);
  }
}
