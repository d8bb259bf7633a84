import { request as httpRequest } from "node:http";
import type { ServiceResponse } from "../../http/response.js";
import type { ServiceRequest } from "../../request.js";
import type { Service } from "../../service.js";
import type { World } from "./world.js";

/** Sends a request to the service: in-process or over a socket. */
export type Send = (request: ServiceRequest) => Promise<ServiceResponse>;

export function sendInProcess(service: Service, address = "127.0.0.1"): Send {
  return (request) => service.handle(request, { kind: "network", address });
}

/**
 * Changes something in the calendar of a world, as its member.
 * @param path below that of the calendar
 * @returns `data` of the response
 * @throws Error unless it succeeds
 */
export async function changeCalendar(
  { service, calendarId, token }: Pick<World, "service" | "calendarId" | "token">,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
): Promise<{ readonly id: string }> {
  const response = await sendInProcess(service)({
    method,
    target: `/calendars/${calendarId}/${path}`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
  const text = new TextDecoder().decode(response.body);
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? { id: "" } : JSON.parse(text).data;
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
