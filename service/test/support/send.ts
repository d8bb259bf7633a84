import { request as httpRequest } from "node:http";
import type { ServiceResponse } from "../../http/response.js";
import type { RequestSource, ServiceRequest } from "../../request.js";
import type { Service } from "../../service.js";
import type { World } from "./world.js";

/** Sends a request to the service: in-process or over a socket. */
export type Send = (request: ServiceRequest) => Promise<ServiceResponse>;

export function sendInProcess(service: Service, address = "127.0.0.1"): Send {
  return (request) => service.handle(request, { kind: "network", address });
}

export interface RequestOptions {
  /** Null sends none; that of the world by default. */
  readonly token?: string | null;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A socket by default. */
  readonly source?: RequestSource;
}

/** Sends a request such as `GET /user` to the service of a world. Its `json` is undefined for another type. */
export async function request(
  { service, token: own }: { readonly service: Pick<Service, "handle">; readonly token?: string },
  route: string,
  {
    token = own ?? null,
    body,
    headers,
    source = { kind: "network", address: "192.0.2.1" },
  }: RequestOptions = {},
) {
  const [method = "", target = ""] = route.split(" ");
  const sent = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...headers,
  };
  const bytes = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
  const response = await service.handle({ method, target, headers: sent, body: bytes }, source);
  const text = new TextDecoder().decode(response.body);
  const isJson = text !== "" && response.headers["content-type"]?.includes("json") === true;
  return { ...response, text, json: isJson ? JSON.parse(text) : undefined };
}

/**
 * Changes something in the calendar of a world, as its member.
 * @param path below that of the calendar
 * @returns `data` of the response
 * @throws Error unless it succeeds
 */
export async function changeCalendar(
  world: Pick<World, "service" | "calendarId" | "token">,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
): Promise<{ readonly id: string }> {
  const { status, text, json } = await request(world, `${method} /calendars/${world.calendarId}/${path}`, {
    body,
  });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json?.data ?? { id: "" };
}

export function sendOverSocket(baseUrl: string): Send {
  const { hostname, port } = new URL(baseUrl);
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path: target, headers, agent: false });
      request.on("error", reject);
      request.on("response", (response) => {
        const chunks: Uint8Array[] = [];
        response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(received),
            body: Buffer.concat(chunks),
          });
        });
      });
      request.end(body);
    });
}
