import * as v from "valibot";
import { lenientManySchema, lenientOneSchema } from "../../contract/lenient-resources.js";
import { JSON_MEDIA_TYPE } from "../../contract/limits.js";
import { parseRateLimit, type RateLimit } from "../../contract/rate-limit.js";
import { ROUTES, type Route, type RouteName } from "../../contract/routes.js";
import type { Call } from "../sending/call.js";
import { unreadableAnswer } from "../sending/errors.js";
import { readServerTime } from "../sending/rate-limit.js";
import type { Send } from "../sending/sender.js";
import type { HttpResponse } from "../transport.js";
import { NotJsonError, readJsonBody } from "./json-body.js";
import { expandPath, formatQuery } from "./requests.js";

export interface ExchangeOptions {
  readonly send: Send;
  readonly baseUrl: URL;
  /** Value of `Accept`. */
  readonly mediaType: string;
  /** Where the token came from, for messages; undefined without one. */
  readonly tokenSource: string | undefined;
}

/** What an answer's headers tell about the service. */
export interface AnswerFacts {
  readonly rateLimit: RateLimit | null;
  /** The `Date` header in milliseconds since the Unix epoch; null when absent, unreadable or a cache's. */
  readonly serverTime: number | null;
}

/** One request of a route, and what messages call it. */
export interface Request {
  /** What is read or written: `event abc`, `the calendars`. */
  readonly subject: string;
  /** Values of the path's parameters by their names in the contract. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Parameters that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; nothing is sent without it. */
  readonly body?: unknown;
  /** What a 404 says is not there, where it is not the subject itself. */
  readonly notFound?: string;
  /** Where to look when it is unknown whether a write was done. */
  readonly lookAt?: string;
}

/** Sends one request of a route and resolves with the answer of its success status. */
export type Exchange = (name: RouteName, request: Request) => Promise<Answer>;

/** A success that is JSON, or has no body where the contract has none. */
export interface Answer {
  /** Reads `data` and `included` by the given function. @throws CliError when the answer is not the contract's */
  one<T>(read: (document: v.InferOutput<typeof lenientOneSchema>) => T): T;
  /** The same where `data` is a list. */
  many<T>(read: (document: v.InferOutput<typeof lenientManySchema>) => T): T;
}

/** Speaks JSON:API over a sender: addresses, headers and bodies of requests, and whole answers. @see contract section 4 */
export function createExchange({ send, baseUrl, mediaType, tokenSource }: ExchangeOptions): Exchange {
  return async function exchange(name, { ids = {}, query = {}, body, ...words }) {
    const route: Route = ROUTES[name];
    const path = expandPath(route.path, ids);
    const url = `${baseUrl.href.replace(/\/$/, "")}${path}${formatQuery(query)}`;
    const call: Call = { method: route.method, path, url, mediaType, tokenSource, ...words };
    const received = await send<Received>({
      call,
      request: {
        url,
        headers: { accept: mediaType, ...(body === undefined ? {} : { "content-type": JSON_MEDIA_TYPE }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      read: async (response) => ({
        status: response.status,
        json: await readBody(call, route, response),
      }),
      ...(route.method === "DELETE" ? { alreadyGone: { status: 404, json: null } } : {}),
    });
    return {
      one: (read) => readDocument(call, received, { schema: lenientOneSchema, read }),
      many: (read) => readDocument(call, received, { schema: lenientManySchema, read }),
    };
  };
}

/** Reads what the headers of an answer tell. */
export function factsOf(response: HttpResponse): AnswerFacts {
  const { headers } = response;
  return { rateLimit: parseRateLimit(headers), serverTime: readServerTime(headers) };
}

/** The body of a success; null where the contract has none. */
async function readBody(call: Call, route: Route, response: HttpResponse): Promise<unknown> {
  if (route.answer === null && response.body.length === 0) return null;
  try {
    return await readJsonBody(response);
  } catch (cause) {
    if (!(cause instanceof NotJsonError)) throw cause;
    throw unreadableAnswer(call, response.status, { reason: cause.message, cause });
  }
}

/** A success and its JSON. */
interface Received {
  readonly status: number;
  readonly json: unknown;
}

interface Reading<S extends v.GenericSchema, T> {
  readonly schema: S;
  readonly read: (document: v.InferOutput<S>) => T;
}

function readDocument<S extends v.GenericSchema, T>(
  call: Call,
  { status, json }: Received,
  { schema, read }: Reading<S, T>,
): T {
  try {
    return read(v.parse(schema, json));
  } catch (cause) {
    if (!v.isValiError(cause)) throw cause;
    const reason = `the answer is not the contract's: ${describeIssue(cause.issues[0])}`;
    throw unreadableAnswer(call, status, { reason, cause });
  }
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return path === null ? issue.message : `${path}: ${issue.message}`;
}
