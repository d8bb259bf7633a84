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

type Members = Readonly<Record<string, unknown>>;

/**
 * Sends reads. A write is recorded instead, and answered as the service would: later reads see what it wrote.
 * Created resources have ids of 32 digits, counted from 1.
 * @param baseUrl what the paths of requests are below
 * @param planned the writes, in their order
 */
export function withDryRun(send: Send, baseUrl: URL, planned: PlannedRequest[]): Send {
  /** The last response to a read, by path. */
  const read = new Map<string, HttpResponse>();
  /** Documents as writes left them, by path; null for what was deleted. */
  const written = new Map<string, Members | null>();
  let created = 0;
  const documentAt = (path: string): Members => {
    const response = read.get(path);
    return written.get(path) ?? membersOf(response && parseJson(Buffer.from(response.body).toString()));
  };

  function write({ method, body }: OutgoingRequest<unknown>["request"], path: string): HttpResponse {
    if (method === "DELETE") {
      written.set(path, null);
      return respond(204);
    }
    const isCreate = method === "POST";
    created += Number(isCreate);
    const id = isCreate ? String(created).padStart(32, "0") : path.slice(path.lastIndexOf("/") + 1);
    const place = isCreate ? `${path}/${id}` : path;
    const before = isCreate ? NEW : documentAt(path);
    const document = withChanges(before, { id, type: "event" }, parseJson(body ?? ""));
    written.set(place, document);
    return respond(isCreate ? 201 : 200, document);
  }

  return async (outgoing) => {
    const { request, errors } = outgoing;
    const path = new URL(request.url).pathname;
    if (request.method !== "GET") {
      planned.push(describeRequest(request, baseUrl));
      return outgoing.read(write(request, path));
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

function respond(status: number, document?: Members): HttpResponse {
  return { status, headers: {}, body: Buffer.from(document === undefined ? "" : JSON.stringify(document)) };
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
