import { request as httpRequest } from "node:http";
import type { ServiceResponse } from "../../../src/service/http/response.js";
import type { ServiceRequest } from "../../../src/service/request.js";
import type { Service } from "../../../src/service/service.js";

/** Sends a request to the service: in-process or over a socket. */
export type Send = (request: ServiceRequest) => Promise<ServiceResponse>;

export function sendInProcess(service: Service, address = "127.0.0.1"): Send {
  return (request) => service.handle(request, { kind: "network", address });
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
