import { DryRunStop, type PlannedRequest } from "../errors.js";
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
  const { pathname, searchParams } = new URL(url);
  const base = baseUrl.pathname.replace(/\/$/, "");
  return {
    method,
    path: pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname,
    query: Object.fromEntries(searchParams),
    body: body === undefined ? null : parseBody(body),
  };
}

/** Any text may be sent by hand; what is not JSON is shown as it is. */
function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (_notJson) {
    return body;
  }
}
