import { isIP } from "node:net";
import { configurationError } from "../../errors.js";

/** The address a request comes from, by the socket's and the `X-Forwarded-For` header. */
export type ClientAddressReader = (socketAddress: string, forwardedFor: string | undefined) => string;

/**
 * Believes `X-Forwarded-For` from the given proxy alone, and there the last entry that is not the proxy itself: those
 * before it are the client's own words.
 * @param trustProxy an IP address
 * @throws CliError configuration when it is none
 */
export function createClientAddressReader(trustProxy: string | undefined): ClientAddressReader {
  if (trustProxy === undefined) return (socketAddress) => normalAddress(socketAddress);
  if (isIP(trustProxy) === 0) {
    throw configurationError(`--trust-proxy: "${trustProxy}" is no IP address`, {
      hint: "give the address the proxy connects from, such as 127.0.0.1",
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

/** IPv4 within IPv6 as IPv4, IPv6 in the one form that URLs give it: an address is counted once however written. */
function normalAddress(address: string): string {
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  return isIP(address) === 6 && URL.canParse(`http://[${address}]`)
    ? new URL(`http://[${address}]`).hostname.slice(1, -1)
    : address;
}
