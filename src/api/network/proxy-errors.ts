import { describeConnectFailure, type FailureDescription, PARSER_ERROR } from "./connect-errors.js";

/** A proxy through which requests are tunneled. */
export interface ProxyServer {
  /** `http://HOST:PORT` or `https://HOST:PORT`, without user and password. */
  readonly origin: string;
  /** The environment variable that names it. */
  readonly variable: string;
  /** Not percent-encoded; null without a user. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** Thrown when the proxy cannot be reached or refuses. Nothing was sent to the service. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly proxy: ProxyServer;
  /** Status of the proxy's response; null without one. */
  readonly status: number | null;

  constructor(proxy: ProxyServer, reason: { readonly status: number } | { readonly cause: unknown }) {
    super("the proxy opened no tunnel", "cause" in reason ? { cause: reason.cause } : undefined);
    this.proxy = proxy;
    this.status = "status" in reason ? reason.status : null;
  }
}

/** A proxy as messages name it. */
export function nameProxy({ origin, variable }: ProxyServer): string {
  return `the proxy ${new URL(origin).host} (${variable})`;
}

/**
 * Describes why the proxy opened no tunnel.
 * @param target host and port of the service
 * @param codes of the error's cause
 */
export function describeProxyFailure(
  { proxy, status, cause }: ProxyError,
  target: string,
  codes: string,
): FailureDescription {
  const name = nameProxy(proxy);
  if (status !== null) return describeRefusal(proxy, status, target);
  if (codes === PARSER_ERROR || codes === "UND_ERR_HEADERS_OVERFLOW") {
    return {
      kind: "proxy",
      message: `${name} is not an HTTP proxy`,
      hint: `check the port in ${proxy.variable}`,
    };
  }
  return describeConnectFailure(cause, codes, { name, host: name });
}

function describeRefusal(proxy: ProxyServer, status: number, target: string): FailureDescription {
  const name = nameProxy(proxy);
  const { variable, credentials } = proxy;
  if (status === 407) {
    return {
      kind: "proxy",
      message: `${name} ${credentials === null ? "requires a" : "did not accept the"} user name and password`,
      hint: `set ${variable} to http://NAME:PASSWORD@HOST:PORT, with name and password percent-encoded`,
    };
  }
  // About the route from the proxy to the service, so it may be temporary.
  if (status >= 500) return { kind: "unreachable", message: `${name} cannot reach ${target} (${status})` };
  return {
    kind: "proxy",
    message: `${name} refused to connect to ${target} (${status})`,
    hint: "ask its administrator, or add the host to NO_PROXY if it can be reached directly",
  };
}
