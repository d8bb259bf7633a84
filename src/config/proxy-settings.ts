import { BlockList, isIP, isIPv4 } from "node:net";
import { isLoopback, withoutPassword } from "../../contract/url.js";
import type { ProxyServer } from "../api/network/errors.js";
import { type CliError, configurationError } from "../errors.js";
import type { Environment } from "./environment.js";
import { parseProxyAddress } from "./environment.js";

/** The proxy for a URL; null for a direct connection. */
export type ProxyResolver = (url: URL) => ProxyServer | null;

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY as curl does: the lower-case name wins, even when it is empty,
 * and the proxy for http is not used for https. Loopback addresses never use a proxy. (curl ignores the upper-case
 * HTTP_PROXY, which web servers set from a header; here http is only for loopback.) The returned function throws a
 * CliError configuration for a proxy that cannot be used.
 */
export function createProxyResolver(env: Environment): ProxyResolver {
  return (url) => {
    if (isLoopback(url.hostname) || isExempt(url, readEitherCase(env, "no_proxy")?.value ?? "")) return null;
    const proxy =
      readEitherCase(env, `${url.protocol.slice(0, -1)}_proxy`) ?? readEitherCase(env, "all_proxy");
    return proxy === undefined || proxy.value === "" ? null : parseProxy(proxy);
  };
}

interface ProxyVariable {
  readonly variable: string;
  readonly value: string;
}

function readEitherCase(env: Environment, name: string): ProxyVariable | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = env[variable];
    if (value !== undefined) return { variable, value: value.trim() };
  }
  return undefined;
}

function parseProxy({ variable, value }: ProxyVariable): ProxyServer {
  const url = parseProxyAddress(value);
  if (url === null) throw proxyError(variable, `"${withoutPassword(value)}" is not a URL`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw proxyError(variable, `${url.protocol}// proxies are not supported`);
  }
  return { origin: url.origin, variable, credentials: readCredentials(url, variable) };
}

function readCredentials({ username, password }: URL, variable: string): ProxyServer["credentials"] {
  if (username === "") return null;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    // The cause would quote the password.
    throw proxyError(variable, "the user or password of the proxy is not percent-encoded: write % as %25");
  }
}

function proxyError(variable: string, message: string): CliError {
  return configurationError(`${variable}: ${message}`, {
    hint: "write http://HOST:PORT or https://HOST:PORT",
  });
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Whether NO_PROXY has the host, one of its parent domains, its address, or a network with its address. */
function isExempt(url: URL, noProxy: string): boolean {
  const host = hostOf(url.hostname);
  const port = url.port || DEFAULT_PORTS[url.protocol];
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === "") return false;
    if (entry === "*") return true;
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    return (entryPort === undefined || entryPort === port) && matchesHost(hostOf(name), host);
  });
}

function matchesHost(entry: string, host: string): boolean {
  if (isIP(host) !== 0) return isInNetwork(host, entry);
  const domain = entry.replace(/^\*?\./, "");
  return host === domain || host.endsWith(`.${domain}`);
}

/** @param entry an address such as `10.1.2.3`, or a network such as `10.0.0.0/8` */
function isInNetwork(address: string, entry: string): boolean {
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const width = family === "ipv4" ? 32 : 128;
  const [, network = entry, bits = width] = /^(.*)\/(\d{1,3})$/.exec(entry) ?? [];
  if (isIP(network) !== isIP(address) || Number(bits) > width) return false;
  const networks = new BlockList();
  networks.addSubnet(network, Number(bits), family);
  return networks.check(address, family);
}

/** In lower case, without the brackets of IPv6 and the dot of a fully qualified name. */
function hostOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}
