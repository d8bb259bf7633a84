import type { Transport } from "../api/transport.js";
import type { ConfigFile } from "../config/config-file.js";
import { type Environment, readVariable } from "../config/environment.js";
import {
  decideLogin,
  type LoginFlags,
  type LoginSettings,
  type LoginTarget,
} from "../config/login-settings.js";
import { asUsage } from "../config/profile-store.js";
import type { StoreName } from "../config/token-record.js";
import type { User } from "../contract/shapes.js";
import { type CliError, usageError } from "../errors.js";
import type { Redactor } from "../terminal/redaction.js";
import { type BrowserParts, loginInBrowser } from "./browser-login.js";
import { otherSource } from "./sources/environment.js";
import { checkToken, withoutFinalNewline } from "./sources/token-text.js";
import type { OpenStore } from "./stores/store.js";
import { storeToken, verifyToken, type WhoIs } from "./token-storage.js";

/** What `login` was asked to do. */
export interface LoginRequest {
  readonly flags: Omit<LoginFlags, "profile">;
  /** From a file; undefined leaves it to the environment and the prompt. */
  readonly clientSecret: string | undefined;
  /** Undefined where nobody can be asked. */
  readonly askClientSecret: (() => Promise<string>) | undefined;
  /** Gives a personal access token to store instead of signing in; undefined signs in. */
  readonly readToken: (() => Promise<string>) | undefined;
  /** Whether a browser may be opened on this machine. */
  readonly browser: boolean;
  /** A file instead of the keychain. */
  readonly insecureStorage: boolean;
  /** Longest time until somebody has signed in, in seconds. */
  readonly timeout: number;
}

export interface SignedIn {
  readonly userName: string;
  readonly profile: string;
  readonly store: StoreName;
  /** The service that the profile was for before; null when it is the same or the profile is new. */
  readonly movedFrom: string | null;
  /** A source of tokens that wins over the stored one; null without any. */
  readonly otherSource: string | null;
  /** CALCTL_PROFILE where it names another profile; null otherwise. */
  readonly profileVariable: string | null;
}

/** What a login needs of the program around it. */
export interface LoginParts {
  readonly profileFlag: string | undefined;
  readonly configFile: ConfigFile;
  readonly env: Environment;
  readonly openStore: OpenStore;
  /** Opens a transport that sends no token. */
  readonly openTransport: () => Promise<Transport>;
  readonly whoIs: WhoIs;
  readonly redactor: Redactor;
  /** Whether stdin and stderr are terminals, and asking is allowed. */
  readonly interactive: () => boolean;
  readonly warn: (text: string) => void;
  readonly browser: BrowserParts;
  /** Aborts with the error to end with. */
  readonly signal: AbortSignal;
}

/**
 * Signs in, stores the token and remembers the profile. When it fails, profile and token stay as they were.
 * @throws CliError with the exit codes of docs/exit-codes.md
 */
export async function login(request: LoginRequest, parts: LoginParts): Promise<SignedIn> {
  const { env, configFile, openStore, redactor } = parts;
  const settings = decideLogin({ ...request.flags, profile: parts.profileFlag }, env, configFile.read());
  const { target } = settings;
  const clientSecret = request.clientSecret ?? readVariable(env, "CALCTL_CLIENT_SECRET");
  const missing = missingFlags({ ...request, clientSecret }, settings, parts.interactive);
  if (target === undefined || missing.length > 0) throw missingError(missing);
  const storeName: StoreName = request.insecureStorage ? "file" : "keychain";
  const store = await openStore(storeName);
  // Nobody should sign in only to learn that the token cannot be stored.
  await store.probe();
  const accept = async (token: string): Promise<User> => {
    redactor.add(token);
    const user = await verifyToken(token, {
      whoIs: parts.whoIs,
      service: { baseUrl: target.baseUrl, mediaType: settings.mediaType },
      isPersonal: request.readToken !== undefined,
    });
    parts.signal.throwIfAborted();
    await storeToken(token, { target, settings, store }, parts);
    return user;
  };
  const user =
    request.readToken === undefined
      ? await loginInBrowser({ ...request, clientSecret }, { settings, target, accept }, parts)
      : await accept(checkGiven(await request.readToken()));
  return describeLogin(user, { target, store: storeName }, parts);
}

function describeLogin(
  user: User,
  { target, store }: { readonly target: LoginTarget; readonly store: StoreName },
  { configFile, env }: Pick<LoginParts, "configFile" | "env">,
): SignedIn {
  const { profile, movedFrom } = target;
  const variable = env["CALCTL_PROFILE"];
  return {
    userName: user.name ?? user.id,
    profile,
    store,
    movedFrom,
    otherSource: otherSource(configFile.read(), profile, env),
    profileVariable: variable === undefined || variable === profile ? null : variable,
  };
}

/** The token that came for --with-token, without the line feed at its end. @throws CliError usage */
function checkGiven(text: string): string {
  return asUsage(() => checkToken(withoutFinalNewline(text), "what came for --with-token"));
}

/** What a script must still say, all of it at once. */
function missingFlags(
  request: LoginRequest,
  settings: LoginSettings,
  interactive: () => boolean,
): readonly string[] {
  const missing = settings.target === undefined ? ["--base-url"] : [];
  if (request.readToken !== undefined) return missing;
  if (settings.authUrl === undefined) missing.push("--auth-url");
  if (settings.clientId === undefined) missing.push("--client-id");
  if (request.clientSecret === undefined && request.askClientSecret === undefined) {
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
