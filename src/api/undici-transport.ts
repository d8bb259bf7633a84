import type { Dispatcher } from "undici";
import request from "undici/lib/api/api-request.js";
import Agent from "undici/lib/dispatcher/agent.js";
import { CliError, errorCodeOf } from "../errors.js";
import {
  type Fault,
  type HttpRequest,
  type HttpResponse,
  type Sent,
  type Transport,
  TransportError,
} from "./transport.js";

const MEBIBYTE = 1024 * 1024;
const ANSWER_MAX = 32 * MEBIBYTE;
const CONNECT_TIMEOUT = 10_000;

export interface UndiciTransportOptions {
  /** Longest time of one whole attempt in milliseconds. */
  readonly timeout: number;
  /** The largest body that is read, in bytes; 32 MiB by default. */
  readonly answerMax?: number;
}

export interface UndiciTransport {
  readonly send: Transport;
  /** Ends idle connections, so that the process can end. */
  close(): Promise<void>;
}

/** The transport over real sockets. It follows no redirects and repeats nothing. */
export function createUndiciTransport(options: UndiciTransportOptions): UndiciTransport {
  const { timeout, answerMax = ANSWER_MAX } = options;
  const agent = new Agent({
    connect: { timeout: Math.min(CONNECT_TIMEOUT, timeout) },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: answerMax,
  });
  return {
    send: (httpRequest) => attempt(agent, httpRequest, { timeout, answerMax }),
    close: () => agent.destroy(),
  };
}

async function attempt(
  agent: Dispatcher,
  httpRequest: HttpRequest,
  { timeout, answerMax }: Required<UndiciTransportOptions>,
): Promise<HttpResponse> {
  httpRequest.signal?.throwIfAborted();
  const deadline = AbortSignal.timeout(timeout);
  const signal =
    httpRequest.signal === undefined ? deadline : AbortSignal.any([httpRequest.signal, deadline]);
  const url = new URL(httpRequest.url);
  let answered = false;
  try {
    const answer = await request.call(agent, {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: httpRequest.method,
      headers: { ...httpRequest.headers },
      body: httpRequest.body ?? null,
      signal,
    });
    answered = true;
    const body = await answer.body.bytes();
    return { status: answer.statusCode, headers: joinHeaders(answer.headers), body };
  } catch (error) {
    // Reading the reason off the caller's own signal tells Ctrl-C from the proxy's and the deadline's aborts.
    if (httpRequest.signal?.aborted === true) throw interrupted(httpRequest);
    if (deadline.aborted) {
      const message = `no whole answer within ${timeout / 1000} seconds`;
      throw new TransportError(message, {
        fault: "timeout",
        sent: answered ? "answered" : "maybe",
        reason: "timeout",
        cause: error,
      });
    }
    throw describeFailure(error, { url, answered, answerMax });
  }
}

/** The caller's reason, and for a write the warning that it may have been done. */
function interrupted({ method, signal }: HttpRequest): unknown {
  const reason: unknown = signal?.reason;
  if (method === "GET" || !(reason instanceof CliError)) return reason;
  return new CliError(reason.code, reason.message, {
    exitCode: reason.exitCode,
    hint: `a ${method} was under way: it is unknown whether it was done, look before you repeat it`,
    cause: reason,
  });
}

const TOO_LARGE = "UND_ERR_RES_EXCEEDED_MAX_SIZE";

const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const TLS_FAILURE = /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/;

interface Failed {
  readonly url: URL;
  readonly answered: boolean;
  readonly answerMax: number;
}

function describeFailure(error: unknown, { url, answered, answerMax }: Failed): TransportError {
  const reason = errorCodeOf(error) ?? errorCodeOf(firstOf(error)) ?? "unknown";
  const failure = (fault: Fault, sent: Sent, message: string, hint?: string) =>
    new TransportError(message, {
      fault,
      sent,
      reason,
      cause: error,
      ...(hint === undefined ? {} : { hint }),
    });
  if (reason === TOO_LARGE) {
    return failure("too_large", "answered", `the answer is larger than ${answerMax / MEBIBYTE} MiB`);
  }
  if (reason === "ERR_SSL_WRONG_VERSION_NUMBER" || reason === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
    return failure("tls", "no", `${url.host} does not speak HTTPS`, "is the port right?");
  }
  if (TLS_FAILURE.test(reason)) {
    return failure(
      "tls",
      "no",
      `the certificate of ${url.host} is not trusted (${reason})`,
      "if the service has a certificate authority of its own, name its file in NODE_EXTRA_CA_CERTS",
    );
  }
  if (NEVER_SENT.has(reason)) return failure("unreachable", "no", sentence(reason, url, "no"));
  const sent: Sent = answered ? "answered" : "maybe";
  return failure(answered ? "cut_short" : "closed", sent, sentence(reason, url, sent));
}

/** A host with several addresses fails with one error each. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : undefined;
}

function sentence(code: string, url: URL, sent: Sent): string {
  if (code === "ECONNREFUSED") return `nothing listens at ${url.host}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host ${url.hostname} cannot be found`;
  if (sent === "no") return `${url.host} cannot be reached (${code})`;
  if (sent === "answered") return `the answer of ${url.host} was cut short (${code})`;
  return `${url.host} closed the connection without an answer (${code})`;
}

function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}
