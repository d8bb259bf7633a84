import { isUtf8 } from "node:buffer";
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../../../contract/extensions.js";
import { locateJsonError } from "../../../contract/json.js";
import {
  ContractMismatch,
  type LenientResource,
  readListDocument,
  readNextLink,
  readOneDocument,
} from "../../../contract/lenient-resources.js";
import { JSON_MEDIA_TYPE } from "../../../contract/media-types.js";
import { REVISION_HEADER, ROUTES, type Route, type RouteName } from "../../../contract/routes.js";
import { parseUrl } from "../../../contract/url.js";
import { CliError, errorCodeOf, usageError } from "../../errors.js";
import type { OutgoingRequest, Send } from "../sending/sender.js";
import { type HttpResponse, pathBelow, TransportError, urlBelow } from "../transport.js";
import { createContractErrors, nameRequest, type RequestDescription, unreadableResponse } from "./errors.js";
import { type Included, indexIncluded, ofResource } from "./resources.js";

interface JsonApiOptions {
  readonly send: Send;
  readonly baseUrl: URL;
  /** Value of `Accept`. */
  readonly mediaType: string;
  /** Where the token came from, for messages; undefined without one. */
  readonly tokenSource: string | undefined;
}

/** The parameters of a route, and what messages say about the request. */
interface RouteRequest extends Pick<RequestDescription, "subject" | "notFound" | "checkHint"> {
  /** Path parameters by their names in the contract. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Undefined parameters are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** The whole address, from the link to a next page, instead of that of ids and query. */
  readonly url?: string;
  /** Sent as JSON; undefined for no body. */
  readonly body?: unknown;
  readonly key?: RouteKey | undefined;
  readonly beforeRepeat?: OutgoingRequest<JsonApiResponse>["beforeRepeat"];
}

/** The idempotency key of a POST, under which the service creates something once. */
export interface RouteKey {
  readonly text: string;
  /** Whether the user gave it, and can give it again. */
  readonly isGiven: boolean;
  readonly isKept: () => Promise<boolean>;
}

/** Reads a resource of `data`, and what is included with it. @throws ContractMismatch */
export type ReadResource<T> = (resource: LenientResource, included: Included) => T;

/** Sends a request of a route and resolves with its success. @throws CliError */
export type RequestRoute = (name: RouteName, request: RouteRequest) => Promise<JsonApiResponse>;

/** A success with a JSON body, or without a body where the contract has none. */
export interface JsonApiResponse {
  /** The address of the request. */
  readonly url: string;
  /** The revision of the calendar; null from a service that has none. @see docs/extensions.md */
  readonly revision: number | null;
  /** Whether the given key had created the resource in another request. */
  readonly isReplay: boolean;
  /** Reads other members of the document. @throws CliError when it does not match the contract */
  read<T>(read: (document: unknown) => T): T;
  /** Reads a document whose `data` is one resource. @throws CliError when it does not match the contract */
  one<T>(read: ReadResource<T>): T;
  /** Reads a document whose `data` is a list of resources. @throws CliError when it does not match the contract */
  many<T>(read: ReadResource<T>): readonly T[];
  /**
   * The absolute address of the next page; null on the last one.
   * @throws CliError rejected when it is not below the base URL, which the token is for
   */
  next(): string | null;
}

/** Requests and responses of the contract's routes over a sender. @see contract section 4 */
export function createJsonApi(options: JsonApiOptions): RequestRoute {
  const { send, baseUrl, mediaType, tokenSource } = options;
  return async function requestRoute(name, { ids = {}, query = {}, body, key, beforeRepeat, ...rest }) {
    const route: Route = ROUTES[name];
    const { method } = route;
    const path = expandPath(route.path, ids);
    const { url = urlBelow(baseUrl, `${path}${formatQuery(query)}`), ...wording } = rest;
    const givenKey = key?.isGiven === true ? key.text : undefined;
    const description: RequestDescription = {
      ...{ method, path, url, mediaType, tokenSource, givenKey },
      ...wording,
    };
    const headers: Record<string, string> = { accept: mediaType };
    if (body !== undefined) headers["content-type"] = JSON_MEDIA_TYPE;
    if (key !== undefined) headers[IDEMPOTENCY_KEY_HEADER] = key.text;
    const respond = (success: Success): JsonApiResponse => ({
      url,
      revision: success.revision ?? null,
      isReplay: success.isReplay ?? false,
      one: (read) =>
        readSuccess(description, success, (json) => {
          const { data, included } = readOneDocument(json);
          return ofResource(data, (resource) => read(resource, indexIncluded(included)));
        }),
      many: (read) =>
        readSuccess(description, success, (json) => {
          const { data, included } = readListDocument(json);
          const index = indexIncluded(included);
          return data.map((each) => ofResource(each, (resource) => read(resource, index)));
        }),
      read: (read) => readSuccess(description, success, read),
      next: () => nextAddress(description, success, baseUrl),
    });
    return send({
      request: { method, url, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
      name: nameRequest(description),
      errors: createContractErrors(description),
      read: async (response) =>
        respond({
          status: response.status,
          json: await readBody(description, route, response),
          revision: readRevision(response),
          isReplay: givenKey !== undefined && response.headers[REPLAYED_HEADER] === "true",
        }),
      isKeyKept: key?.isKept,
      ...(method === "DELETE" ? { ifGone: respond({ status: 404, json: null }) } : {}),
      ...(beforeRepeat === undefined ? {} : { beforeRepeat }),
    });
  };
}

/**
 * Fills the ids into a path of the contract, so that the URL cannot leave the base URL.
 * @param template a path such as `/calendars/{calendar_id}`
 * @throws CliError usage when an id is empty, `.` or `..`
 */
function expandPath(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? "";
    const noun = name.replace("_", " ");
    // encodeURIComponent keeps dots, and a URL parser would go up a level.
    if (id === "" || id === "." || id === "..") throw usageError(`"${id}" is not a valid ${noun}`);
    return encode(id, noun);
  });
}

/** A text for a URL. @throws CliError usage for one with a lone surrogate, which has no encoding */
function encode(text: string, noun: string): string {
  if (/\p{Surrogate}/u.test(text)) throw usageError(`"${text}" is not a valid ${noun}`);
  return encodeURIComponent(text);
}

/** A query string with its `?`, or an empty one. Commas are not encoded: the contract's lists use them. */
function formatQuery(query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${key}=${encode(value, key).replaceAll("%2C", ",")}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

interface Success {
  readonly status: number;
  readonly json: unknown;
  readonly revision?: number | null;
  readonly isReplay?: boolean;
}

function readRevision({ headers }: HttpResponse): number | null {
  const text = headers[REVISION_HEADER] ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function readSuccess<T>(
  request: RequestDescription,
  { status, json }: Success,
  read: (json: unknown) => T,
): T {
  try {
    return read(json);
  } catch (cause) {
    if (!(cause instanceof ContractMismatch)) throw cause;
    const reason = `the response does not match the contract: ${cause.message}`;
    throw unreadableResponse(request, status, { reason, cause });
  }
}

function nextAddress(request: RequestDescription, success: Success, baseUrl: URL): string | null {
  const link = readSuccess(request, success, readNextLink);
  if (link === null) return null;
  const unreadable = (reason: string) =>
    unreadableResponse(request, success.status, { reason, cause: undefined });
  const url = parseUrl(link, request.url);
  if (url === null) throw unreadable("the link to the next page is not a URL");
  if (pathBelow(baseUrl, url) === null)
    throw unreadable(`the link to the next page leads away from ${baseUrl.href}`);
  url.hash = "";
  return url.href;
}

/**
 * The JSON of a success; null where the contract has no body. A byte-order mark is skipped.
 * @throws TransportError cut_short when the body ends too early or is empty
 * @throws CliError when it is complete, but not JSON in UTF-8
 */
async function readBody(request: RequestDescription, route: Route, response: HttpResponse): Promise<unknown> {
  const { status, document } = response;
  if (document !== undefined) return document;
  const { body } = response;
  if (route.success === 204 && body.length === 0) return null;
  const notJson = (reason: string, cause?: unknown) =>
    unreadableResponse(request, status, { reason: `the response ${reason}`, cause });
  if (status === 204) throw notJson("has no content (204)");
  const text = decode(response, notJson);
  if (text.trim() === "") throw cutShort("the response is empty");
  try {
    return JSON.parse(text);
  } catch (cause) {
    if ((await locateJsonError(text)).atEnd) throw cutShort("the response was cut short", cause);
    throw notJson(`is not JSON${describeType(response)}`, cause);
  }
}

const BYTE_ORDER_MARK = "\uFEFF";

type NotJson = (reason: string, cause: unknown) => CliError;

function decode(response: HttpResponse, notJson: NotJson): string {
  const { buffer, byteOffset, length } = response.body;
  // A TextDecoder that is fatal loads ICU, 3 ms.
  if (!isUtf8(response.body)) return decodeStrictly(response, notJson);
  const text = Buffer.from(buffer, byteOffset, length).toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** An incomplete character at the end means that the body was cut; anywhere else it is not UTF-8. @see RFC 8259 §8.1 */
function decodeStrictly(response: HttpResponse, notJson: NotJson): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text: string;
  try {
    text = decoder.decode(response.body, { stream: true });
  } catch (cause) {
    if (errorCodeOf(cause) !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw cause;
    throw notJson(`is not UTF-8${describeType(response)}`, cause);
  }
  try {
    return text + decoder.decode();
  } catch (cause) {
    throw cutShort("the response was cut short", cause);
  }
}

function cutShort(message: string, cause?: unknown): TransportError {
  return new TransportError(message, { kind: "cut_short", sent: "yes", reason: "cut short", cause });
}

/** The response's own encoding or type, where that explains the error. */
function describeType({ headers }: HttpResponse): string {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") return ` but ${encoding}, which was not requested`;
  const type = headers["content-type"]?.split(";")[0]?.trim();
  return type === undefined || type === "" || type.endsWith("json") ? "" : ` but ${type}`;
}

/** The pages of a list. Each is requested when it is asked for, and only one is held. @throws CliError */
export type Pages<T> = AsyncIterable<readonly T[]>;

interface PageReader<T> {
  readonly name: RouteName;
  readonly request: RouteRequest;
  readonly read: ReadResource<T>;
}

/** A list whose first page was read. */
interface OpenList<T> {
  readonly first: JsonApiResponse;
  readonly pages: Pages<T>;
}

/**
 * Requests the first page of a list. Null when the service answers 404 or 405: it does not have the list, or what the
 * list is of does not exist.
 */
export async function openPages<T>(send: RequestRoute, reader: PageReader<T>): Promise<OpenList<T> | null> {
  try {
    const first = await send(reader.name, reader.request);
    return { first, pages: followPages(first, send, reader) };
  } catch (error) {
    if (error instanceof CliError && (error.status === 404 || error.status === 405)) return null;
    throw error;
  }
}

/** A service may send pages without an item while it searches; one that sends only such ones never ends. */
const MAX_EMPTY_PAGES = 1_000;

async function* followPages<T>(
  response: JsonApiResponse,
  send: RequestRoute,
  { name, request, read }: PageReader<T>,
): AsyncGenerator<readonly T[]> {
  const visited = new Set([response.url]);
  let empty = 0;
  for (;;) {
    const items = response.many(read);
    const next = response.next();
    yield items;
    if (next === null) return;
    empty = items.length === 0 ? empty + 1 : 0;
    if (visited.has(next)) throw endless(request, "the link to the next page leads back to an earlier one");
    if (empty > MAX_EMPTY_PAGES) throw endless(request, `${MAX_EMPTY_PAGES} pages in a row are empty`);
    visited.add(next);
    response = await send(name, { ...request, url: next });
  }
}

function endless({ subject }: RouteRequest, reason: string): CliError {
  return new CliError("rejected", `${subject}: ${reason}`, { hint: "this is an error of the service" });
}
