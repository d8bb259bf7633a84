import type { User } from "../../contract/shapes.js";
import type { Transport } from "../api/transport.js";
import type { Environment } from "../config/environment.js";
import type { LoginSettings, LoginTarget } from "../config/login-settings.js";
import { defaultRedirect, type RedirectTarget } from "../config/profile-values.js";
import { configurationError, usageError } from "../errors.js";
import type { SelfCommand } from "../system/child-process.js";
import type { Redactor } from "../terminal/redaction.js";
import type { SignInEndpoints } from "./browser/authorization.js";
import { canShowBrowser, openBrowser, remoteHint } from "./browser/open-browser.js";

/** What the program needs to open a browser and to read a pasted address. */
interface BrowserDependencies {
  readonly platform: string;
  /** Starts this program again, as the helper that opens the browser. */
  readonly self: SelfCommand;
  /** Lines from the terminal until the signal aborts. */
  readonly readLines: (signal: AbortSignal) => AsyncIterable<string>;
}

export interface BrowserLoginRequest {
  /** From a file; undefined for the environment or a prompt. */
  readonly clientSecret: string | undefined;
  /** Undefined when the program must not ask. */
  readonly askClientSecret: (() => Promise<string>) | undefined;
  /** Whether to open a browser on this machine. */
  readonly browser: boolean;
  /** For the user to sign in, in seconds. */
  readonly timeout: number;
}

/** Where to sign in, and as which client. */
export interface SignInServer {
  readonly authServer: URL | SignInEndpoints;
  readonly clientId: string;
  /** Whether the client has no secret. */
  readonly isPublic: boolean;
}

interface BrowserLogin {
  readonly settings: Pick<LoginSettings, "redirect" | "redirectUri">;
  readonly server: Partial<SignInServer>;
  readonly target: LoginTarget;
  /** Verifies and stores the token. */
  readonly accept: (token: string) => Promise<User>;
}

export interface BrowserLoginDependencies {
  readonly env: Environment;
  /** A transport that sends no token. */
  readonly openTransport: () => Promise<Transport>;
  readonly redactor: Redactor;
  /** Whether the program may ask on a terminal. */
  readonly interactive: () => boolean;
  readonly warn: (text: string) => void;
  readonly browser: BrowserDependencies;
  /** Its reason is the error to throw. */
  readonly signal: AbortSignal;
}

/** Signs in with the user's browser, on this machine or, with a pasted address, on another one. */
export async function loginInBrowser(
  request: BrowserLoginRequest,
  { settings, server, target, accept }: BrowserLogin,
  dependencies: BrowserLoginDependencies,
): Promise<User> {
  const { authServer, clientId, isPublic } = server;
  const { env, redactor, interactive, warn, browser, signal } = dependencies;
  if (authServer === undefined || clientId === undefined)
    throw configurationError("--auth-url or --client-id is missing");
  const redirect = chooseRedirect(settings, interactive);
  const clientSecret = isPublic ? undefined : await readClientSecret(request);
  if (clientSecret !== undefined) redactor.add(clientSecret);
  const machine = { env, platform: browser.platform };
  const opens = request.browser && redirect.hosts.length > 0 && canShowBrowser(machine);
  const { authorize } = await import("./browser/authorization.js");
  return authorize(
    { authServer, clientId, clientSecret, redirect, timeout: request.timeout, profile: target.profile },
    {
      transport: await dependencies.openTransport(),
      showAddress: (url, port) => {
        warn(`${opens ? "opening your browser; if it does not open, " : ""}sign in at this address:`);
        warn(url);
        const hint = port === null ? null : remoteHint(machine, port);
        if (hint !== null) warn(hint);
        if (interactive())
          warn("if the browser cannot load the last page, paste the address of that page here:");
      },
      openBrowser: opens ? (url, until) => openBrowser(url, { self: browser.self, env }, until) : null,
      pastedLines: interactive() ? browser.readLines : null,
      warn,
      redactor,
      signal,
      accept,
    },
  );
}

function chooseRedirect(settings: BrowserLogin["settings"], interactive: () => boolean): RedirectTarget {
  const target = settings.redirect ?? defaultRedirect();
  if (target.hosts.length === 0 && !interactive()) {
    throw usageError(
      `${settings.redirectUri?.source}: ${target.uri} is not on this machine, and without a terminal you cannot paste the address of the last page`,
      "use http://127.0.0.1/callback, or --with-token",
    );
  }
  return target;
}

/** Never from the command line, which every process can read. */
async function readClientSecret({ clientSecret, askClientSecret }: BrowserLoginRequest): Promise<string> {
  const secret = clientSecret ?? (await askClientSecret?.());
  if (secret === undefined || secret === "") {
    throw usageError("the client secret is empty", "copy it from where you registered the application");
  }
  return secret;
}
