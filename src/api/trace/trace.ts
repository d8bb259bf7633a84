import { errorCodeOf } from "../../errors.js";
import { type Transport, TransportError } from "../transport/transport.js";
import { maskUrls } from "./named-secrets.js";
import { type MaskValues, requestLines, responseLines } from "./wire-lines.js";

export interface TraceOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes lines that belong together. They are not yet harmless for a terminal. */
  readonly write: (lines: readonly string[]) => void;
  /** How lines name where a request goes. */
  readonly nameUrl: (url: string) => string;
  /** Masks the secrets that are known by value. */
  readonly mask: MaskValues;
  /** Whether headers and bodies are shown, too. */
  readonly details: boolean;
}

/**
 * Writes one line an attempt: method, URL, status or failure, milliseconds. With `details` the request comes before
 * it and the answer behind it, headers and bodies included. Secrets are masked.
 */
export function withTrace(transport: Transport, options: TraceOptions): Transport {
  const { now, write, nameUrl, mask, details } = options;
  return async (request) => {
    const started = now();
    const title = `${request.method} ${maskUrls(mask(nameUrl(request.url)))}`;
    const line = (outcome: string) => `${title} ${outcome} ${now() - started} ms`;
    if (details) write(requestLines(title, request, mask));
    try {
      const response = await transport(request);
      write([line(String(response.status)), ...(details ? responseLines(response, mask) : [])]);
      return response;
    } catch (error) {
      const known = error instanceof TransportError ? error : null;
      const told = details && known !== null ? [`* ${known.message} (sent: ${known.sent})`] : [];
      write([line(known?.reason ?? nameOf(error)), ...told]);
      throw error;
    }
  };
}

/** What ended an attempt that the network did not: `interrupted`, `configuration`, or the kind of a bug. */
function nameOf(error: unknown): string {
  return errorCodeOf(error) ?? (error instanceof Error ? error.name : "failed");
}
