import type { After } from "../api/transport/timer.js";
import type { Transport } from "../api/transport/transport.js";
import { type Environment, isDebugging } from "../config/environment.js";
import { readProxyChoice } from "../config/proxy-settings.js";
import type { GlobalFlags } from "../context.js";
import type { HostParts } from "../host.js";
import { LOCAL_BASE_URL } from "./local-backend.js";
import type { Resources } from "./resources.js";

export interface NetworkOptions {
  /** Longest time of one attempt in milliseconds. */
  readonly timeout: number;
  readonly after: After;
  /** Names the proxies. */
  readonly env: Environment;
  /** The largest answer that is read, in bytes; 32 MiB by default. */
  readonly answerMax?: number;
  readonly resources: Resources;
}

/** The transport over sockets; undici is loaded only here. */
export async function createNetworkTransport(options: NetworkOptions): Promise<Transport> {
  const { env, resources, ...limits } = options;
  const { createUndiciTransport } = await import("../api/undici/transport.js");
  const { send, close } = createUndiciTransport({ ...limits, proxyFor: readProxyChoice(env) });
  resources.add(close);
  return send;
}

export interface TraceChoice {
  readonly flags: GlobalFlags;
  readonly parts: Pick<HostParts, "process" | "clock" | "secrets">;
  /** Writes lines that belong together to stderr. */
  readonly write: (lines: readonly string[]) => void;
}

/** With `--verbose`, a transport that says one line an attempt; with `--debug`, all that goes over it. */
export async function traced(transport: Transport, choice: TraceChoice): Promise<Transport> {
  const { flags, parts, write } = choice;
  const details = isDebugging(flags, parts.process.env);
  if (flags.verbose !== true && !details) return transport;
  const { withTrace } = await import("../api/trace/trace.js");
  return withTrace(transport, { now: parts.clock.now, write, nameUrl, mask: parts.secrets.mask, details });
}

function nameUrl(url: string): string {
  return url.startsWith(LOCAL_BASE_URL) ? `local /${url.slice(LOCAL_BASE_URL.length)}` : url;
}
