import { DryRunStop, type PlannedRequest } from "../errors.js";
import { pathBelow } from "./base-url.js";
import type { Send } from "./sending/sender.js";
import type { HttpRequest } from "./transport.js";

/** Methods that change nothing. @see RFC 9110 §9.2.1 */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Sends reads. A write is not sent: it rejects with DryRunStop, which has the request.
 * @param baseUrl what the paths of requests are below
 */
export function withDryRun(send: Send, baseUrl: URL): Send {
  return async (outgoing) => {
    if (SAFE_METHODS.has(outgoing.request.method)) return send(outgoing);
    throw new DryRunStop([describeRequest(outgoing.request, baseUrl)]);
  };
}

function describeRequest(
  { method, url, body }: Pick<HttpRequest, "method" | "url" | "body">,
  baseUrl: URL,
): PlannedRequest {
  const address = new URL(url);
  return {
    method,
    path: pathBelow(baseUrl, address) ?? address.pathname,
    query: describeQuery(address.searchParams),
    body: body === undefined ? null : parseBody(body),
  };
}

/** A parameter that is repeated has a list of values. */
function describeQuery(parameters: URLSearchParams): PlannedRequest["query"] {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values.join("") : values];
    }),
  );
}

/** Any text may be sent by hand; what is not JSON is shown as it is. */
function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (_notJson) {
    return body;
  }
}
