import { isIP } from "node:net";
import { configurationError } from "../../errors.js";

/** Determines the client's address from that of the socket and the `X-Forwarded-For` header. */
export type ClientAddressReader = (socketAddress: string, forwardedFor: string | undefined) => string;

/**
 * Uses `X-Forwarded-For` only for requests from the trusted proxy, and of it the last entry that is not the proxy:
 * earlier entries may be forged by the client.
 * @param trustProxy an IP address
 * @throws CliError configuration when it is not
 */
export function createClientAddressReader(trustProxy: string | undefined): ClientAddressReader {
  if (trustProxy === undefined) return (socketAddress) => normalAddress(socketAddress);
  if (isIP(trustProxy) === 0) {
    throw configurationError(`--trust-proxy: "${trustProxy}" is not an IP address`, {
      hint: "write the address that the proxy connects from, such as 127.0.0.1",
    });
  }
  const proxy = normalAddress(trustProxy);
  return (socketAddress, forwardedFor = "") => {
    const peer = normalAddress(socketAddress);
    if (peer !== proxy) return peer;
    const hops = forwardedFor.split(",").map((hop) => normalAddress(hop.trim()));
    const client = hops.findLast((hop) => hop !== proxy);
    return client !== undefined && isIP(client) !== 0 ? client : peer;
  };
}

/** One spelling per address: IPv4-mapped IPv6 becomes IPv4, IPv6 is written as in URLs. */
function normalAddress(address: string): string {
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  return isIP(address) === 6 && URL.canParse(`http://[${address}]`)
    ? new URL(`http://[${address}]`).hostname.slice(1, -1)
    : address;
}
