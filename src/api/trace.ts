import { type Transport, TransportError } from "./transport.js";

export interface TraceOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly write: (line: string) => void;
  /** How lines name where a request goes. */
  readonly nameUrl: (url: string) => string;
}

/** Writes one line an attempt: method, URL, status or failure, milliseconds. Never headers or bodies. */
export function withTrace(transport: Transport, { now, write, nameUrl }: TraceOptions): Transport {
  return async (request) => {
    const started = now();
    const line = (outcome: string) =>
      `${request.method} ${nameUrl(request.url)} ${outcome} ${now() - started} ms`;
    try {
      const response = await transport(request);
      write(line(String(response.status)));
      return response;
    } catch (error) {
      write(line(error instanceof TransportError ? error.reason : "interrupted"));
      throw error;
    }
  };
}
