import { canShowBrowser, remoteHint } from "../auth/headless.js";
import { defaultRedirect, type RedirectTarget } from "../config/redirect-uri.js";
import type { User } from "../contract/shapes.js";
import { configurationError, usageError } from "../errors.js";
import { openBrowser } from "./browser.js";
import { knownClientSecret } from "./client-secret.js";
import { readLines } from "./pasted-lines.js";
import { selfCommand } from "./self-command.js";
import type { SignIn } from "./sign-in.js";

/** Signs in through the user's browser, here or, by a pasted address, elsewhere. */
export async function authorizeInBrowser(
  attempt: SignIn,
  keep: (token: string) => Promise<User>,
): Promise<User> {
  const { request, settings, target, options, transport, signal } = attempt;
  const { authUrl, clientId } = settings;
  if (authUrl === undefined || clientId === undefined) throw configurationError("nothing to sign in with");
  const redirect = chooseRedirect(attempt);
  const clientSecret = await readClientSecret(attempt);
  const { process, secrets } = options.parts;
  secrets.add(clientSecret);
  const surroundings = { env: process.env, platform: process.platform };
  const opens = request.browser && redirect.hosts.length > 0 && canShowBrowser(surroundings);
  const { authorize } = await import("../auth/authorization.js");
  const { user } = await authorize(
    { authUrl, clientId, clientSecret, redirect, timeout: request.timeout, profile: target.profile },
    {
      transport,
      showAddress: (url, port) => {
        options.warn(
          opens ? "your browser opens; if not, sign in at this address:" : "sign in at this address:",
        );
        options.warn(url);
        const hint = port === null ? null : remoteHint(surroundings, port);
        if (hint !== null) options.warn(hint);
        if (options.interactive()) {
          options.warn("if the browser cannot load the last page, paste that page's address here:");
        }
      },
      openBrowser: opens
        ? (url, until) => openBrowser(url, { self: selfCommand(process), env: process.env }, until)
        : null,
      pastedLines: options.interactive() ? (until) => readLines(process.stdin, until) : null,
      tell: options.warn,
      onSecret: secrets.add,
      mask: secrets.mask,
      signal,
      keep: async (token) => {
        const user = await keep(token);
        return { user, userName: user.name ?? user.id };
      },
    },
  );
  return user;
}

function chooseRedirect({ settings, options }: SignIn): RedirectTarget {
  const target = settings.redirect ?? defaultRedirect();
  if (target.hosts.length === 0 && !options.interactive()) {
    throw usageError(
      `${settings.redirectUri?.source}: calctl cannot listen at ${target.uri}, so the last page's address has to be pasted, and there is no terminal`,
      "use http://127.0.0.1/callback, or --with-token",
    );
  }
  return target;
}

/** From a file, the environment or a prompt; never from the command line, which every process can read. */
async function readClientSecret({ request, options }: SignIn): Promise<string> {
  const known = knownClientSecret(request, options.parts.process.env);
  const secret = known ?? (await request.askClientSecret?.());
  if (secret === undefined || secret === "") {
    throw usageError(
      "the client secret is empty",
      "the service showed it where the application is registered",
    );
  }
  return secret;
}
