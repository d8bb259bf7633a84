import { formatParameters } from "./parameters.js";

/**
 * Whether a client may be sent back to a URI: exactly one of those it registered, but for the port where that is http
 * on a loopback IP address, since an app takes whatever port is free. @see RFC 8252 §7.3, RFC 9700 §2.1
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  const withoutPort = dropLoopbackPort(uri);
  return registered.some((known) => known === uri || dropLoopbackPort(known) === withoutPort);
}

const LOOPBACK_PORT = /^(http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\])):(\d{1,5})(?=[/?]|$)/;
const PORT_MAX = 65_535;

/** Text is compared, not parsed URLs: what two parsers read differently must not pass. */
function dropLoopbackPort(uri: string): string {
  return uri.replace(LOOPBACK_PORT, (written, host: string, port: string) =>
    Number(port) <= PORT_MAX ? host : written,
  );
}

/** The redirect URI with an answer in its query; a query it has stays. @see RFC 6749 §4.1.2 */
export function authorizationResponse(
  redirectUri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const joint = /[?&]$/.test(redirectUri) ? "" : redirectUri.includes("?") ? "&" : "?";
  return `${redirectUri}${joint}${formatParameters(parameters)}`;
}
