import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { STATUS_TITLES } from "../../contract/problem.js";
import { errorCodeOf } from "../../src/errors.js";
import { badRequest, ProblemError, type ServiceResponse } from "./response.js";

/**
 * The problem of bytes that are not an HTTP request, or not in time; null when the connection itself has failed, so that
 * nothing can be sent.
 * @param error of the server's event `clientError`
 */
function problemOfClientError(error: Error): ProblemError | null {
  const code = errorCodeOf(error) ?? "";
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ProblemError(408, { errors: "the request was not received in time" });
    case "HPE_HEADER_OVERFLOW":
      return new ProblemError(431, { errors: "the headers are too long" });
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ProblemError(413, { errors: "the chunk extensions are too long" });
    default:
      return code.startsWith("HPE_") ? badRequest("the request is not valid HTTP/1.1") : null;
  }
}

/** Notes which connections have sent bytes that could not be parsed. */
export function createClientFailures() {
  const problems = new WeakMap<Duplex, ProblemError>();
  /** What interrupts the request that is being read. */
  const interrupts = new WeakMap<Duplex, () => void>();
  /** Why the body of the request cannot be received; undefined as long as it can. */
  const problemOf = ({ socket, complete }: IncomingMessage) => (complete ? undefined : problems.get(socket));
  return {
    problemOf,
    /**
     * Notes an error of the server's event `clientError`, and interrupts the request whose body it is in. Closes a
     * connection that has failed.
     * @returns the problem to respond with after the requests before it; null if there is nothing to respond to
     */
    note(error: Error, socket: Duplex): ProblemError | null {
      const problem = problemOfClientError(error);
      if (problem === null || !socket.writable) socket.destroy();
      // Whatever follows is not parsed either.
      if (problem === null || !socket.writable || problems.has(socket)) return null;
      problems.set(socket, problem);
      interrupts.get(socket)?.();
      return problem;
    },
    /** Aborts with that problem. */
    watch(request: IncomingMessage): AbortSignal {
      const controller = new AbortController();
      const interrupt = () => {
        const problem = problemOf(request);
        if (problem !== undefined) controller.abort(problem);
      };
      interrupts.set(request.socket, interrupt);
      interrupt();
      return controller.signal;
    },
  };
}

/** A response after which the connection is closed, as bytes for a connection whose request could not be parsed. */
export function formatLastResponse({ status, headers, body }: ServiceResponse): Uint8Array {
  const title = Object.entries(STATUS_TITLES).find(([known]) => Number(known) === status)?.[1] ?? "";
  const all = { ...headers, "content-length": String(body.byteLength), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${title}\r\n${lines.join("")}\r\n`), body]);
}
