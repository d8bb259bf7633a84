import { type Api, createApi } from "../api/api.js";
import type { Transport } from "../api/transport.js";
import type { Token } from "../auth/token-sources.js";
import { parseServiceUrl } from "../config/service-url.js";
import type { Settings } from "../context.js";
import { CliError, configurationError } from "../errors.js";
import type { LocalService } from "../host.js";
import { createInProcessTransport, LOCAL_BASE_URL } from "./local-backend.js";

export interface BackendOptions {
  readonly settings: Settings;
  readonly environmentToken: () => Token | null;
  readonly localService: () => Promise<LocalService>;
  /** The transport over sockets. */
  readonly networkTransport: () => Promise<Transport>;
  readonly decorate: (transport: Transport) => Promise<Transport>;
  readonly signal: () => AbortSignal;
}

/** The client of the chosen service: the embedded one in this process, or one over the network. */
export async function createBackend(options: BackendOptions): Promise<Api> {
  const { settings, signal } = options;
  const token = chooseToken(options);
  if (settings.service.kind === "local") {
    const transport = await options.decorate(createInProcessTransport(await options.localService()));
    return createApi({ transport, baseUrl: new URL(LOCAL_BASE_URL), signal: signal() });
  }
  const { baseUrl, mediaType } = settings.service;
  const url = parseServiceUrl(baseUrl.value, baseUrl.source);
  if (token === null) throw notSignedIn(url);
  const { withBearer } = await import("../api/bearer.js");
  const transport = withBearer(await options.decorate(await options.networkTransport()), token.value);
  return createApi({ transport, baseUrl: url, mediaType, signal: signal() });
}

/**
 * The token for the chosen service, null where there is none or `local` needs none.
 * @throws CliError configuration when the environment holds a token that may not go there
 */
export function chooseToken({
  settings,
  environmentToken,
}: Pick<BackendOptions, "settings" | "environmentToken">): Token | null {
  const token = environmentToken();
  if (token !== null && settings.environmentTokenRefusal !== null) {
    throw configurationError(
      `${token.source} holds a token that goes nowhere: ${settings.environmentTokenRefusal}`,
      { hint: "unset it, or name its service with CALCTL_BASE_URL" },
    );
  }
  return token;
}

function notSignedIn(url: URL): CliError {
  return new CliError("not_signed_in", `not signed in: there is no token for ${url.origin}`, {
    hint: "put a personal access token into CALCTL_TOKEN",
  });
}
