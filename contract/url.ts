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

/** Which part of an http or https URL nothing can be at, in a sentence; null for any other text. */
export function wrongPartOf(text: string): string | null {
  const [, address, port] = /^(https?:\/\/[^/?#]+?)(:[^/?#@:\]]*)?(?:[/?#]|$)/i.exec(text) ?? [];
  if (address === undefined) return null;
  if (parseUrl(address) === null) return "its host is not valid";
  const isPort = port === undefined || (parseUrl(text)?.port ?? "0") !== "0";
  return isPort ? null : "its port is not a number from 1 to 65535";
}

/** A text that is not a URL, for a message: everything before the last `@` may be part of a password. */
export function withoutPassword(text: string): string {
  const end = text.lastIndexOf("@");
  return end === -1 ? text : `…${text.slice(end)}`;
}

/** The text without slashes at its end, in time that grows with its length. */
export function withoutFinalSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, "");
}

/** Whether a host is this machine. @param host name or IP address, with or without brackets @see RFC 8252 §7.3 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
