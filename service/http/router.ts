import { isCalendarDate, isTimeZone } from "../../contract/date-time.js";
import { SCOPES } from "../../contract/extensions.js";
import {
  codePointLength,
  DEFAULT_DAYS,
  MAX_DAYS,
  MAX_PAGE,
  MAX_SEARCH,
  MIN_DAYS,
} from "../../contract/limits.js";
import { METADATA_PATH, OAUTH_ROUTES } from "../../contract/oauth.js";
import { DEFAULT_TIMEZONE, FEEDS_PATH, ROUTES, type Route, type RouteName } from "../../contract/routes.js";
import { CATEGORIES } from "../../contract/shapes.js";
import { splitTarget } from "../request.js";
import { badRequest, excerpt, ProblemError } from "./response.js";

export interface RouteMatch {
  readonly name: RouteName;
  readonly route: Route;
  /** Values of the path's `{name}` segments, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * The decoded segments of the path of a request target. One slash at its end is ignored.
 * @throws ProblemError 400 when it is not percent-encoded UTF-8, or has a NUL, which no id has
 */
export function parsePath(target: string): string[] {
  return splitTarget(target).path.replace(/\/$/, "").split("/").slice(1).map(decodeSegment);
}

function decodeSegment(segment: string): string {
  const invalid = (problem: string) => badRequest(`the path segment "${excerpt(segment)}" ${problem}`);
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw invalid("is not percent-encoded UTF-8");
  }
  if (decoded.includes("\0")) throw invalid("contains NUL");
  return decoded;
}

/** The same, without segments where they cannot be decoded. */
function readPath(target: string): string[] {
  try {
    return parsePath(target);
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

/** The calendar that a request target names, whether or not it exists; empty for their list, null for any other target. */
export function calendarIdOf(target: string): string | null {
  const [collection, id = ""] = readPath(target);
  return collection === "calendars" ? id : null;
}

/**
 * Finds the contract's route for a request; HEAD matches GET routes. @see RFC 9110 §9.3.2
 * @throws ProblemError 404 when no route has this path, 405 with `Allow` when the path has other methods
 */
export function matchRoute(method: string, segments: readonly string[]): RouteMatch {
  const matches = matchPaths(segments);
  if (matches.length === 0) throw new ProblemError(404);
  const routeMethod = method === "HEAD" ? "GET" : method;
  const match = matches.find(({ route }) => route.method === routeMethod);
  if (match !== undefined) return match;
  const methods = matches.flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : route.method));
  throw new ProblemError(405, { headers: { allow: methods.join(", ") } });
}

/** The path of the routes that a request target addresses, as in `ROUTES`; null if there are none. */
export function routePathOf(target: string): string | null {
  return matchPaths(readPath(target))[0]?.route.path ?? null;
}

/** The routes, with the segments of their paths. */
const PATTERNS = (Object.entries(ROUTES) as [RouteName, Route][]).map(([name, route]) => ({
  name,
  route,
  pattern: route.path.split("/").slice(1),
}));

function matchPaths(segments: readonly string[]): RouteMatch[] {
  return PATTERNS.flatMap(({ name, route, pattern }) => {
    const parameters = matchPath(pattern, segments);
    return parameters === null ? [] : { name, route, parameters };
  });
}

function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = pattern[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== segment) return null;
    } else {
      if (segment === "") return null;
      parameters[part.slice(1, -1)] = segment;
    }
  }
  return parameters;
}

/** Path of the authorization server below the service's base URL. */
export const OAUTH_PATH = "/oauth";

/** Paths of the authorization server. */
export const OAUTH_PATHS = {
  start: OAUTH_PATH,
  authorize: `${OAUTH_PATH}${OAUTH_ROUTES.authorize.path}`,
  token: `${OAUTH_PATH}${OAUTH_ROUTES.token.path}`,
  metadata: METADATA_PATH,
} as const;

export type OAuthPath = keyof typeof OAUTH_PATHS;

/**
 * The endpoint of the authorization server that a request target addresses; null for any other target. Programs may
 * write a slash after the token endpoint; the pages of the authorization endpoint have links relative to one path.
 */
export function matchOAuthEndpoint(target: string): OAuthPath | null {
  const { path } = splitTarget(target);
  if (path === OAUTH_PATHS.authorize) return "authorize";
  if (path === METADATA_PATH || path.startsWith(`${METADATA_PATH}/`)) return "metadata";
  const withoutSlash = path.replace(/\/$/, "");
  if (withoutSlash === OAUTH_PATH) return "start";
  return withoutSlash === OAUTH_PATHS.token ? "token" : null;
}

/** A feed as everybody asks for it: by its secret. */
export interface FeedTarget {
  readonly secret: string;
  /** iCalendar, or the week as a page. */
  readonly format: "ics" | "page";
}

/**
 * The feed whose contents a request is about; null for any other request. Without `.ics` only a read is one: `DELETE` has the
 * id of a feed there.
 */
export function matchFeed({
  method,
  target,
}: {
  readonly method: string;
  readonly target: string;
}): FeedTarget | null {
  const { path } = splitTarget(target);
  // Neither decoded nor refused: no error may repeat a secret.
  const [, secret, extension] = FEED.exec(path) ?? [];
  if (secret === undefined) return null;
  if (extension !== undefined) return { secret, format: "ics" };
  return method === "GET" || method === "HEAD" ? { secret, format: "page" } : null;
}

const FEED = new RegExp(`^${FEEDS_PATH}/([^/]+?)(\\.ics)?/?$`);

/** A path as logs may have it: without what could be the secret of a feed, wherever it is. */
export function withoutSecrets(path: string): string {
  return path.replace(/[\w%-]{43,}/g, "***");
}

/** The query parameters, parsed. Null stands for one that was not given and has no default. */
export type Query = ReturnType<typeof parseQuery>;

/**
 * Parses the parameters that a route accepts and ignores others.
 * @throws ProblemError 400 with every invalid parameter
 */
export function parseQuery({ include = [], query = {} }: Route, search: URLSearchParams) {
  const errors: Record<string, string[]> = {};
  const read = <T>(name: string, parse: (text: string) => T | null, rule: string): T | null => {
    const [text, ...more] = search.getAll(name);
    const isArray = more.length > 0 || [...search.keys()].some((key) => key.startsWith(`${name}[`));
    const isAccepted = name === "include" ? include.length > 0 : Object.hasOwn(query, name);
    if (!isAccepted || (text === undefined && !isArray)) return null;
    const value = isArray ? null : parse(text ?? "");
    if (value === null) errors[name] = [`must be one ${rule}`];
    return value;
  };
  const readInteger = (name: string, min: number, max: number, rule = `from ${min} to ${max}`) =>
    read(name, (text) => parseInteger(text, min, max), `whole number ${rule}`);
  const readDate = (name: string) =>
    read(name, (text) => (isCalendarDate(text) ? text : null), "date that exists, as YYYY-MM-DD");
  const readOneOf = <T extends string>(name: string, values: readonly T[]) =>
    read(name, (text) => values.find((value) => value === text) ?? null, `of ${values.join(", ")}`);
  const isSearch = (text: string) =>
    text !== "" && codePointLength(text) <= MAX_SEARCH && !text.includes("\0");
  const result = {
    include:
      read("include", (text) => parseList(text, include), `list of ${include.join(",")}`) ??
      new Set<string>(),
    /** IANA name. */
    timezone:
      read("timezone", (text) => (isTimeZone(text) ? text : null), "timezone name such as Asia/Tokyo") ??
      DEFAULT_TIMEZONE,
    days: readInteger("days", MIN_DAYS, MAX_DAYS) ?? DEFAULT_DAYS,
    /** `YYYY-MM-DD`: the first and the last day. */
    from: readDate("from"),
    to: readDate("to"),
    search: read(
      "search",
      (text) => (isSearch(text) ? text : null),
      `text of 1 to ${MAX_SEARCH} characters without NUL`,
    ),
    category: readOneOf("category", CATEGORIES),
    scope: readOneOf("scope", SCOPES),
    cursor: read("cursor", (text) => text || null, "cursor from the link to a next page"),
    limit: readInteger("limit", 1, MAX_PAGE) ?? MAX_PAGE,
    /** A revision. */
    since: readInteger("since", 1, Number.MAX_SAFE_INTEGER, "from 1 on"),
  };
  if (Object.keys(errors).length > 0) throw badRequest(errors);
  return result;
}

/** Empty text is an empty list; an empty item is invalid. */
function parseList(text: string, allowed: readonly string[]): ReadonlySet<string> | null {
  if (text === "") return new Set();
  const items = text.split(",");
  return items.every((item) => allowed.includes(item)) ? new Set(items) : null;
}

function parseInteger(text: string, min: number, max: number): number | null {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}
