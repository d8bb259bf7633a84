import type { User } from "../../contract/shapes.js";
import type { ConfigFile, StoreName } from "../config/config.js";
import { readVariable, rethrowAsUsage } from "../config/environment.js";
import {
  CHECK_BASE_URL,
  type LoginFlags,
  type LoginSettings,
  type LoginTarget,
  readLoginSettings,
} from "../config/login-settings.js";
import { formatAddress } from "../config/profile-values.js";
import { CliError, usageError } from "../errors.js";
import { checkToken } from "../secrets/environment-secret.js";
import type { OpenStore, SecretStore } from "../secrets/store.js";
import type { DiscoveredServer } from "./browser/discovery.js";
import {
  type BrowserLoginDependencies,
  type BrowserLoginRequest,
  loginInBrowser,
  type SignInServer,
} from "./browser-login.js";
import { findOverridingSource, storeToken } from "./token-storage.js";

/** A flag that a person at a terminal is asked for. */
type LoginQuestion = "baseUrl" | "authUrl" | "clientId";

export interface LoginRequest extends BrowserLoginRequest {
  readonly flags: Omit<LoginFlags, "profile">;
  /**
   * Asks for a flag that is missing; undefined when the program must not ask.
   * @param check throws CliError for an answer that is wrong
   */
  readonly ask: ((question: LoginQuestion, check: (answer: string) => void) => Promise<string>) | undefined;
  /** Reads a personal access token; undefined to sign in with the browser. */
  readonly readToken: (() => Promise<string>) | undefined;
  /** Stores the token in a file instead of the keychain. */
  readonly insecureStorage: boolean;
}

export interface LoginResult {
  readonly userName: string;
  readonly profile: string;
  readonly store: StoreName;
  /** The profile's base_url until now if it was another service; null otherwise. */
  readonly previousBaseUrl: string | null;
  /** The source of a token that is used instead of the stored one; null without one. */
  readonly overridingSource: string | null;
  /** CALCTL_PROFILE if it names another profile; null otherwise. */
  readonly profileVariable: string | null;
}

export interface LoginDependencies extends BrowserLoginDependencies {
  readonly profileFlag: string | undefined;
  readonly configFile: ConfigFile;
  readonly openStore: OpenStore;
  readonly fetchUser: FetchUser;
}

/**
 * Signs in, stores the token and updates the profile. When it fails, profile and token stay as they were.
 * @throws CliError with the exit codes of docs/exit-codes.md
 */
export async function login(request: LoginRequest, dependencies: LoginDependencies): Promise<LoginResult> {
  const { env, redactor } = dependencies;
  let opened: Promise<SecretStore> | undefined;
  const openStore = () => {
    opened ??= openWorkingStore(request, dependencies);
    return opened;
  };
  const { settings, server } = await completeSettings(request, dependencies, openStore);
  const { target } = settings;
  const clientSecret = request.clientSecret ?? readVariable(env, "CALCTL_CLIENT_SECRET");
  const missing = missingFlags({ ...request, clientSecret }, { target, server }, dependencies.interactive);
  if (target === undefined || missing.length > 0) throw missingError(missing);
  const store = await openStore();
  const accept = async (token: string): Promise<User> => {
    redactor.add(token);
    const user = await verifyToken(token, {
      fetchUser: dependencies.fetchUser,
      service: { baseUrl: target.baseUrl, mediaType: settings.mediaType },
      isPersonal: request.readToken !== undefined,
    });
    dependencies.signal.throwIfAborted();
    await storeToken(token, { target, settings, store }, dependencies);
    return user;
  };
  const user =
    request.readToken === undefined
      ? await loginInBrowser({ ...request, clientSecret }, { settings, server, target, accept }, dependencies)
      : await accept(parsePersonalToken(await request.readToken()));
  return describeLogin(user, { target, store: store.name }, dependencies);
}

/** A place for the token that works: to sign in is useless if the token cannot be stored. @throws CliError */
async function openWorkingStore(
  { insecureStorage }: Pick<LoginRequest, "insecureStorage">,
  { openStore }: Pick<LoginDependencies, "openStore">,
): Promise<SecretStore> {
  const store = await openStore(insecureStorage ? "file" : "keychain");
  await store.probe();
  return store;
}

interface CompleteSettings {
  /** As they are stored: what the service says itself is asked again at the next login. */
  readonly settings: LoginSettings;
  readonly server: Partial<SignInServer>;
}

/**
 * The settings with what the service says about itself, and then the answers to what is missing.
 * @param beforeQuestions called before each of them
 */
async function completeSettings(
  request: LoginRequest,
  dependencies: LoginDependencies,
  beforeQuestions: () => Promise<unknown>,
): Promise<CompleteSettings> {
  const { profileFlag, env, configFile } = dependencies;
  let flags: LoginFlags = { ...request.flags, profile: profileFlag };
  const read = (changes: LoginFlags = {}) =>
    readLoginSettings({ ...flags, ...changes }, env, configFile.read());
  let discovered: DiscoveredServer | null | undefined;
  for (;;) {
    // The address that was answered may be that of a profile that knows the rest.
    const settings = read();
    if (discovered === undefined && needsDiscovery(settings, request))
      discovered = await discover(settings, dependencies);
    const server = chooseServer(settings, discovered ?? null, request);
    const question = firstQuestion(settings, server, request);
    if (question === undefined || request.ask === undefined) return { settings, server };
    await beforeQuestions();
    const answer = await request.ask(question, (text) => void read({ [question]: text }));
    flags = { ...flags, [question]: answer };
  }
}

type TargetedSettings = LoginSettings & { readonly target: LoginTarget };

function needsDiscovery(settings: LoginSettings, { readToken }: LoginRequest): settings is TargetedSettings {
  const { target, authUrl, clientId } = settings;
  const isKnown = authUrl !== undefined && clientId !== undefined;
  return target !== undefined && readToken === undefined && !isKnown;
}

/** Says so if the service says nothing: its address may be wrong, and only then most users are asked for more. */
async function discover(
  { target, authUrl }: TargetedSettings,
  dependencies: LoginDependencies,
): Promise<DiscoveredServer | null> {
  const { discoverServer } = await import("./browser/discovery.js");
  const discovered = await discoverServer(
    target.baseUrl,
    await dependencies.openTransport(),
    dependencies.signal,
  );
  if (discovered === null && authUrl === undefined)
    dependencies.warn(`${formatAddress(target.baseUrl)} does not say where to sign in: is --base-url right?`);
  return discovered;
}

/**
 * What was given takes precedence. The public client is one of the server that the service names alone, and not for those who
 * give the secret of another client.
 */
function chooseServer(
  { authUrl: given, clientId }: LoginSettings,
  discovered: DiscoveredServer | null,
  { clientSecret }: LoginRequest,
): Partial<SignInServer> {
  const authServer = given ?? discovered?.endpoints;
  const isDiscovered = given === undefined || given.href === discovered?.authUrl?.href;
  const offered = isDiscovered && clientSecret === undefined ? discovered?.publicClientId : undefined;
  const chosen = clientId ?? offered;
  return {
    ...(authServer && { authServer }),
    ...(chosen !== undefined && { clientId: chosen }),
    isPublic: chosen !== undefined && chosen === offered,
  };
}

function firstQuestion(
  { target }: LoginSettings,
  { authServer, clientId }: Partial<SignInServer>,
  { readToken }: LoginRequest,
): LoginQuestion | undefined {
  if (target === undefined) return "baseUrl";
  if (readToken !== undefined) return undefined;
  return authServer === undefined ? "authUrl" : clientId === undefined ? "clientId" : undefined;
}

function describeLogin(
  user: User,
  { target, store }: { readonly target: LoginTarget; readonly store: StoreName },
  { configFile, env }: Pick<LoginDependencies, "configFile" | "env">,
): LoginResult {
  const { profile, previousBaseUrl } = target;
  const variable = env["CALCTL_PROFILE"] || profile;
  return {
    userName: user.name ?? user.id,
    profile,
    store,
    previousBaseUrl,
    overridingSource: findOverridingSource(configFile.read(), profile, env),
    profileVariable: variable === profile ? null : variable,
  };
}

/** @throws CliError usage */
function parsePersonalToken(text: string): string {
  return rethrowAsUsage(() => checkToken(text, "the input of --with-token"));
}

/** Every flag that a script must add, so that one error names them all. */
function missingFlags(
  request: LoginRequest,
  { target, server }: Pick<CompleteSettings, "server"> & Pick<LoginSettings, "target">,
  interactive: () => boolean,
): readonly string[] {
  const missing = target === undefined ? ["--base-url"] : [];
  if (request.readToken !== undefined) return missing;
  if (server.authServer === undefined) missing.push("--auth-url");
  if (server.clientId === undefined) missing.push("--client-id");
  const hasSecret = request.clientSecret !== undefined || request.askClientSecret !== undefined;
  if (!hasSecret && server.isPublic !== true) {
    missing.push("--client-secret-file (or CALCTL_CLIENT_SECRET)");
  }
  if (request.browser && !interactive()) missing.push("--no-browser or --with-token (there is no terminal)");
  return missing;
}

function missingError(missing: readonly string[]): CliError {
  return usageError(
    `missing ${missing.join(", ")}`,
    "a personal access token needs only --base-url and --with-token",
  );
}

/** A service that has not been signed in to yet. */
interface NewService {
  readonly baseUrl: URL;
  /** Value of `Accept`; undefined for the contract's own. */
  readonly mediaType: string | undefined;
}

/** Fetches the user of a token. Repeats a failed read, since the code that was redeemed for the token works only once. */
export type FetchUser = (token: string, service: NewService) => Promise<User>;

interface Verification {
  readonly fetchUser: FetchUser;
  readonly service: NewService;
  /** Whether the user gave the token; otherwise the authorization server did. */
  readonly isPersonal: boolean;
}

/** Verifies a new token before it is stored. @throws CliError */
async function verifyToken(token: string, verification: Verification): Promise<User> {
  try {
    return await verification.fetchUser(token, verification.service);
  } catch (error) {
    throw error instanceof CliError && error.code !== "interrupted"
      ? verificationError(error, verification)
      : error;
  }
}

function verificationError(cause: CliError, { service, isPersonal }: Verification): CliError {
  const { status, details, request } = cause;
  const options = { status, details, request, cause };
  if (status === 401) {
    const { origin } = service.baseUrl;
    const [token, hint] = isPersonal
      ? ["the token from --with-token", `is it complete, still valid, and a token of ${origin}?`]
      : ["the new token of its authorization server", "are --base-url and --auth-url of the same service?"];
    return new CliError("not_signed_in", `not signed in: the service refused ${token}`, { ...options, hint });
  }
  const hint = cause.code === "unavailable" ? CHECK_BASE_URL : cause.hint;
  const message = `nothing was stored: the new token could not be verified: ${cause.message}`;
  return new CliError(cause.code, message, { ...options, hint });
}
