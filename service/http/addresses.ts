import { isIP } from "node:net";
import { configurationError } from "../../src/errors.js";

/**
 * Determines which client a request counts for, from the address of the socket and the `X-Forwarded-For` header.
 * Every limit counts by the result: one IPv4 address, one /64 network of IPv6 (`2001:db8:0:0::/64`) or this machine.
 */
export type ClientAddressReader = (socketAddress: string, forwardedFor: string | undefined) => string;

/**
 * Uses `X-Forwarded-For` only for requests from the trusted proxy, and of it the last entry that is not the proxy:
 * earlier entries may be forged by the client. If that is not an address, the request counts for the proxy.
 * @param trustProxy an IP address
 * @throws CliError configuration when it is not
 */
export function createClientAddressReader(trustProxy: string | undefined): ClientAddressReader {
  if (trustProxy === undefined) return (socketAddress) => clientOf(normalAddress(socketAddress));
  if (isIP(trustProxy) === 0) {
    throw configurationError(`--trust-proxy: "${trustProxy}" is not an IP address`, {
      hint: "write the address that the proxy connects from, such as 127.0.0.1",
    });
  }
  const proxy = normalAddress(trustProxy);
  return (socketAddress, forwardedFor = "") => {
    const peer = normalAddress(socketAddress);
    if (peer !== proxy) return clientOf(peer);
    const hops = forwardedFor.split(",").filter((hop) => hop.trim() !== "");
    const last = hops.map((hop) => normalAddress(withoutPort(hop.trim()))).findLast((hop) => hop !== proxy);
    return clientOf(last !== undefined && isIP(last) !== 0 ? last : peer);
  };
}

/** `203.0.113.7:4711`, `[2001:db8::1]:4711` or `[2001:db8::1]`, as some proxies write, without brackets and port. */
function withoutPort(hop: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(hop) ?? [];
  return ipv6 ?? ipv4 ?? hop;
}

/** One spelling per address: no zone id, IPv4-mapped IPv6 as IPv4, IPv6 as in URLs. Other text stays as it is. */
export function normalAddress(address: string): string {
  const bare = address.replace(/%.*$/, "");
  if (isIP(bare) !== 6) return address;
  const ipv6 = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(ipv6) ?? [];
  if (high === undefined || low === undefined) return ipv6;
  return [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 0xff]).join(".");
}

const LOOPBACK = "127.0.0.1";

/**
 * The client that a normal address counts for. A /64 is what one subscriber of IPv6 has at least, so its addresses are
 * free. Loopback of both versions is this machine, which would otherwise have millions of addresses too.
 * @see RFC 6177 §2, RFC 4291 §2.5.4
 */
function clientOf(address: string): string {
  if (address.startsWith("127.") || address === "::1") return LOOPBACK;
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(tail === undefined ? 0 : 8 - head.length - tail.length).fill("0");
  return `${[...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(":")}::/64`;
}
