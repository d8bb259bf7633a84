import { ROUTES, type Route, type RouteName } from "../../contract/routes.js";
import { badRequest, ProblemError } from "./problem-error.js";

export interface RouteMatch {
  readonly name: RouteName;
  readonly route: Route;
  /** Values of the path's `{name}` segments, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Target {
  /** Segments of the path, decoded. */
  readonly segments: readonly string[];
  readonly search: URLSearchParams;
}

/**
 * Reads the target of a request line, in origin or absolute form. @see RFC 9112 §3.2
 * @throws ProblemError 400 when the path is badly encoded
 */
export function parseTarget(target: string): Target {
  const [path = "", ...query] = target.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return {
    segments: path.split("/").slice(1).map(decodeSegment),
    search: new URLSearchParams(query.join("?")),
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path segment "${segment}" is not percent-encoded UTF-8`);
  }
}

/**
 * Finds the contract's endpoint for a request; HEAD asks for what GET would. @see RFC 9110 §9.3.2
 * @throws ProblemError 404 when no endpoint has this path, 405 with `Allow` when it has other methods
 */
export function matchRoute(method: string, segments: readonly string[]): RouteMatch {
  const matches = Object.entries(ROUTES).flatMap(([name, route]) => {
    const parameters = matchPath(route.path, segments);
    return parameters === null || !isRouteName(name) ? [] : [{ name, route, parameters }];
  });
  if (matches.length === 0) throw new ProblemError(404);
  const wanted = method === "HEAD" ? "GET" : method;
  const match = matches.find(({ route }) => route.method === wanted);
  if (match === undefined) {
    const allowed = matches.flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : route.method));
    throw new ProblemError(405, { headers: { allow: allowed.join(", ") } });
  }
  return match;
}

function matchPath(path: string, segments: readonly string[]): Record<string, string> | null {
  const pattern = path.split("/").slice(1);
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

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(ROUTES, name);
}
