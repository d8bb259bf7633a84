import type { Transport } from "../api/transport/transport.js";
import { checkToken, withoutFinalNewline } from "../auth/token-text.js";
import { decideLogin, type LoginSettings, type LoginTarget } from "../config/login-settings.js";
import { asUsage } from "../config/profile-store.js";
import type { StoreName } from "../config/token-record.js";
import type { LoginRequest, SignedIn } from "../context.js";
import { type CliError, usageError } from "../errors.js";
import { knownClientSecret } from "./client-secret.js";
import { keepToken } from "./keep-token.js";
import { createNetworkTransport, traced } from "./network.js";
import { otherSource } from "./profile-choice.js";
import { decideRequestLimits } from "./request-limits.js";
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
  const network = {
    timeout: decideRequestLimits(flags, env).timeout,
    after: parts.after,
    // Neither a token nor a user is larger.
    answerMax: 1024 * 1024,
    env,
    resources: parts.resources,
  };
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
      : await keep(checkGiven(await request.readToken()));
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

/** What was handed to --with-token; a final line feed is dropped. @throws CliError usage */
function checkGiven(text: string): string {
  return asUsage(() => checkToken(withoutFinalNewline(text), "what came for --with-token"));
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
  const secret = knownClientSecret(request, parts.process.env);
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
