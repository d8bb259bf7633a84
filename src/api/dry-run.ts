import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../../contract/extensions.js";
import { isJsonObject, parseJson } from "../../contract/json.js";
import type { OutgoingRequest, Send } from "./sending/sender.js";
import { type HttpRequest, type HttpResponse, pathBelow } from "./transport.js";

/** A write as `--dry-run` prints it. */
export interface PlannedRequest {
  readonly method: string;
  /** Below the base URL, as it is sent. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed JSON; null without a body. */
  readonly body: unknown;
}

type Outgoing = OutgoingRequest<unknown>["request"];
type Members = Readonly<Record<string, unknown>>;

/**
 * Sends reads. A write is recorded instead, and answered as the service would: later reads see what it wrote.
 * Created resources have ids of 32 digits, counted from 1. Lists are those of the service, without what was written. It does not
 * model keys of earlier runs, what a write to a series does to its other events, timestamps, or permissions.
 * @param baseUrl what the paths of requests are below
 * @param planned the writes, in their order
 */
export function withDryRun(send: Send, baseUrl: URL, planned: PlannedRequest[]): Send {
  /** The last response to a read, by path. */
  const read = new Map<string, HttpResponse>();
  /** Documents as writes left them, by path; null for what was deleted. */
  const written = new Map<string, Members | null>();
  /** Documents of creates by their path, key and body. */
  const keyed = new Map<string, Members>();
  let created = 0;
  const documentAt = (path: string): Members => {
    const response = read.get(path);
    return written.get(path) ?? membersOf(response && parseJson(Buffer.from(response.body).toString()));
  };

  function create({ headers, body }: Outgoing, path: string): HttpResponse {
    const key = headers[IDEMPOTENCY_KEY_HEADER];
    const request = JSON.stringify([path, key, body]);
    const first = key === undefined ? undefined : keyed.get(request);
    if (first !== undefined) return respond(201, first, { [REPLAYED_HEADER]: "true" });
    created += 1;
    const id = String(created).padStart(32, "0");
    const document = withChanges(NEW, { id, type: "event" }, parseJson(body ?? ""));
    written.set(`${path}/${id}`, document);
    keyed.set(request, document);
    return respond(201, document);
  }

  function write(request: Outgoing, path: string): HttpResponse {
    if (request.method === "POST") return create(request, path);
    if (written.get(path) === null) return respond(404);
    if (request.method === "DELETE") {
      written.set(path, null);
      return respond(204);
    }
    const id = path.slice(path.lastIndexOf("/") + 1);
    const document = withChanges(documentAt(path), { id, type: "event" }, parseJson(request.body ?? ""));
    written.set(path, document);
    return respond(200, document);
  }

  return async (outgoing) => {
    const { request, errors } = outgoing;
    const path = new URL(request.url).pathname;
    if (request.method !== "GET") {
      planned.push(describeRequest(request, baseUrl));
      const response = write(request, path);
      if (response.status === 404) throw errors.fromResponse(response, 1);
      return outgoing.read(response);
    }
    const document = written.get(path);
    if (document === null) throw errors.fromResponse(respond(404), 1);
    if (document !== undefined) return outgoing.read(respond(200, document));
    return send({
      ...outgoing,
      read: (response) => {
        read.set(path, response);
        return outgoing.read(response);
      },
    });
  };
}

function respond(status: number, document?: Members, headers = {}): HttpResponse {
  return { status, headers, body: Buffer.from(document === undefined ? "" : JSON.stringify(document)) };
}

/** The document of a new resource, before its attributes. Only a feed's secret is read. */
const NEW: Members = { data: { attributes: { secret: "SECRET" } } };

/** The document of a resource with what the body of a write says of it. */
function withChanges({ data, meta: _, ...rest }: Members, identity: Members, body: unknown): Members {
  const before = membersOf(data);
  const changes = membersOf(membersOf(body)["data"]);
  const merged = (key: string) => ({ ...membersOf(before[key]), ...membersOf(changes[key]) });
  const members = { attributes: merged("attributes"), relationships: merged("relationships") };
  return { ...rest, data: { ...identity, ...before, ...members } };
}

function membersOf(value: unknown): Members {
  return isJsonObject(value) ? value : {};
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
  const json = parseJson(body);
  return json === undefined ? body : json;
}
