import { type Described, describeConnecting, PARSER_ERROR } from "./connect-errors.js";

/** A proxy that requests are tunnelled through. */
export interface ProxyServer {
  /** `http://HOST:PORT` or `https://HOST:PORT`, without user and password. */
  readonly origin: string;
  /** The variable that names it, as it is written in the environment. */
  readonly variable: string;
  /** As they are, not percent-encoded; null without a user. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** The proxy could not be reached, or opens no tunnel: nothing was sent to the service. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly proxy: ProxyServer;
  /** What the proxy answered; null where it did not. */
  readonly status: number | null;

  constructor(proxy: ProxyServer, reason: { readonly status: number } | { readonly cause: unknown }) {
    super("the proxy opens no tunnel", "cause" in reason ? { cause: reason.cause } : undefined);
    this.proxy = proxy;
    this.status = "status" in reason ? reason.status : null;
  }
}

/** A proxy as messages name it. */
export function nameProxy({ origin, variable }: ProxyServer): string {
  return `the proxy ${new URL(origin).host} (${variable})`;
}

/**
 * Says why there is no tunnel.
 * @param target host and port of the service
 * @param codes of the error's cause
 */
export function describeProxyFailure(
  { proxy, status, cause }: ProxyError,
  target: string,
  codes: string,
): Described {
  const name = nameProxy(proxy);
  if (status !== null) return describeRefusal(proxy, status, target);
  if (codes === PARSER_ERROR || codes === "UND_ERR_HEADERS_OVERFLOW") {
    return {
      fault: "proxy",
      message: `${name} does not answer as an HTTP proxy does`,
      hint: `is the port in ${proxy.variable} right?`,
    };
  }
  return describeConnecting(cause, codes, { name, host: name });
}

function describeRefusal(proxy: ProxyServer, status: number, target: string): Described {
  const name = nameProxy(proxy);
  const { variable, credentials } = proxy;
  if (status === 407) {
    return {
      fault: "proxy",
      message: `${name} ${credentials === null ? "asks for a name and a password" : "does not accept the name and the password"}`,
      hint: `write them into ${variable} percent-encoded: http://NAME:PASSWORD@HOST:PORT`,
    };
  }
  // The proxy speaks of the way behind it: that can be better in a while.
  if (status >= 500) return { fault: "unreachable", message: `${name} cannot reach ${target} (${status})` };
  return {
    fault: "proxy",
    message: `${name} opens no tunnel to ${target} (${status})`,
    hint: "ask whoever runs it, or name the host in NO_PROXY if it can be reached directly",
  };
}
