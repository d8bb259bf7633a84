import type { Transport } from "../api/transport.js";
import type { Environment } from "../config/environment.js";
import { readProxyChoice } from "../config/proxy-settings.js";
import type { GlobalFlags } from "../context.js";
import { LOCAL_BASE_URL } from "./local-backend.js";
import type { Resources } from "./resources.js";

export interface NetworkOptions {
  /** Longest time of one attempt in milliseconds. */
  readonly timeout: number;
  /** Names the proxies. */
  readonly env: Environment;
  readonly resources: Resources;
}

/** The transport over sockets; undici is loaded only here. */
export async function createNetworkTransport(options: NetworkOptions): Promise<Transport> {
  const { timeout, env, resources } = options;
  const { createUndiciTransport } = await import("../api/undici-transport.js");
  const { send, close } = createUndiciTransport({ timeout, proxyFor: readProxyChoice(env) });
  resources.add(close);
  return send;
}

export interface TraceChoice {
  readonly flags: GlobalFlags;
  readonly now: () => number;
  readonly write: (line: string) => void;
}

/** With `--verbose`, a transport that says one line an attempt. */
export async function traced(transport: Transport, { flags, now, write }: TraceChoice): Promise<Transport> {
  if (flags.verbose !== true) return transport;
  const nameUrl = (url: string) =>
    url.startsWith(LOCAL_BASE_URL) ? `local /${url.slice(LOCAL_BASE_URL.length)}` : url;
  const { withTrace } = await import("../api/trace.js");
  return withTrace(transport, { now, write, nameUrl });
}
