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

/** Where the authorization server sends the browser back to, before a port is known. */
export interface RedirectTarget {
  /** As the user wrote it. */
  readonly uri: string;
  /** Addresses to listen on; empty where the URI is not on this machine, so that the result can only be pasted. */
  readonly hosts: readonly string[];
  /** 0 takes a free port. */
  readonly port: number;
  /** The path as a browser requests it. */
  readonly path: string;
  /** What takes its place on a machine without IPv4. */
  readonly withoutIpv4?: RedirectTarget;
}

/** Where nobody named a redirect URI: a free port of whatever loopback address there is. @see RFC 8252 §7.3 */
export function defaultRedirect(): RedirectTarget {
  const source = "the redirect URI";
  return {
    ...parseRedirectUri("http://127.0.0.1/callback", source),
    withoutIpv4: parseRedirectUri("http://[::1]/callback", source),
  };
}

/** Blanks, control characters and backslashes, which browsers take away or write otherwise. */
const UNWRITABLE = /[\s\\\p{Cc}]/u;

/** A loopback host written as a name may be looked up as either address. @see RFC 8252 §8.3 */
const LISTEN_HOSTS: Readonly<Record<string, readonly string[]>> = {
  "127.0.0.1": ["127.0.0.1"],
  "[::1]": ["::1"],
  localhost: ["127.0.0.1", "::1"],
};

/**
 * Reads a redirect URI: on a loopback host without a port any free one is taken, otherwise it is used as it stands.
 * @param source names where the text came from in messages
 * @throws CliError configuration
 * @see RFC 8252 §7.3
 */
export function parseRedirectUri(text: string, source: string): RedirectTarget {
  const hint = "write http://127.0.0.1/callback, or the URI that is registered";
  // URL parsers forgive blanks, missing slashes and backslashes; the server compares letter by letter.
  if (!URL.canParse(text) || !/^https?:\/\/[^/\\]/i.test(text) || UNWRITABLE.test(text)) {
    throw configurationError(`${source}: "${text}" is no http or https URL`, { hint });
  }
  const url = new URL(text);
  if (url.search !== "" || text.includes("#") || url.username !== "" || url.password !== "") {
    throw configurationError(`${source}: a redirect URI carries no query, fragment, user or password`, {
      hint,
    });
  }
  const hosts = LISTEN_HOSTS[url.hostname];
  if (url.protocol === "http:" && hosts !== undefined) {
    return { uri: text, hosts, port: writtenPort(text) ?? 0, path: url.pathname };
  }
  if (url.protocol === "https:") return { uri: text, hosts: [], port: 0, path: url.pathname };
  throw configurationError(
    `${source}: ${url.protocol}//${url.host} is neither https nor http on 127.0.0.1, [::1] or localhost`,
    { hint },
  );
}

/** URL drops the port 80, which still is an exact one where it is written. */
function writtenPort(text: string): number | undefined {
  const port = /^http:\/\/(?:\[[^\]]*\]|[^/:]*):(\d+)/i.exec(text)?.[1];
  return port === undefined ? undefined : Number(port);
}
