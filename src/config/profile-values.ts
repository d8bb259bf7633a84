import { statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { parseJson } from "../../contract/json.js";
import {
  isLoopback,
  parseUrl,
  withoutFinalSlashes,
  withoutPassword,
  wrongPartOf,
} from "../../contract/url.js";
import { configurationError } from "../errors.js";

/**
 * Reads a media type, for services that want their own in `Accept`.
 * @param source where the text came from, for messages
 * @throws CliError configuration
 */
export function parseMediaType(text: string, source: string): string {
  if (/^[\w.+-]+\/[\w.+-]+$/.test(text)) return text;
  throw configurationError(`${source}: "${text}" is not a media type`, {
    hint: "write application/vnd.NAME.v1+json",
  });
}

const WEEK_STARTS = ["sunday", "monday", "", "", "", "", "saturday"];

/** Reads the first day of a week, as `Date` counts: 0 is Sunday. @throws CliError configuration */
export function parseWeekStart(text: string, source: string): number {
  const day = text === "" ? -1 : WEEK_STARTS.indexOf(text);
  if (day >= 0) return day;
  throw configurationError(`${source}: "${text}" does not begin a week`, {
    hint: "write monday, sunday or saturday",
  });
}

/** Reads how many hours a clock has. @throws CliError configuration */
export function parseHours(text: string, source: string): 12 | 24 {
  if (text === "24" || text === "12") return text === "24" ? 24 : 12;
  throw configurationError(`${source}: "${text}" are not the hours of a clock`, { hint: "write 24 or 12" });
}

/** A program and its arguments, run without a shell. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * Reads a token command: a JSON array of program and arguments, or only a program. The program is a name on PATH or an
 * absolute path: a relative one would run whatever is in the current folder.
 * @param source where the text came from, for messages
 * @throws CliError configuration
 */
export function parseTokenCommand(text: string, source: string): Command {
  const [program, ...args] = /^\s*[[{]/.test(text) ? parseArray(text, source) : [text];
  if (program === undefined || program === "") {
    throw configurationError(`${source} has no program`, { hint: 'write ["PROGRAM","ARG"]' });
  }
  if (/[/\\]/.test(program) && !isAbsolute(program)) {
    throw configurationError(`${source}: "${program}" is a relative path`, {
      hint: "write an absolute path, or the name of a program on PATH",
    });
  }
  return [program, ...args];
}

/**
 * Checks a token command as it is set: text that is not a JSON array must be a program that exists.
 * @param searchPath PATH
 * @throws CliError configuration
 */
export function checkTokenCommand(text: string, source: string, searchPath = ""): void {
  const [program, ...args] = parseTokenCommand(text, source);
  if (args.length > 0 || program !== text) return;
  const folders = isAbsolute(program) ? [""] : searchPath.split(delimiter).filter(isAbsolute);
  const files = folders.flatMap((folder) => ["", ".exe", ".cmd"].map((end) => join(folder, program + end)));
  if (files.some((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)) return;
  throw configurationError(`${source}: there is no program "${text}"`, {
    hint: 'write the path of a program, or a JSON array such as ["PROGRAM","ARG"]',
  });
}

function parseArray(text: string, source: string): readonly string[] {
  const json = parseJson(text);
  if (Array.isArray(json) && json.every((part) => typeof part === "string")) return json;
  throw configurationError(`${source} is not a JSON array of strings`, { hint: 'write ["PROGRAM","ARG"]' });
}

/**
 * Reads the address of a service: https, or http on this machine only. Without a trailing slash.
 * @param source where the text came from, for messages
 * @throws CliError configuration
 */
export function parseServiceUrl(text: string, source: string): URL {
  const hint = wrongPartOf(text) ?? "write https://HOST/PATH";
  const url = parseUrl(text);
  // Without a cause, which would quote a password.
  if (url === null) throw configurationError(`${source}: "${withoutPassword(text)}" is not a URL`, { hint });
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw configurationError(`${source}: "${url.protocol}" is not https`, { hint });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw configurationError(`${source}: http://${url.host} is not encrypted`, {
      hint: "use https; http works only for 127.0.0.1, [::1] and localhost",
    });
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    const message = `${source}: the URL must not have a user, password, query or fragment`;
    throw configurationError(message, { hint });
  }
  url.pathname = withoutFinalSlashes(url.pathname);
  return url;
}

/** The origin of a URL; null when the text is not a URL. */
export function originOf(text: string): string | null {
  return parseUrl(text)?.origin ?? null;
}

/** Whether a text is a URL with the same scheme, host and port. */
export function isSameOrigin(text: string, url: URL): boolean {
  return originOf(text) === url.origin;
}

/** A URL without a trailing slash, as it is stored and joined. */
export function formatAddress(url: URL): string {
  return url.href.replace(/\/$/, "");
}

/** Where the authorization server redirects the browser to. */
export interface RedirectTarget {
  /** As written, with or without a port. */
  readonly uri: string;
  /** Addresses to listen on. Empty when the URI is on another machine: then the user pastes the response. */
  readonly hosts: readonly string[];
  /** 0 for any free port. */
  readonly port: number;
  /** The path as a browser requests it. */
  readonly path: string;
  /** Used instead on a machine without IPv4. */
  readonly withoutIpv4?: RedirectTarget;
}

/** The default redirect URI: any free port on IPv4 loopback, or on IPv6 where there is no IPv4. @see RFC 8252 §7.3 */
export function defaultRedirect(): RedirectTarget {
  const source = "the redirect URI";
  return {
    ...parseRedirectUri("http://127.0.0.1/callback", source),
    withoutIpv4: parseRedirectUri("http://[::1]/callback", source),
  };
}

/** Whitespace, control characters and backslashes, which browsers remove or replace. */
const NORMALIZED = /[\s\\\p{Cc}]/u;

/** `localhost` may resolve to either address. @see RFC 8252 §8.3 */
const LISTEN_HOSTS: Readonly<Record<string, readonly string[]>> = {
  "127.0.0.1": ["127.0.0.1"],
  "[::1]": ["::1"],
  localhost: ["127.0.0.1", "::1"],
};

/**
 * Reads a redirect URI. A loopback URI without a port gets any free one; every other is used as written.
 * @param source where the text came from, for messages
 * @throws CliError configuration
 * @see RFC 8252 §7.3
 */
export function parseRedirectUri(text: string, source: string): RedirectTarget {
  const hint = "write http://127.0.0.1/callback, or the URI that is registered";
  // URL parsers accept whitespace, missing slashes and backslashes; the server compares exact strings.
  const url = parseUrl(text);
  if (url === null || !/^https?:\/\/[^/\\]/i.test(text) || NORMALIZED.test(text)) {
    throw configurationError(`${source}: "${text}" is not an http or https URL`, { hint });
  }
  if (url.search !== "" || text.includes("#") || url.username !== "" || url.password !== "") {
    const message = `${source}: a redirect URI must not have a query, fragment, user or password`;
    throw configurationError(message, { hint });
  }
  const hosts = LISTEN_HOSTS[url.hostname];
  if (url.protocol === "http:" && hosts !== undefined) {
    return { uri: text, hosts, port: writtenPort(text) ?? 0, path: url.pathname };
  }
  if (url.protocol === "https:") return { uri: text, hosts: [], port: 0, path: url.pathname };
  const message = `${source}: ${url.protocol}//${url.host} is not https, nor http on 127.0.0.1, [::1] or localhost`;
  throw configurationError(message, { hint });
}

/** `URL` drops the port 80, but a written one is exact. */
function writtenPort(text: string): number | undefined {
  const port = /^http:\/\/(?:\[[^\]]*\]|[^/:]*):(\d+)/i.exec(text)?.[1];
  return port === undefined ? undefined : Number(port);
}
