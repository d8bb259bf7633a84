import * as v from "valibot";
import { expect } from "vitest";
import { parseRateLimit, type RateLimit } from "../../../contract/rate-limit.js";
import { problemSchema, RESPONSE_BODIES } from "../../../contract/resources.js";
import { ROUTES, type RouteName } from "../../../contract/routes.js";
import type { Send } from "./send.js";
import { strictSchema } from "./strict-schema.js";

interface RequestOptions {
  /** Null sends none; the client's own by default. */
  readonly token?: string | null;
  /** Sent as JSON; bytes are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rate: RateLimit | null;
  /** Undefined without a body. */
  readonly json: unknown;
  /** `errors` of a problem. */
  readonly errors: unknown;
}

interface CallOptions extends RequestOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

type RouteResponse<N extends RouteName> = (typeof RESPONSE_BODIES)[N] extends infer S extends v.GenericSchema
  ? v.InferOutput<S>
  : undefined;

/** Sends requests and checks what the contract requires of every response. */
export interface ContractClient {
  request(method: string, target: string, options?: RequestOptions): Promise<Answer>;
  /** Calls a route that must succeed with exactly the response of the contract. */
  call<N extends RouteName>(name: N, options?: CallOptions): Promise<RouteResponse<N>>;
}

export function createContractClient(send: Send, ownToken: string): ContractClient {
  const request: ContractClient["request"] = async (method, target, options = {}) => {
    const { token = ownToken, body, headers = {} } = options;
    const response = await send({
      method,
      target,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body instanceof Uint8Array ? body : encode(body),
    });
    const text = new TextDecoder().decode(response.body);
    const json: unknown = text === "" ? undefined : JSON.parse(text);
    checkAnswer(response.status, response.headers, json);
    const errors = response.status >= 400 ? v.parse(problemSchema, json).errors : undefined;
    return { ...response, rate: parseRateLimit(response.headers), json, errors };
  };
  return {
    request,
    async call(name, { path = {}, query = {}, ...options } = {}) {
      const route = ROUTES[name];
      const pathname = route.path.replace(/\{(\w+)\}/g, (_, key: string) =>
        encodeURIComponent(path[key] ?? ""),
      );
      const search = new URLSearchParams(query).toString();
      const answer = await request(route.method, `${pathname}?${search}`, options);
      expect(answer, JSON.stringify(answer.errors)).toMatchObject({ status: route.success });
      const responseBody = RESPONSE_BODIES[name];
      if (responseBody === null) {
        expect(answer.json).toBeUndefined();
        return undefined as RouteResponse<typeof name>;
      }
      return v.parse(strictSchema(responseBody), answer.json) as RouteResponse<typeof name>;
    },
  };
}

function checkAnswer(status: number, headers: Readonly<Record<string, string>>, json: unknown): void {
  expect(parseRateLimit(headers), "rate-limit headers").not.toBeNull();
  expect(Date.parse(headers["date"] ?? ""), "date").not.toBeNaN();
  expect(headers["calendar-extensions"]).toBe("events, activities, changes, keys, recurrences, feeds");
  if (status >= 400) {
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(v.parse(strictSchema(problemSchema), json)).toMatchObject({ status });
  } else if (status !== 204 && status !== 304) {
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  }
}

function encode(body: unknown): Uint8Array {
  return new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
}
