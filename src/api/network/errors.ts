import { type Sent, TransportError } from "../transport.js";
import { codesOf, type Described, describeConnecting, isNoHttp, NO_CODE } from "./connect-errors.js";
import { describeProxyFailure, nameProxy, ProxyError, type ProxyServer } from "./proxy-errors.js";

/** An attempt took too long. */
export class AttemptTimeout extends Error {
  override readonly name = "AttemptTimeout";
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super("timeout");
    this.milliseconds = milliseconds;
  }
}

/** What messages and decisions need beside the error. */
export interface Surroundings {
  readonly url: URL;
  readonly sent: Sent;
  /** Null where the service is reached directly. */
  readonly proxy: ProxyServer | null;
  /** The largest body that is read, in bytes. */
  readonly answerMax: number;
}

/**
 * Says why an attempt got no whole answer.
 * @returns the error itself when it was none of the network's: then it is a bug
 */
export function describeFailure(error: unknown, surroundings: Surroundings): unknown {
  const reason = reasonOf(error);
  if (surroundings.sent === "no" && (reason === NO_CODE || reason === "UND_ERR_INVALID_ARG")) return error;
  const { fault, message, hint } = describe(error, reason, surroundings);
  const { sent } = surroundings;
  return new TransportError(message, {
    fault,
    sent,
    reason,
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

function describe(error: unknown, reason: string, surroundings: Surroundings): Described {
  const { url, sent } = surroundings;
  if (error instanceof AttemptTimeout) return describeTimeout(error, surroundings);
  if (error instanceof ProxyError) return describeProxyFailure(error, url.host, reason);
  if (sent === "no") {
    return describeConnecting(error, reason, { name: url.host, host: `the host ${url.hostname}` });
  }
  return describeAnswering(error, reason, surroundings);
}

function describeTimeout({ milliseconds }: AttemptTimeout, { url, sent, proxy }: Surroundings): Described {
  const seconds = milliseconds / 1000;
  const within = `within ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  if (sent === "maybe") return { fault: "timeout", message: `no answer from ${url.host} ${within}` };
  if (sent === "answered") return { fault: "timeout", message: `no whole answer from ${url.host} ${within}` };
  const way = proxy === null ? "" : ` through ${nameProxy(proxy)}`;
  return { fault: "timeout", message: `no connection to ${url.host}${way} ${within}` };
}

function describeAnswering(
  error: unknown,
  reason: string,
  { url, sent, answerMax }: Surroundings,
): Described {
  if (reason === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return {
      fault: "too_large",
      message: `the answer of ${url.host} is larger than ${answerMax / MEBIBYTE} MiB`,
    };
  }
  if (reason === "UND_ERR_HEADERS_OVERFLOW") {
    return { fault: "too_large", message: `the headers of the answer of ${url.host} are too large` };
  }
  // Before the head has come, a wrong length is one that the head itself contradicts.
  if (isNoHttp(error) || (reason === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" && sent === "maybe")) {
    const message = `what ${url.host} answers is not HTTP`;
    return {
      fault: "not_http",
      message,
      ...(url.protocol === "http:" ? { hint: "does it want https?" } : {}),
    };
  }
  if (sent === "answered") {
    return { fault: "cut_short", message: `the answer of ${url.host} was cut short (${reason})` };
  }
  if (error instanceof Error && error.message === UNASKED_HEAD) {
    const message = `what ${url.host} sent before its answer cannot be read over (100 Continue or the like)`;
    return { fault: "closed", message };
  }
  return {
    fault: "closed",
    message: `${url.host} closed the connection without an answer (${reason})`,
    ...(url.protocol === "http:"
      ? { hint: "does it want https? if not, try again later; repeating this is safe" }
      : {}),
  };
}

/** What undici says when it ends a connection over a 100 or 101. */
const UNASKED_HEAD = "bad response";

const MEBIBYTE = 1024 * 1024;

function reasonOf(error: unknown): string {
  if (error instanceof AttemptTimeout) return "timeout";
  if (!(error instanceof ProxyError)) return codesOf(error);
  return error.status === null ? codesOf(error.cause) : String(error.status);
}
