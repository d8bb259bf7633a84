/**
 * Null for a text that is not a URL. `URL.canParse` is not used: on Node 20 it refuses hosts such as `bücher.example` as soon as
 * V8 has optimized its caller.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Whether only the port keeps an http or https URL from being one: it must be a number up to 65535. */
export function hasWrongPort(text: string): boolean {
  const withoutPort = text.replace(/^(https?:\/\/[^/?#]*?):[^/?#@:\]]*(?=[/?#]|$)/i, "$1");
  return parseUrl(text) === null && parseUrl(withoutPort) !== null;
}

/** The text without slashes at its end, in time that grows with its length. */
export function withoutFinalSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, "");
}

/** Whether a host is this machine. @param host name or IP address, with or without brackets @see RFC 8252 §7.3 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
