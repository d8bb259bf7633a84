import { type Api, createApi } from "../api/api.js";
import type { Transport } from "../api/transport/transport.js";
import type { Token } from "../auth/token-sources.js";
import { parseServiceUrl } from "../config/service-url.js";
import type { Settings } from "../context.js";
import { CliError } from "../errors.js";
import type { LocalService } from "../host.js";
import { createInProcessTransport, LOCAL_BASE_URL } from "./local-backend.js";
import type { LimitedAccount, Resilience } from "./resilience.js";

export interface BackendOptions {
  readonly settings: Settings;
  /** Null where there is none. */
  readonly token: () => Promise<Token | null>;
  readonly localService: () => Promise<LocalService>;
  /** The transport over sockets. */
  readonly networkTransport: () => Promise<Transport>;
  readonly decorate: (transport: Transport) => Promise<Transport>;
  /** How to repeat and wait. */
  readonly resilience: (account: LimitedAccount | null) => Promise<Resilience>;
}

/** The client of the chosen service: the embedded one in this process, or one over the network. */
export async function createBackend(options: BackendOptions): Promise<Api> {
  const { settings } = options;
  const token = await options.token();
  if (settings.service.kind === "local") {
    const transport = await options.decorate(createInProcessTransport(await options.localService()));
    return createApi({ ...(await options.resilience(null)), transport, baseUrl: new URL(LOCAL_BASE_URL) });
  }
  const { baseUrl, mediaType } = settings.service;
  const url = parseServiceUrl(baseUrl.value, baseUrl.source);
  if (token === null) throw notSignedIn(url);
  const { withBearer } = await import("../api/transport/bearer.js");
  const transport = withBearer(await options.decorate(await options.networkTransport()), token.value);
  const resilience = await options.resilience({ token: token.value, origin: url.origin });
  return createApi({ ...resilience, transport, baseUrl: url, mediaType, tokenSource: token.source });
}

function notSignedIn(url: URL): CliError {
  return new CliError("not_signed_in", `not signed in: there is no token for ${url.origin}`, {
    hint: "run calctl login, or put a personal access token into CALCTL_TOKEN",
  });
}
