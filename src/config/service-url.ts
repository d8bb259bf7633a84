import { configurationError } from "../errors.js";

/** Whether a URL's host is this machine: 127.0.0.0/8, ::1 or localhost. @see RFC 8252 §8.3 */
export function isLoopback(url: URL): boolean {
  const host = url.hostname;
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Reads the address of a service: https, or http on loopback alone; its trailing slash is dropped.
 * @param source names where the text came from in messages
 * @throws CliError configuration
 */
export function parseServiceUrl(text: string, source: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw configurationError(`${source}: "${text}" is no URL`, { hint: "write https://HOST/PATH", cause });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw configurationError(`${source}: ${url.protocol} is neither https nor http`, {
      hint: "write https://HOST/PATH",
    });
  }
  const secure = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
  if (!secure) {
    throw configurationError(`${source}: ${url.protocol}//${url.host} would send the token unprotected`, {
      hint: "use https; http is for 127.0.0.1, [::1] and localhost alone",
    });
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw configurationError(`${source}: the URL may not carry a user, a password, a query or a fragment`, {
      hint: "write https://HOST/PATH",
    });
  }
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

/** The origin of a URL in a text; null where it is none. */
export function originOf(text: string): string | null {
  return URL.canParse(text) ? new URL(text).origin : null;
}

/** Whether a text is a URL of the same scheme, host and port as another URL. */
export function isSameOrigin(text: string, url: URL): boolean {
  return originOf(text) === url.origin;
}

/** A URL as it is kept and joined: without a trailing slash. */
export function addressText(url: URL): string {
  return url.href.replace(/\/$/, "");
}
