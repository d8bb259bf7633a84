import * as v from "valibot";
import { locateJsonError } from "../contract/json-syntax.js";
import { lenientManySchema, lenientOneSchema } from "../contract/lenient-resources.js";
import { JSON_MEDIA_TYPE } from "../contract/media-type.js";
import { parseRateLimit, type RateLimit } from "../contract/rate-limit.js";
import { ROUTES, type Route, type RouteName } from "../contract/routes.js";
import { type Call, errorFromAnswer, errorFromTransport, unreadableAnswer } from "./failure.js";
import { type HttpResponse, type Transport, TransportError } from "./transport.js";
import { expandPath, formatQuery } from "./url.js";

export interface ExchangeOptions {
  readonly transport: Transport;
  readonly baseUrl: URL;
  /** Value of `Accept`. */
  readonly mediaType: string;
  readonly signal: AbortSignal;
  /** Told of every answer, whatever its status. */
  readonly onAnswer: (answer: AnswerFacts) => void;
}

/** What an answer's headers tell about the service. */
export interface AnswerFacts {
  readonly rateLimit: RateLimit | null;
  /** The `Date` header in milliseconds since the Unix epoch; null when absent or unreadable. */
  readonly serverTime: number | null;
}

export interface Request {
  readonly subject: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly notFound?: string;
  readonly lookAt?: string;
}

/** Sends one request of a route and resolves with the answer of its success status. */
export type Exchange = (name: RouteName, request: Request) => Promise<Answer>;

/** A success, with its body still to be read. */
export interface Answer {
  /** Checks that there is no body, or at least JSON: a page in its place comes from somebody else. */
  none(): Promise<void>;
  /** Reads `data` and `included` by the given function. @throws CliError when the answer is not the contract's */
  one<T>(read: (document: v.InferOutput<typeof lenientOneSchema>) => T): Promise<T>;
  many<T>(read: (document: v.InferOutput<typeof lenientManySchema>) => T): Promise<T>;
}

export function createExchange(options: ExchangeOptions): Exchange {
  return async function exchange(name, request) {
    const route: Route = ROUTES[name];
    const path = expandPath(route.path, request.ids ?? {});
    const { subject, notFound, lookAt } = request;
    const call: Call = { method: route.method, path, subject, notFound, lookAt };
    const response = await send(call, options, {
      url: `${options.baseUrl.href.replace(/\/$/, "")}${path}${formatQuery(request.query ?? {})}`,
      body: request.body,
    });
    options.onAnswer(factsOf(response));
    if (response.status < 200 || response.status > 299) throw errorFromAnswer(call, response);
    return {
      none: async () => {
        if (response.body.length > 0) await parseJson(call, response);
      },
      one: async (read) => readDocument({ call, response, schema: lenientOneSchema, read }),
      many: async (read) => readDocument({ call, response, schema: lenientManySchema, read }),
    };
  };
}

async function send(
  call: Call,
  options: ExchangeOptions,
  target: { readonly url: string; readonly body: unknown },
): Promise<HttpResponse> {
  const body = target.body === undefined ? undefined : JSON.stringify(target.body);
  try {
    return await options.transport({
      method: call.method,
      url: target.url,
      headers: {
        accept: options.mediaType,
        ...(body === undefined ? {} : { "content-type": JSON_MEDIA_TYPE }),
      },
      ...(body === undefined ? {} : { body }),
      signal: options.signal,
    });
  } catch (error) {
    if (error instanceof TransportError) throw errorFromTransport(call, error);
    throw error;
  }
}

function factsOf(response: HttpResponse): AnswerFacts {
  const date = Date.parse(response.headers["date"] ?? "");
  return {
    rateLimit: parseRateLimit(response.headers),
    serverTime: Number.isNaN(date) ? null : date,
  };
}

interface Reading<S extends v.GenericSchema, T> {
  readonly call: Call;
  readonly response: HttpResponse;
  readonly schema: S;
  readonly read: (document: v.InferOutput<S>) => T;
}

async function readDocument<S extends v.GenericSchema, T>(reading: Reading<S, T>): Promise<T> {
  const { call, response, schema, read } = reading;
  const json = await parseJson(call, response);
  try {
    return read(v.parse(schema, json));
  } catch (cause) {
    if (!v.isValiError(cause)) throw cause;
    const reason = `the answer is not the contract's: ${describeIssue(cause.issues[0])}`;
    throw unreadableAnswer(call, response, { reason, cutShort: false, cause });
  }
}

async function parseJson(call: Call, response: HttpResponse): Promise<unknown> {
  const text = new TextDecoder().decode(response.body);
  if (text.trim() === "") {
    throw unreadableAnswer(call, response, { reason: "the answer is empty", cutShort: true });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const cutShort = (await locateJsonError(text)).atEnd;
    const reason = cutShort ? "the answer was cut short" : "the answer is not JSON";
    throw unreadableAnswer(call, response, { reason, cutShort, cause });
  }
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return path === null ? issue.message : `${path}: ${issue.message}`;
}
